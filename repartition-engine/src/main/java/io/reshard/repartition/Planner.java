package io.reshard.repartition;

import io.reshard.checkpoint.CutRule;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.SetDigest;
import io.reshard.repartition.Work.SourceShard;
import io.reshard.repartition.Work.SplitFile;
import io.reshard.repartition.Work.StreamRows;
import io.reshard.repartition.Work.Task;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Makes plans out of manifests and shard lists.
 *
 * <p>Which source shards a target shard needs follows from arithmetic alone. With g = gcd(N, M):
 *
 * <ul>
 *   <li>modulo: a row in source s with s mod g = r goes to a target t with t mod g = r. The g
 *       residue classes have nothing to do with one another; each has N/g sources and M/g targets.
 *   <li>slots: every (N/g)-th boundary of the source is every (M/g)-th boundary of the target, so
 *       the g groups of neighbours have nothing to do with one another.
 * </ul>
 *
 * A group is one piece of work for each column family that is streamed. Few groups would keep most
 * cores idle, so a large group is done in several pieces, each for a range of keys: a source byte
 * is still read once, and what pieces write for one target lies one behind another on one level.
 * Where the ranges end is found when the work is done ({@link KeyRanges}); how many there are
 * follows from the sizes alone, so the plan is the same on every machine.
 */
final class Planner {
  /** A group is not divided into pieces that read less than this, in bytes. */
  static final long MIN_PIECE_BYTES = 16L << 20;

  /** How many pieces of work a large streamed column family has at least. */
  private static final int WANTED_PIECES = 4;

  /** Up to how many pieces more are better, so long as the files they write are not small. */
  private static final int MOST_PIECES = 32;

  /** What a piece should write for each target at least, in bytes: no less goes without a pack. */
  private static final long PIECE_FILE_BYTES = 1L << 20;

  /** Bounds of the bytes a task should read at least: less is not worth an object of its own. */
  private static final long MIN_TASK_BYTES = 64L << 10;

  private static final long MAX_TASK_BYTES = 64L << 20;

  /** How many tasks a plan should have at least, where the lower bound allows it. */
  private static final int WANTED_TASKS = 64;

  private final Manifest manifest;
  private final Layout source;
  private final Layout target;
  private final long minPieceBytes;
  private final int groups;
  private final Map<Integer, List<FileRef>> referenced = new HashMap<>();
  private final List<Work> work = new ArrayList<>();
  private final SlotBoundaries boundaries = new SlotBoundaries();
  private final Map<String, SetDigest> digestsBySlots = new HashMap<>();
  private final long[] predictedBytes;

  /** Sources of streamed work, by group and then column family. */
  private final TreeMap<Long, List<SourceShard>> streamed = new TreeMap<>();

  private long orderedBytes;

  private Planner(Manifest manifest, int targetShards, long minPieceBytes) {
    this.minPieceBytes = minPieceBytes;
    this.manifest = manifest;
    this.source = manifest.layout();
    this.target = source.withShards(targetShards);
    this.groups = Shards.gcd(source.shards(), targetShards);
    this.predictedBytes = new long[targetShards];
  }

  /**
   * Plans for {@code targetShards}, which is checked.
   *
   * @param files gives the files of every source shard, in order; not called for nonsense
   */
  static RepartitionPlan plan(
      Manifest manifest, Supplier<List<List<FileRef>>> files, int targetShards) {
    return plan(manifest, files, targetShards, MIN_PIECE_BYTES);
  }

  /** For tests, which divide small groups too. */
  static RepartitionPlan plan(
      Manifest manifest,
      Supplier<List<List<FileRef>>> files,
      int targetShards,
      long minPieceBytes) {
    Layout.checkShards(targetShards);
    if (manifest.layout().shards() == targetShards) {
      throw StateStoreException.invalid(
          "version "
              + manifest.version()
              + " has "
              + targetShards
              + " shards already; nothing to do, give another number of shards");
    }
    return new Planner(manifest, targetShards, minPieceBytes).plan(files.get());
  }

  private RepartitionPlan plan(List<List<FileRef>> files) {
    for (int shard = 0; shard < source.shards(); shard++) {
      placeFiles(shard, files.get(shard));
    }
    streamed.forEach(this::addStreamedWork);
    List<Task> tasks = tasks();
    PlanAdvice advice = new PlanAdvice(source, target, boundaries, orderedBytes, work);
    return new RepartitionPlan(
        manifest,
        files,
        target,
        pairs(source, target),
        tasks,
        referenced,
        digestsBySlots,
        predictedBytes,
        advice.sentences());
  }

  private void placeFiles(int shard, List<FileRef> files) {
    Map<String, List<FileRef>> byColumnFamily = new HashMap<>();
    for (FileRef file : files) {
      ColumnFamily columnFamily = manifest.columnFamily(file.columnFamily());
      if (manifest.keyPrefix(columnFamily) > 0) {
        placeBySlots(columnFamily, shard, file);
      } else {
        byColumnFamily.computeIfAbsent(file.columnFamily(), name -> new ArrayList<>()).add(file);
      }
    }
    for (int i = 0; i < manifest.columnFamilies().size(); i++) {
      List<FileRef> found = byColumnFamily.get(manifest.columnFamilies().get(i).name());
      if (found != null) {
        long key = (long) groupOf(shard) * ColumnFamily.MAX_COUNT + i;
        SourceShard sourceShard = new SourceShard(shard, List.copyOf(found));
        streamed.computeIfAbsent(key, k -> new ArrayList<>()).add(sourceShard);
        if (source.kind() == Layout.Kind.SLOTS) {
          orderedBytes += sourceShard.bytes();
          spread(sourceShard.bytes(), source.firstSlot(shard), source.firstSlot(shard + 1) - 1);
        }
      }
    }
  }

