package io.reshard.tck;

import static io.reshard.tck.Fixture.COLUMN_FAMILIES;
import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.TWO;
import static io.reshard.tck.Fixture.assertFails;
import static io.reshard.tck.Fixture.delete;
import static io.reshard.tck.Fixture.get;
import static io.reshard.tck.Fixture.put;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.Backend;
import io.reshard.spi.Capability;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What is there after close, and after the death of the process. */
interface PersistenceSuite extends Suite {
  @Test
  default void required_S023_without_PERSISTENT_a_reopened_shard_is_empty() {
    fixture().requiresNot(Capability.PERSISTENT);
    Path directory = fixture().newDirectory();
    ShardStore store = fixture().open(directory);
    put(store, ONE, "k", "v");
    store.commit(5);
    store.close();
    ShardStore again = fixture().open(directory);
    assertThat(again.version()).isZero();
    assertThat(Rows.all(again, ONE)).isEmpty();
    again.commit(1);
    assertThat(again.version()).isEqualTo(1);
  }

  @Test
  default void optional_S023_a_reopened_shard_is_as_of_its_last_commit_PERSISTENT() {
    fixture().requires(Capability.PERSISTENT);
    Path directory = fixture().newDirectory();
    ShardStore store = fixture().open(directory);
    put(store, ONE, "a", "1");
    put(store, ONE, "b", "1");
    put(store, TWO, "", "");
    store.commit(5);
    put(store, ONE, "a", "2");
    delete(store, ONE, "b");
    store.commit(8);
    put(store, ONE, "a", "uncommitted");
    put(store, TWO, "uncommitted", "x");
    delete(store, TWO, "");
    store.close();
    for (int i = 0; i < 2; i++) {
      ShardStore again = fixture().open(directory);
      assertThat(again.version()).isEqualTo(8);
      assertThat(Rows.all(again, ONE)).containsExactly(Row.of(bytes("a"), bytes("2")));
      assertThat(Rows.all(again, TWO)).containsExactly(Row.of(bytes(""), bytes("")));
      assertFails("commit(8) after reopen", Kind.INVALID, () -> again.commit(8));
      put(again, ONE, "a", "again uncommitted");
      again.rollback();
      assertThat(get(again, ONE, "a")).isEqualTo("2");
      put(again, ONE, "a", "again uncommitted");
      again.close();
    }
  }

  @Test
  default void optional_S213_another_start_of_the_backend_finds_it_PERSISTENT() {
    fixture().requires(Capability.PERSISTENT);
    Path directory = fixture().newDirectory();
    Backend first = fixture().start();
    ShardStore store = first.open(new ShardOptions(directory, COLUMN_FAMILIES));
    put(store, ONE, "k", "v");
    store.commit(1);
    put(store, ONE, "k", "uncommitted");
    first.close();
    ShardStore again = fixture().open(directory);
    assertThat(again.version()).isEqualTo(1);
    assertThat(get(again, ONE, "k")).isEqualTo("v");
  }

  @Test
  default void optional_S213_a_commit_without_writes_survives_PERSISTENT() {
    fixture().requires(Capability.PERSISTENT);
    Path directory = fixture().newDirectory();
    ShardStore store = fixture().open(directory);
    store.commit(3);
    store.close();
    ShardStore again = fixture().open(directory);
    assertThat(again.version()).isEqualTo(3);
    put(again, ONE, "k", "v");
    again.commit(4);
    again.commit(5);
    again.close();
    assertThat(fixture().open(directory).version()).isEqualTo(5);
  }

  @Test
  default void optional_S024_other_column_families_are_refused_PERSISTENT() {
    fixture().requires(Capability.PERSISTENT);
    Path directory = fixture().newDirectory();
    ShardStore store = fixture().open(directory);
    put(store, ONE, "k", "v");
    store.commit(1);
    store.close();
    ColumnFamily one = ColumnFamily.hashed(ONE);
    ColumnFamily two = ColumnFamily.ordered(TWO);
    for (List<ColumnFamily> others :
        List.of(
            List.of(one),
            List.of(one, ColumnFamily.ordered("three")),
            List.of(one, two, ColumnFamily.hashed("three")))) {
      assertFails(
          "open with " + others,
          Kind.INCOMPATIBLE,
          () -> fixture().backend().open(new ShardOptions(directory, others)));
    }
    ShardStore again = fixture().open(directory);
    assertThat(again.version()).isEqualTo(1);
    assertThat(get(again, ONE, "k")).isEqualTo("v");
  }

  @Test
  default void optional_S213_a_version_survives_kill_9_PERSISTENT() {
    fixture().requires(Capability.PERSISTENT);
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(60);
              Path directory = fixture().newDirectory();
              int rounds = fixture().scale() == Scale.LARGE ? 30 : 4;
              long reached = 0;
              for (int round = 0; round < rounds; round++) {
                Crash crash =
                    crash(directory, reached + 1 + random.nextInt(12), random.nextInt(4_000_000));
                ShardStore store = fixture().open(directory);
                long version = store.version();
                assertThat(version)
                    .as("version after kill -9, round %s", round)
                    .isBetween(crash.done, crash.begun);
                CrashHistory.content(fixture().seed(), version)
                    .forEach((columnFamily, rows) -> Rows.assertRows(store, columnFamily, rows));
                // The rest of the lost version may be written again.
                store.write(CrashHistory.batch(fixture().seed(), version + 1));
                store.commit(version + 1);
                store.close();
                reached = version + 1;
              }
            });
  }

  /** What a killed process had said: the last commit that returned, and the last it began. */
  record Crash(long done, long begun) {}

  /** Runs a process until it has committed {@code version} and {@code nanos} more; kills it. */
  private Crash crash(Path directory, long version, long nanos)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                CrashChild.class.getName(),
                fixture().provider().getClass().getName(),
                directory.toString(),
                Long.toString(fixture().seed()),
                Long.toString(fixture().options().memoryBudget())));
    fixture().options().options().forEach((name, value) -> command.add(name + "=" + value));
    Path errors = fixture().newDirectory();
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    long done = version - 1;
    long begun = 0;
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
      boolean killed = false;
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        long number = Long.parseLong(line.substring(line.indexOf(' ') + 1));
        if (line.startsWith("begin ")) {
          begun = number;
        } else {
          done = number;
        }
        if (!killed && done >= version) {
          LockSupport.parkNanos(nanos);
          // By its handle: Process would close the pipe, and with it what was said last.
          process.toHandle().destroyForcibly();
          killed = true;
        }
      }
      process.waitFor(1, TimeUnit.MINUTES);
      if (!killed) {
        throw new AssertionError(
            "the process that was to be killed ended by itself with "
                + process.exitValue()
                + ": "
                + Files.readString(errors));
      }
    } finally {
      process.destroyForcibly();
    }
    return new Crash(done, Math.max(begun, done));
  }
}
