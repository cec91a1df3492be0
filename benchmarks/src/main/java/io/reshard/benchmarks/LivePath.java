package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Arguments;
import io.reshard.benchmarks.shared.Figure;
import io.reshard.benchmarks.shared.Rows;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What a store costs while it is used: writes and commits, reads of every kind, snapshots and
 * restores, Reshard and RocksJava by hand in turns, each from an empty directory in every round.
 * Both hold the same rows in the same number of files when they are read.
 *
 * <p>Arguments: {@code directory=}, {@code rows=} (400000), {@code perCommit=} (10000), {@code
 * repeat=} (5). A figure for each operation, rival and round: {@code nanos} is CPU time of the
 * calling thread for an operation, {@code wallNanos} wall time. Flushes and compactions run on
 * threads of RocksDB's own, in both alike, and are not in {@code nanos}.
 */
final class LivePath {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int WARM_UP_ROUNDS = 2;
  private static final int GROUP = 100;
  private static final int PREFIX_BYTES = 8;
  private static final int UNCOMMITTED = 2_000;

  private static final String RESHARD = "reshard";
  private static final String ROCKS = "rocksdbjni";

  private final Path directory;
  private final int perCommit;
  private final byte[][] keys;
  private final byte[][] absent;
  private final byte[][] values;
  private final int[] order;
  private boolean recording;

  private LivePath(Path directory, int rows, int perCommit) {
    this.directory = directory;
    this.perCommit = perCommit;
    Rows source = new Rows(Rows.SEED, Rows.VALUE_BYTES);
    keys = new byte[rows][];
    absent = new byte[rows][];
    values = new byte[Math.min(rows, 4096)][];
    order = new int[rows];
    Random random = new Random(1);
    for (int i = 0; i < rows; i++) {
      keys[i] = source.key(i);
      absent[i] = source.key((long) rows + i);
      int j = random.nextInt(i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    Arrays.setAll(values, source::value);
  }

  /** Measures. */
  public static void main(String... args) throws Exception {
    Arguments arguments = Arguments.of(args);
    LivePath path =
        new LivePath(
            arguments.path("directory"),
            arguments.integer("rows", 400_000),
            arguments.integer("perCommit", 10_000));
    int rounds = arguments.integer("repeat", 5);
    for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
      path.recording = round >= 0;
      path.round();
    }
  }

  /** A store in an empty directory. */
  private interface Opener<S extends LiveStore> {
    S open(Path directory) throws Exception;
  }

  private void round() throws Exception {
    shard(RESHARD, LiveShard::new);
    shard(ROCKS, empty -> new LiveRocks(empty, false));
    ownWrites(RESHARD, LiveShard::new);
    ownWrites(ROCKS, empty -> new LiveRocks(empty, true));
    snapshots(RESHARD, empty -> new LiveKeyed(empty, PREFIX_BYTES), LiveKeyed::restore);
    snapshots(ROCKS, LiveRocksSnapshots::new, LiveRocksSnapshots::restore);
  }

  /** A shard by itself: one batch a commit, reads of what is committed. */
  private void shard(String rival, Opener<?> opener) throws Exception {
    Path empty = Directories.empty(directory.resolve("shard"));
    try (LiveStore store = opener.open(empty)) {
      write(rival, "put + commit", store, keys.length);
      store.flush();
      reads(rival, "", store, keys.length);
      time(rival, "get of a row that is not there", absent.length, () -> misses(store));
    }
    Directories.delete(empty);
  }

  private void misses(LiveStore store) throws Exception {
    for (byte[] key : absent) {
      if (store.get(key) != null) {
        throw new IllegalStateException("a row that nobody wrote");
      }
    }
  }

  /** The same where reads see writes that are not committed yet, as Reshard's always do. */
  private void ownWrites(String rival, Opener<?> opener) throws Exception {
    Path empty = Directories.empty(directory.resolve("shard"));
    try (LiveStore store = opener.open(empty)) {
      write(rival, "put + commit, own writes seen", store, keys.length);
      store.flush();
      for (int i = 0; i < Math.min(UNCOMMITTED, keys.length); i++) {
        store.put(keys[order[i]], values[i % values.length]);
      }
      int reads = keys.length / 2;
      time(rival, "get beside " + UNCOMMITTED + " own writes", reads, () -> gets(store, reads));
      time(rival, "get + put, commits", reads, () -> updates(store, reads));
    }
    Directories.delete(empty);
  }

  private void updates(LiveStore store, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      byte[] key = keys[pick(i, keys.length)];
      byte[] value = present(store.get(key));
      value[0]++;
      store.put(key, value);
      if ((i + 1) % perCommit == 0) {
        store.commit();
      }
    }
  }

