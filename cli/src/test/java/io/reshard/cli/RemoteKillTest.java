package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.s3.S3Server;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a load to S3 with SIGKILL at random moments. After each kill the newest version has the
 * digest it has in an undisturbed run; the same command goes on, and a collection leaves nothing
 * that no version names. Replay with {@code -Dreshard.seed=N}.
 */
@Tag("slow")
class RemoteKillTest {
  private static final long SEED = Long.getLong("reshard.seed", 20_010_102);
  private static final int RECORDS = 6_000;
  private static final int COMMIT_EVERY = 1_000;
  private static final long WHOLE_SECOND_MILLIS = 1_001;
  private static final int VERSIONS = RECORDS / COMMIT_EVERY;

  @TempDir Path directory;

  private final Random random = new Random(SEED);

  @Test
  void killedLoadsGoOn() throws Exception {
    Path csv = Flights.csv(directory, RECORDS);
    String reference = S3Server.get().newLocation();
    long start = System.nanoTime();
    assertThat(load(reference, csv).waitFor()).isZero();
    int millis = (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    Map<Long, Object> digests = new HashMap<>();
    for (long version = 1; version <= VERSIONS; version++) {
      digests.put(version, digest(reference, version));
    }
    String store = S3Server.get().newLocation();
    for (int kill = 0; kill < Integer.getInteger("reshard.kills", 15); kill++) {
      Process process = load(store, csv);
      boolean ended = process.waitFor(random.nextInt(millis), TimeUnit.MILLISECONDS);
      process.destroyForcibly().waitFor();
      long version = newest(store);
      if (version > 0) {
        assertThat(digest(store, version))
            .as("version %s after kill %s of -Dreshard.seed=%s", version, kill, SEED)
            .isEqualTo(digests.get(version));
      }
      if (version == VERSIONS || ended) {
        checkCollected(store);
        store = S3Server.get().newLocation();
      }
    }
    assertThat(load(store, csv).waitFor()).isZero();
    assertThat(newest(store)).isEqualTo(VERSIONS);
    checkCollected(store);
  }

  private void checkCollected(String store) throws InterruptedException {
    run(store, "verify", "--all").ok();
    // S3 tells times in whole seconds, and a collection spares what is as young as it is itself.
    Thread.sleep(WHOLE_SECOND_MILLIS);
    run(store, "gc", "--keep", "1", "--grace", "0").ok();
    assertThat(run(store, "gc", "--keep", "1", "--grace", "0", "--dry-run").ok().out())
        .contains("would delete no version, 0 objects");
    run(store, "verify", "--all").ok();
  }

  private long newest(String store) {
    Ran listed = run(store, "list", "--json");
    if (listed.code() == ExitCode.INVALID.code()) {
      return 0; // Killed before there was a store.
    }
    return listed.ok().json().stream()
        .mapToLong(version -> Ran.number(version, "version"))
        .max()
        .orElse(0);
  }

  private Object digest(String store, long version) {
    Ran verified = run(store, "verify", "--version", Long.toString(version), "--json").ok();
    return Objects.requireNonNull(verified.oneJson().get("digest"));
  }

  private Ran run(String store, String verb, String... more) {
    List<String> args = new ArrayList<>(List.of(verb, "--store", store));
    args.addAll(options());
    args.addAll(List.of(more));
    return Ran.run(args.toArray(new String[0]));
  }

  private List<String> options() {
    return List.of(
        "--store-option",
        "s3.endpoint=" + S3Server.get().endpoint(),
        "--store-option",
        "staging=" + directory.resolve("staging"));
  }

  private Process load(String store, Path csv) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("io.reshard.cli.Main", "load", "--store", store));
    command.addAll(options());
    command.addAll(List.of("--backend", "memory", "--shards", "8"));
    command.addAll(List.of("--key", "origin,destination,hour(time)"));
    command.addAll(List.of("--aggregate", "count(),sum(delay)"));
    command.addAll(List.of("--commit-every", Integer.toString(COMMIT_EVERY), csv.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    if (!S3Server.get().isForeign()) {
      builder.environment().put("AWS_ACCESS_KEY_ID", S3Server.IDENTITY);
      builder.environment().put("AWS_SECRET_ACCESS_KEY", S3Server.SECRET);
    }
    return builder.start();
  }
}
