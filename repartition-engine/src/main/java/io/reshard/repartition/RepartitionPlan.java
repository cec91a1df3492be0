package io.reshard.repartition;

import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.SetDigest;
import io.reshard.repartition.Work.SplitFile;
import io.reshard.repartition.Work.Task;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a repartition will do, made from metadata alone. Immutable, printable. A plan is the same
 * wherever it is made from the same version and number of shards, so those two are what to send to
 * another machine.
 */
public final class RepartitionPlan {
  /**
   * Nanoseconds of one core for an entry of a file that is cut: read 30, write with LZ4 200, read
   * back and digest 70. Measured with values of 100 bytes on two cores of 2025.
   */
  private static final double SPLIT_NANOS = 300;

  /**
   * Nanoseconds of one core for a row that is streamed: besides the above, merge 43, two hashes of
   * its partition key 36, digest 41.
   */
  private static final double STREAM_NANOS = 420;

  /** Stored bytes of an entry in those measurements; larger ones cost more. */
  private static final double USUAL_ENTRY_BYTES = 80;

  /** Nanoseconds for each stored byte above that: unpack, pack, checksum and digest it. */
  private static final double BYTE_NANOS = 2;

  /** Seconds for a request to local disk with its fsync. */
  private static final double REQUEST_SECONDS = 0.002;

  /** Bytes read by one request. */
  private static final long REQUEST_BYTES = 1L << 20;

  /** Requests to open a file: footer, index, properties. */
  private static final int OPEN_REQUESTS = 3;

  /** Requests at the end of a task: its pack, and its result. */
  private static final int TASK_REQUESTS = 2;

  /** Requests of a publish: shard lists, and the manifest. */
  private static final int PUBLISH_REQUESTS = 2;

  private final Manifest manifest;

  /** Held so that whoever publishes what was planned need not read the source's lists again. */
  @SuppressWarnings("UnusedVariable")
  private final List<List<FileRef>> sources;

  private final Layout target;
  private final long pairs;
  private final List<Task> tasks;
  private final Map<Integer, List<FileRef>> referenced;
  private final Map<String, SetDigest> digestsBySlots;
  private final long[] predictedBytes;
  private final List<String> advice;
  private final long filesReferenced;
  private final long bytesReferenced;

  RepartitionPlan(
      Manifest manifest,
      List<List<FileRef>> sources,
      Layout target,
      long pairs,
      List<Task> tasks,
      Map<Integer, List<FileRef>> referenced,
      Map<String, SetDigest> digestsBySlots,
      long[] predictedBytes,
      List<String> advice) {
    this.manifest = manifest;
    this.sources = sources;
    this.target = target;
    this.pairs = pairs;
    this.tasks = tasks;
    this.referenced = referenced;
    this.digestsBySlots = digestsBySlots;
    this.predictedBytes = predictedBytes;
    this.advice = advice;
    long files = 0;
    long bytes = 0;
    for (List<FileRef> shard : referenced.values()) {
      files += shard.size();
      for (FileRef file : shard) {
        bytes += file.length();
      }
    }
    this.filesReferenced = files;
    this.bytesReferenced = bytes;
  }

  Manifest manifest() {
    return manifest;
  }

  List<Task> taskList() {
    return tasks;
  }

  /** Files handed over as they are to a target shard. */
  List<FileRef> referenced(int targetShard) {
    return referenced.getOrDefault(targetShard, List.of());
  }

  /** Digests of the column families whose entries go over as they are, in the source. */
  Map<String, SetDigest> digestsBySlots() {
    return digestsBySlots;
  }

  /** Bytes of source files that are read, each as often as it is read. */
  long bytesToRead() {
    return tasks.stream().mapToLong(Task::bytes).sum();
  }

  /** The version it starts from. */
  public long sourceVersion() {
    return manifest.version();
  }

  /** The layout now. */
  public Layout source() {
    return manifest.layout();
  }

  /** The layout after. */
  public Layout target() {
    return target;
  }

  /** Pairs of source and target shard that can share rows. */
  public long pairs() {
    return pairs;
  }

  /** Number of independent tasks that rewrite something. */
  public int tasks() {
    return tasks.size();
  }

  /** Files handed over as they are. */
  public long filesReferenced() {
    return filesReferenced;
  }

  /** Bytes handed over as they are. */
  public long bytesReferenced() {
    return bytesReferenced;
  }

  /** Files that are read and written anew. */
  public long filesRewritten() {
    return manifest.files() - filesReferenced();
  }

  /** Bytes of files that are read and written anew. */
  public long bytesRewritten() {
    return manifest.bytes() - bytesReferenced();
  }

  /** Estimated requests to the object store: reads and writes. */
  public long requests() {
    long requests = PUBLISH_REQUESTS;
    for (Task task : tasks) {
      requests += TASK_REQUESTS;
      for (Work work : task.work()) {
        requests += (long) OPEN_REQUESTS * work.files() + work.bytes() / REQUEST_BYTES;
      }
    }
    return requests;
  }

  /** Estimated seconds with the given parallelism, on local disk. */
  public double estimatedSeconds(int parallelism) {
    double all = 0;
    double longest = 0;
    for (Task task : tasks) {
      double seconds = 0;
      for (Work work : task.work()) {
        seconds += seconds(work);
      }
      all += seconds;
      longest = Math.max(longest, seconds);
    }
    return Math.max(longest, all / Math.max(1, parallelism)) + PUBLISH_REQUESTS * REQUEST_SECONDS;
  }

  private static double seconds(Work work) {
    double perEntry = work instanceof SplitFile ? SPLIT_NANOS : STREAM_NANOS;
    double moreBytes = Math.max(0, work.bytes() - USUAL_ENTRY_BYTES * work.entries());
    return (perEntry * work.entries() + BYTE_NANOS * moreBytes) / 1e9
        + TASK_REQUESTS * REQUEST_SECONDS;
  }

  /**
   * Predicted bytes of every target shard: what is handed over, and of what is rewritten the share
   * by slots, or of a residue class the share by shards.
   */
  public List<Long> predictedShardBytes() {
    return Arrays.stream(predictedBytes).boxed().toList();
  }

  /**
   * What a person should know: such as that 199 to 200 is all to all, and which counts near it are
   * not.
   */
  public List<String> advice() {
    return advice;
  }

  /** The plan as text of several lines, for a person. */
  @Override
  public String toString() {
    long[] sorted = predictedBytes.clone();
    Arrays.sort(sorted);
    StringBuilder text = new StringBuilder();
    line(
        text,
        "repartition of version %d: %d to %d shards, %s layout, %d pairs",
        sourceVersion(),
        source().shards(),
        target.shards(),
        target.kind().label(),
        pairs);
    line(text, "  referenced  %,d files, %,d bytes", filesReferenced(), bytesReferenced());
    line(
        text,
        "  rewritten   %,d files, %,d bytes in %d tasks",
        filesRewritten(),
        bytesRewritten(),
        tasks());
    line(text, "  requests    about %,d", requests());
    line(
        text,
        "  time        about %.1f s with 1 core, %.1f s with 8",
        estimatedSeconds(1),
        estimatedSeconds(8));
    line(
        text,
        "  shards      smallest %,d, median %,d, largest %,d bytes",
        sorted[0],
        sorted[sorted.length / 2],
        sorted[sorted.length - 1]);
    for (String sentence : advice) {
      line(text, "  note        %s", sentence);
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
