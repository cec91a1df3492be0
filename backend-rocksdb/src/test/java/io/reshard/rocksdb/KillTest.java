package io.reshard.rocksdb;

import static io.reshard.rocksdb.Rows.assertKind;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process that writes, commits, spills and rolls back, at any moment, again and again on
 * one directory. What is there afterwards must be exactly the last version that was reported, or
 * one that was being committed.
 */
class KillTest {
  private static final long SEED = Long.getLong("reshard.seed", 5_001L);
  private static final long SMALL = 1 << 20;
  private static final ColumnFamily FAMILY = ColumnFamily.hashed("rows");

  @TempDir Path directory;

  @Test
  void killedWriterLeavesAVersion() throws Exception {
    storm(3, BackendOptions.DEFAULT_MEMORY_BUDGET, SEED);
  }

  @Test
  void killedSpillingWriterLeavesAVersion() throws Exception {
    storm(4, SMALL, SEED + 1);
  }

  @Test
  @Tag("slow")
  void killedManyTimes() throws Exception {
    for (int i = 2; i < 12; i++) {
      storm(15, i % 3 == 0 ? BackendOptions.DEFAULT_MEMORY_BUDGET : SMALL, SEED + i);
    }
  }

  private void storm(int rounds, long budget, long seed) throws Exception {
    Random random = new Random(seed);
    Path shard = directory.resolve("shard" + seed);
    long before = 0;
    for (int round = 0; round < rounds; round++) {
      long reported = Math.max(before, runAndKill(shard, budget, seed, random));
      try (Backend backend = start(budget);
          ShardStore store = backend.open(options(shard))) {
        assertThat(store.version())
            .as("round %d, -Dreshard.seed=%d", round, SEED)
            .isBetween(reported, reported + 1);
        assertThat(Rows.all(store, FAMILY.name()))
            .as("version %d, round %d, -Dreshard.seed=%d", store.version(), round, SEED)
            .isEqualTo(Rows.of(contentOf(store.version(), budget, seed)));
        before = store.version();
      }
      try (var entries = Files.list(shard)) {
        assertThat(entries.filter(entry -> entry.getFileName().toString().startsWith("db-")))
            .hasSizeLessThanOrEqualTo(1);
      }
    }
  }

  /** Returns the last version the process reported. */
  private long runAndKill(Path shard, long budget, long seed, Random random)
      throws IOException, InterruptedException {
    Path errors = directory.resolve("errors");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-Djava.io.tmpdir=" + directory,
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                Writer.class.getName(),
                shard.toString(),
                Long.toString(budget),
                Long.toString(seed))
            .redirectError(errors.toFile())
            .start();
    List<String> lines = new ArrayList<>();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      int wanted = random.nextInt(6);
      for (String line; lines.size() <= wanted && (line = out.readLine()) != null; ) {
        lines.add(line);
      }
      assertThat(lines).as("process that says: %s", Files.readString(errors)).isNotEmpty();
      assertKind(
          Kind.INVALID,
          () -> {
            try (Backend second = start(budget)) {
              second.open(options(shard));
            }
          },
          "another process");
      LockSupport.parkNanos(random.nextInt(20_000_000));
      // Process.destroyForcibly() would throw away what it has written and we have not read.
      process.toHandle().destroyForcibly();
      for (String line; (line = out.readLine()) != null; ) {
        lines.add(line);
      }
    }
    process.waitFor();
    return lines.stream()
        .filter(line -> line.startsWith("committed ") && line.endsWith("."))
        .mapToLong(line -> Long.parseLong(line.substring(10, line.length() - 1)))
        .max()
        .orElse(0);
  }

  private static Backend start(long budget) {
    return new RocksDbStateStoreProvider()
        .start(BackendOptions.defaults().withMemoryBudget(budget));
  }

  private static ShardOptions options(Path shard) {
    return new ShardOptions(shard, List.of(FAMILY));
  }

  private static NavigableMap<byte[], byte[]> contentOf(long version, long budget, long seed) {
    NavigableMap<byte[], byte[]> rows = Rows.none();
    for (long v = 1; v <= version; v++) {
      for (WriteBatch batch : batches(v, budget, seed)) {
        batch.forEach(
            new WriteBatch.Handler() {
              @Override
              public void put(String columnFamily, ByteView key, ByteView value) {
                rows.put(key.toByteArray(), value.toByteArray());
              }

              @Override
              public void delete(String columnFamily, ByteView key) {
                rows.remove(key.toByteArray());
              }

              @Override
              public void deleteRange(String columnFamily, ByteView from, ByteView to) {
                throw new AssertionError("not used here");
              }
            });
      }
    }
    return rows;
  }

  /** The writes of a version: the same in both processes. */
  private static List<WriteBatch> batches(long version, long budget, long seed) {
    Random random = new Random(seed * 1_000_003 + version);
    boolean spills = budget == SMALL && version % 2 == 0;
    List<WriteBatch> batches = new ArrayList<>();
    for (int b = spills ? 12 : 3; b > 0; b--) {
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < 30; i++) {
        byte[] key = Rows.bytes("key" + random.nextInt(500));
        if (random.nextInt(3) == 0) {
          batch.delete(FAMILY.name(), key);
        } else {
          byte[] value = new byte[random.nextInt(spills ? 1000 : 50)];
          random.nextBytes(value);
          batch.put(FAMILY.name(), key, value);
        }
      }
      batches.add(batch);
    }
    return batches;
  }

  /** The process that is killed. */
  static final class Writer {
    private Writer() {}

    @SuppressWarnings("SystemOut") // It reports to the test that way.
    public static void main(String[] arguments) throws IOException {
      long budget = Long.parseLong(arguments[1]);
      long seed = Long.parseLong(arguments[2]);
      try (Backend backend = start(budget);
          ShardStore store = backend.open(options(Path.of(arguments[0])))) {
        FileSnapshots snapshots = new FileSnapshots(Files.createTempDirectory("snapshots"));
        System.out.println("open");
        for (long version = store.version() + 1; version < 10_000; version++) {
          if (version % 3 == 0) {
            batches(version * 7, budget, seed).forEach(store::write);
            store.rollback();
          }
          batches(version, budget, seed).forEach(store::write);
          store.commit(version);
          if (version % 4 == 0) {
            // An import of the very same is no change, but replaces the whole database.
            store.importSnapshot(FileSnapshots.reader(snapshots.take(store)));
          }
          System.out.println("committed " + version + ".");
        }
      }
    }
  }
}
