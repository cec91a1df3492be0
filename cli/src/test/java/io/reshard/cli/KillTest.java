package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the command with SIGKILL at random moments. After each kill the newest version must be an
 * old one or the new one, whole and with the digest it must have; and running the command again
 * must bring the result an undisturbed run has.
 *
 * <p>A kill at a random moment of a run's usual duration hits start-up, work and the moments around
 * a publish alike.
 */
class KillTest {
  private static final long SEED = Long.getLong("reshard.seed", 20_010_101);
  private static final int RECORDS = 30_000;
  private static final int COMMIT_EVERY = 7_000;

  @TempDir Path directory;

  private final Random random = new Random(SEED);

  @Test
  void aFewKillsOfLoads() throws Exception {
    killLoads(2);
  }

  @Test
  void aFewKillsOfRepartitions() throws Exception {
    killRepartitions(2, "slots");
  }

  @Test
  @Tag("slow")
  void manyKillsOfLoads() throws Exception {
    killLoads(25);
  }

  @Test
  @Tag("slow")
  void manyKillsOfRepartitionsOfSlots() throws Exception {
    killRepartitions(25, "slots");
  }

  @Test
  @Tag("slow")
  void manyKillsOfRepartitionsOfModulo() throws Exception {
    killRepartitions(25, "modulo");
  }

  @Test
  void ctrlCStopsARepartitionCleanlyOrComesTooLate() throws Exception {
    interruptRepartitions(700);
  }

  @Test
  @Tag("slow")
  void ctrlCAtManyMoments() throws Exception {
    interruptRepartitions(100, 300, 500, 600, 800, 900, 1000, 1200);
  }

  private void interruptRepartitions(int... delays) throws Exception {
    Path store = load("slots", RECORDS);
    String digest = Flights.digest(store, 0);
    for (int delay : delays) {
      long before = newest(store);
      Process process = start("repartition", "--store", store.toString(), "--shards", "97");
      Thread.sleep(delay);
      new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
      String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      Ran.run("verify", "--store", store.toString(), "--expect", digest).ok();
      if (newest(store) == before) {
        assertThat(process.exitValue()).as(said).isEqualTo(ExitCode.INTERRUPTED.code());
      } else {
        Ran.run("rollback", "--store", store.toString(), "--to", "1").ok();
      }
      assertThat(said).doesNotContain("\tat ");
    }
  }

  private void killLoads(int kills) throws Exception {
    Path csv = Flights.csv(directory, RECORDS);
    Path reference = directory.resolve("reference");
    long start = System.nanoTime();
    finish(start(loadArgs(reference, csv)));
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    Map<Long, String> digests = new HashMap<>();
    for (long version = 1; version <= newest(reference); version++) {
      digests.put(version, Flights.digest(reference, version));
    }
    assertThat(digests).hasSize(RECORDS / COMMIT_EVERY + 1);
    Path store = directory.resolve("store-0");
    for (int kill = 1; kill <= kills; kill++) {
      killAfter(random.nextInt((int) millis), loadArgs(store, csv));
      long version = newest(store);
      if (version > 0) {
        assertThat(Flights.digest(store, 0)).as(seed(kill)).isEqualTo(digests.get(version));
      }
      if (version == digests.size() || kill == kills) {
        finish(start(loadArgs(store, csv)));
        assertThat(newest(store)).as(seed(kill)).isEqualTo(digests.size());
        Ran.run("verify", "--store", store.toString(), "--all").ok();
        assertThat(Flights.digest(store, 0)).isEqualTo(digests.get((long) digests.size()));
        assertNothingLeft(store);
        store = directory.resolve("store-" + kill);
      }
    }
  }

  private void killRepartitions(int kills, String layout) throws Exception {
    Path store = load(layout, RECORDS);
    String digest = Flights.digest(store, 0);
    int[] counts = {31, 64, 20, 50, 7};
    long start = System.nanoTime();
    finish(start("repartition", "--store", store.toString(), "--shards", "33"));
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    for (int kill = 1; kill <= kills; kill++) {
      long before = newest(store);
      int target = counts[kill % counts.length];
      String[] args = {"repartition", "--store", store.toString(), "--shards", "" + target};
      killAfter(random.nextInt((int) millis), args);
      long after = newest(store);
      assertThat(after).as(seed(kill)).isBetween(before, before + 1);
      Ran.run("verify", "--store", store.toString(), "--expect", digest).ok();
      if (after == before) {
        finish(start(args));
        assertThat(newest(store)).as(seed(kill)).isEqualTo(before + 1);
        Ran.run("verify", "--store", store.toString(), "--expect", digest).ok();
      }
      assertThat(Ran.run("inspect", "--json", "--store", store.toString()).ok().oneJson())
          .as(seed(kill))
          .containsEntry("shards", (long) target);
    }
    Ran.run("gc", "--store", store.toString(), "--keep", "1", "--grace", "0").ok();
    Ran.run("verify", "--store", store.toString(), "--all", "--expect", digest).ok();
  }

  private Path load(String layout, int records) {
    Path store = directory.resolve("store");
    Ran.run(
            Flights.load(
                store,
                Flights.csv(directory, records),
                "--shards=40",
                "--backend=memory",
                "--layout=" + layout))
        .ok();
    return store;
  }

  private static String[] loadArgs(Path store, Path csv) {
    return Flights.load(
        store, csv, "--shards=10", "--backend=rocksdb", "--commit-every=" + COMMIT_EVERY);
  }

  private static String seed(int kill) {
    return "seed " + SEED + ", kill " + kill;
  }

  /** The newest version; 0 if there is none, or no store yet. */
  private static long newest(Path store) {
    if (!Files.exists(store.resolve("store.json"))) {
      return 0;
    }
    List<Map<String, Object>> versions =
        Ran.run("list", "--json", "--store", store.toString()).ok().json();
    return versions.isEmpty() ? 0 : Ran.number(versions.get(versions.size() - 1), "version");
  }

  private static void killAfter(int millis, String... args)
      throws IOException, InterruptedException {
    Process process = start(args);
    if (!process.waitFor(millis, TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
    }
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  private static void finish(Process process) throws IOException, InterruptedException {
    String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  private static Process start(String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx512m");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add("io.reshard.cli.Main");
    command.addAll(List.of(args));
    return new ProcessBuilder(command)
        .redirectOutput(new File("/dev/null"))
        .redirectError(ProcessBuilder.Redirect.PIPE)
        .start();
  }

  /** No working directory of a dead process is left once another run has ended. */
  private static void assertNothingLeft(Path store) throws IOException {
    try (var staging = Files.list(store.resolve("staging"))) {
      assertThat(staging.filter(p -> p.getFileName().toString().startsWith("work-"))).isEmpty();
    }
  }
}