  private interface Restore<S> {
    byte @Nullable [] restore(S store, byte[] key) throws Exception;
  }

  /** A store whose every commit is a snapshot. */
  private <S extends LiveStore> void snapshots(String rival, Opener<S> opener, Restore<S> restore)
      throws Exception {
    Path empty = Directories.empty(directory.resolve("keyed"));
    int rows = Math.min(keys.length, 10 * perCommit);
    try (S store = opener.open(empty)) {
      write(rival, "keyed store: put + commit + snapshot", store, rows);
      reads(rival, "keyed store: ", store, rows);
      time(
          rival,
          "keyed store: restore, per row",
          rows,
          () -> {
            present(restore.restore(store, keys[order[0]]));
          });
    }
    Directories.delete(empty);
  }

  private void write(String rival, String operation, LiveStore store, int rows) throws Exception {
    time(
        rival,
        operation,
        rows,
        () -> {
          for (int i = 0; i < rows; i++) {
            store.put(keys[order[i]], values[i % values.length]);
            if ((i + 1) % perCommit == 0) {
              store.commit();
            }
          }
          store.commit();
        });
  }

  private void reads(String rival, String where, LiveStore store, int rows) throws Exception {
    int reads = rows / 2 / GROUP * GROUP;
    time(rival, where + "get", reads, () -> gets(store, reads, rows));
    time(rival, where + "multiGet of " + GROUP, reads, () -> multiGets(store, reads, rows));
    time(rival, where + "scan, per row", rows, () -> expect(store.scan(true), rows));
    time(rival, where + "scan in reverse, per row", rows, () -> expect(store.scan(false), rows));
    int scans = reads / 8;
    time(rival, where + "scan of a prefix, 8 rows", scans, () -> prefixScans(store, scans, rows));
  }

  private void gets(LiveStore store, int count) throws Exception {
    gets(store, count, keys.length);
  }

  private void gets(LiveStore store, int count, int rows) throws Exception {
    for (int i = 0; i < count; i++) {
      expect(present(store.get(keys[pick(i, rows)])).length, Rows.VALUE_BYTES);
    }
  }

  /** One of the first {@code rows} rows written; every round the same, in no order. */
  private int pick(int i, int rows) {
    return order[(int) (((i * 2_654_435_761L) >>> 3) % rows)];
  }

  private void multiGets(LiveStore store, int count, int rows) throws Exception {
    for (int i = 0; i < count; i += GROUP) {
      byte[][] group = new byte[GROUP][];
      for (int j = 0; j < GROUP; j++) {
        group[j] = keys[pick(i + j, rows)];
      }
      for (byte[] value : store.multiGet(group)) {
        expect(present(value).length, Rows.VALUE_BYTES);
      }
    }
  }

  private void prefixScans(LiveStore store, int count, int rows) throws Exception {
    for (int i = 0; i < count; i++) {
      byte[] prefix = Arrays.copyOf(keys[pick(i, rows)], PREFIX_BYTES);
      if (store.scanPrefix(prefix) == 0) {
        throw new IllegalStateException("no row of a prefix that is there");
      }
    }
  }

  private static byte[] present(byte @Nullable [] value) {
    if (value == null) {
      throw new IllegalStateException("a row was lost");
    }
    return value;
  }

  private static void expect(long found, long expected) {
    if (found != expected) {
      throw new IllegalStateException("found " + found + ", expected " + expected);
    }
  }

  private interface Body {
    void run() throws Exception;
  }

  private void time(String rival, String operation, int count, Body body) throws Exception {
    long cpu = THREADS.getCurrentThreadCpuTime();
    long wall = System.nanoTime();
    body.run();
    long wallNanos = System.nanoTime() - wall;
    long nanos = THREADS.getCurrentThreadCpuTime() - cpu;
    if (recording) {
      Figure.of("live")
          .with("operation", operation)
          .with("rival", rival)
          .with("nanos", (double) nanos / count)
          .with("wallNanos", (double) wallNanos / count)
          .print();
    }
  }
}
