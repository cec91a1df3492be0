package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.rocksdb.RocksDbStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One working directory, one store. */
@NullUnmarked
class WorkingDirectoryTest {
  private static final List<ColumnFamily> FAMILIES = List.of(ColumnFamily.hashed("default"));

  @TempDir Path directory;
  private Path work;
  private CheckpointStore checkpoints;
  private Backend backend;

  @BeforeEach
  void start() {
    work = directory.resolve("work");
    checkpoints = CheckpointStore.create(ObjectStores.open(directory.resolve("store")));
    backend = new RocksDbStateStoreProvider().start(BackendOptions.defaults());
  }

  @AfterEach
  void stop() {
    backend.close();
    checkpoints.close();
  }

  private KeyedStore create(CheckpointStore versions) {
    return KeyedStore.create(versions, backend, "rocksdb", work, Layout.slots(3), FAMILIES);
  }

  private static void assertInvalid(Runnable call, String... words) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(Kind.INVALID);
              assertThat(e.getMessage()).contains(words);
            });
  }

  @Test
  void aSecondStoreIsRefusedAndTheFirstGoesOn() {
    try (CheckpointStore others =
            CheckpointStore.create(ObjectStores.open(directory.resolve("other")));
        KeyedStore first = create(checkpoints)) {
      first.put("default", bytes("a"), bytes("1"));
      first.commit(Map.of());
      first.put("default", bytes("b"), bytes("2"));

      assertInvalid(
          () -> create(others), work.toString(), "is in use by another store of this process");
      assertInvalid(
          () -> KeyedStore.open(checkpoints, backend, "rocksdb", work.resolve("../work"), 1),
          "is in use");

      first.commit(Map.of());
      assertThat(first.get("default", bytes("a"))).isEqualTo(bytes("1"));
      assertThat(first.get("default", bytes("b"))).isEqualTo(bytes("2"));
    }
    // The first is closed: the next may have it.
    try (KeyedStore next = KeyedStore.open(checkpoints, backend, "rocksdb", work, 2)) {
      assertThat(next.get("default", bytes("b"))).isEqualTo(bytes("2"));
    }
  }

  /** A refusal within the process must not give the lock away that another process asks for. */
  @Test
  void anotherProcessIsRefused() throws Exception {
    try (KeyedStore store = create(checkpoints)) {
      assertInvalid(() -> create(checkpoints), "is in use");
      String answer = inAnotherProcess();
      assertThat(answer).contains("INVALID", "process " + ProcessHandle.current().pid());
      store.put("default", bytes("a"), bytes("1"));
      store.commit(Map.of());
      assertThat(store.get("default", bytes("a"))).isEqualTo(bytes("1"));
    }
    assertThat(inAnotherProcess()).isEqualTo("taken");
  }

  /** The lock of a process that was killed is free. */
  @Test
  void aDeadProcessHoldsNothing() throws Exception {
    Process holder = start(Holder.class, "hold");
    try (BufferedReader out = output(holder)) {
      assertThat(out.readLine()).isEqualTo("taken");
      assertInvalid(() -> create(checkpoints), "is in use by process " + holder.pid());
    } finally {
      holder.destroyForcibly().waitFor();
    }
    create(checkpoints).close();
  }

  private String inAnotherProcess() throws Exception {
    Process process = start(Holder.class, "try");
    try (BufferedReader out = output(process)) {
      String line = Objects.requireNonNull(out.readLine());
      assertThat(process.waitFor()).isZero();
      return line;
    }
  }

  private Process start(Class<?> main, String how) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            work.toString(),
            how)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static BufferedReader output(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Takes the directory in a process of its own. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws InterruptedException {
      try {
        WorkingDirectory taken = WorkingDirectory.take(Path.of(arguments[0]));
        System.out.println("taken");
        while (arguments[1].equals("hold")) {
          Thread.sleep(1000);
        }
        taken.close();
      } catch (StateStoreException e) {
        System.out.println(e.kind() + " " + e.getMessage());
      }
    }
  }

  @Test
  void whatNoStorePutThereIsLeftAlone() throws IOException {
    Files.createDirectories(work.resolve("shard-00001"));
    Path precious = Files.writeString(work.resolve("thesis.tex"), "years of work");
    assertInvalid(() -> create(checkpoints), "thesis.tex", "directory of its own");
    assertThat(precious).hasContent("years of work");
    assertThat(work.resolve("shard-00001")).exists();
    Files.delete(precious);
    create(checkpoints).close();
  }

  /** A start that fails half way leaves neither stores open nor the directory locked. */
  @Test
  void aFailedStartGivesEverythingBack() {
    create(checkpoints).close();
    AtomicInteger openings = new AtomicInteger();
    Backend failing =
        new Backend() {
          @Override
          public io.reshard.spi.ShardStore open(io.reshard.spi.ShardOptions options) {
            if (openings.incrementAndGet() == 5) {
              throw StateStoreException.unavailable("no more", null);
            }
            return backend.open(options);
          }

          @Override
          public long memoryUsed() {
            return backend.memoryUsed();
          }

          @Override
          public void close() {}
        };
    assertThatThrownBy(
            () ->
                KeyedStore.create(
                    checkpoints, failing, "rocksdb", work, Layout.slots(20), FAMILIES))
        .isInstanceOf(StateStoreException.class)
        .hasMessage("no more");
    KeyedStore.create(checkpoints, backend, "rocksdb", work, Layout.slots(20), FAMILIES).close();
  }
}