  /** A file that fits one target shard is handed over; any other is cut. */
  private void placeBySlots(ColumnFamily columnFamily, int shard, FileRef file) {
    int first = file.firstSlot();
    int last = file.lastSlot();
    if (first > last || source.shardOfSlot(first) != shard || source.shardOfSlot(last) != shard) {
      throw StateStoreException.corrupt(
          "file "
              + file.sha256()
              + " of shard "
              + shard
              + " holds slots "
              + first
              + " to "
              + last
              + "; the shard owns "
              + source.firstSlot(shard)
              + " to "
              + (source.firstSlot(shard + 1) - 1)
              + "; verify the store, and repartition from a version that is sound");
    }
    boundaries.add(first, last);
    file.addDigestTo(digestsBySlots.computeIfAbsent(columnFamily.name(), name -> new SetDigest()));
    spread(file.length(), first, last);
    int targetShard = target.shardOfSlot(first);
    if (targetShard == target.shardOfSlot(last)) {
      referenced.computeIfAbsent(targetShard, s -> new ArrayList<>()).add(file);
    } else {
      work.add(new SplitFile(columnFamily, shard, file));
    }
  }

  /** Spreads bytes evenly over slots {@code first} to {@code last}; every byte goes somewhere. */
  private void spread(long bytes, int first, int last) {
    int slots = last - first + 1;
    long done = 0;
    for (int shard = target.shardOfSlot(first); shard <= target.shardOfSlot(last); shard++) {
      long until = bytes * (Math.min(target.firstSlot(shard + 1), last + 1) - first) / slots;
      predictedBytes[shard] += until - done;
      done = until;
    }
  }

  private int groupOf(int sourceShard) {
    return source.kind() == Layout.Kind.MODULO
        ? sourceShard % groups
        : sourceShard / (source.shards() / groups);
  }

  private void addStreamedWork(long key, List<SourceShard> sources) {
    int group = (int) (key / ColumnFamily.MAX_COUNT);
    ColumnFamily columnFamily = manifest.columnFamilies().get((int) (key % ColumnFamily.MAX_COUNT));
    int count = target.shards() / groups;
    Shards targets =
        source.kind() == Layout.Kind.MODULO
            ? new Shards(group, groups, count)
            : new Shards(group * count, 1, count);
    StreamRows whole = new StreamRows(columnFamily, List.copyOf(sources), targets, 0, 1);
    long bytes = whole.bytes();
    if (source.kind() == Layout.Kind.MODULO) {
      for (int i = 0; i < count; i++) {
        predictedBytes[targets.get(i)] += bytes * (i + 1) / count - bytes * i / count;
      }
    }
    int pieces = pieces(bytes, count);
    for (int i = 0; i < pieces; i++) {
      work.add(new StreamRows(columnFamily, whole.sources(), targets, i, pieces));
    }
  }

  /** How many ranges of keys a group is divided into. */
  private int pieces(long bytes, int targets) {
    long perTarget = bytes / targets;
    long bySize = Math.min(perTarget / PIECE_FILE_BYTES, (MOST_PIECES + groups - 1) / groups);
    long pieces = Math.max(bySize, (WANTED_PIECES + groups - 1) / groups);
    // A target gets that many files anyway.
    pieces = Math.max(pieces, perTarget / CutRule.MAX_BYTES);
    return (int) Math.max(1, Math.min(pieces, bytes / minPieceBytes));
  }

  /** Puts neighbouring pieces together until a task is worth an object of its own. */
  private List<Task> tasks() {
    long total = work.stream().mapToLong(Work::bytes).sum();
    long enough = Math.max(MIN_TASK_BYTES, Math.min(MAX_TASK_BYTES, total / WANTED_TASKS));
    List<Task> tasks = new ArrayList<>();
    List<Work> gathered = new ArrayList<>();
    long bytes = 0;
    for (Work piece : work) {
      gathered.add(piece);
      bytes += piece.bytes();
      if (bytes >= enough) {
        tasks.add(new Task(tasks.size(), List.copyOf(gathered)));
        gathered.clear();
        bytes = 0;
      }
    }
    if (!gathered.isEmpty()) {
      tasks.add(new Task(tasks.size(), List.copyOf(gathered)));
    }
    return List.copyOf(tasks);
  }

  /** Pairs of source and target shard that can share rows. */
  static long pairs(Layout source, Layout target) {
    long n = source.shards();
    long m = target.shards();
    if (source.kind() == Layout.Kind.MODULO) {
      return n / Shards.gcd((int) n, (int) m) * m;
    }
    // Two rows of intervals over one line: as many overlaps as there are distinct boundaries.
    long pairs = 0;
    int s = 0;
    int t = 0;
    while (s < n && t < m) {
      pairs++;
      int sourceEnd = source.firstSlot(s + 1);
      int targetEnd = target.firstSlot(t + 1);
      s += sourceEnd <= targetEnd ? 1 : 0;
      t += targetEnd <= sourceEnd ? 1 : 0;
    }
    return pairs;
  }
}
