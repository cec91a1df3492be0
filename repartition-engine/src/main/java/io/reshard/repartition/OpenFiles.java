package io.reshard.repartition;

import io.reshard.checkpoint.CutRule;
import io.reshard.checkpoint.FileRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many files a task may have open, so that the buffers of all tasks stay within {@link
 * RepartitionOptions#memoryBytes}: half of a task's part for what it reads, half for what it
 * writes.
 *
 * @param tasks tasks at once
 * @param taskBytes bytes of memory for each
 */
record OpenFiles(int tasks, long taskBytes) {
  /** Most files a task reads or writes at once, whatever the memory. */
  private static final int MOST = 1024;

  /** A reader's window of 256 KiB, a block of it unpacked, and what stands around them. */
  private static final long READER_BYTES = 300_000;

  /** A reader's index: a key and a handle for each block of 4 KiB, which is packed in the file. */
  private static final long FILE_BYTES_PER_INDEX_BYTE = 50;

  /** A writer's output buffer of 256 KiB, its block, packed and unpacked, and its index. */
  private static final long WRITER_BYTES = 400_000;

  /** A writer's filter: a hash of 8 bytes for each key until the file ends, then 10 bits. */
  private static final long WRITER_KEY_BYTES = 10;

  /** Bytes below which a task does not run beside others. */
  private static final long LEAST_TASK_BYTES = 8L << 20;

  /** The bounds that the options set. */
  static OpenFiles of(RepartitionOptions options) {
    long possible = options.memoryBytes() / LEAST_TASK_BYTES;
    int tasks = (int) Math.max(1, Math.min(options.parallelism(), possible));
    return new OpenFiles(tasks, options.memoryBytes() / tasks);
  }

  /**
   * What it takes to read something.
   *
   * @param files files open at once
   * @param bytes memory for them
   */
  record Cost(int files, long bytes) {
    static final Cost NOTHING = new Cost(0, 0);

    /** Of one file of {@code length} bytes. */
    static Cost ofFile(long length) {
      return new Cost(1, READER_BYTES + length / FILE_BYTES_PER_INDEX_BYTE);
    }

    /** Of files of one shard: those of level 0 at once, those of another level in turn. */
    static Cost of(List<FileRef> files) {
      Cost cost = NOTHING;
      Map<Integer, Long> levels = new HashMap<>();
      for (FileRef file : files) {
        if (file.level() == 0) {
          cost = cost.plus(ofFile(file.length()));
        } else {
          levels.merge(file.level(), file.length(), Math::max);
        }
      }
      for (long largest : levels.values()) {
        cost = cost.plus(ofFile(largest));
      }
      return cost;
    }

    Cost plus(Cost other) {
      return new Cost(files + other.files, bytes + other.bytes);
    }
  }

  /** Whether a task may read so much at once; two files it always may. */
  boolean canRead(Cost cost) {
    return cost.files <= 2 || (cost.files <= MOST && cost.bytes <= taskBytes / 2);
  }

  /**
   * Files a task may write at once.
   *
   * @param bytes bytes of all the files it reads
   * @param entries entries of them
   * @param targets shards it writes
   */
  int writers(long bytes, long entries, int targets) {
    double entryBytes = Math.max(1, (double) bytes / Math.max(1, entries));
    double most = CutRule.MAX_BYTES / entryBytes;
    double even = (double) entries / targets;
    // Twice the mean: shards are not even.
    long keys = (long) Math.min(most, 2 * even);
    return bounded(taskBytes / 2 / (WRITER_BYTES + WRITER_KEY_BYTES * keys));
  }

  private static int bounded(long files) {
    return (int) Math.max(2, Math.min(MOST, files));
  }
}
