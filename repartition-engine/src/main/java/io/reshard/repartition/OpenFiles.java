package io.reshard.repartition;

import io.reshard.checkpoint.CutRule;

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

  /** A reader's window of 1 MiB of a source file, a block of it unpacked, and its index. */
  private static final long READER_BYTES = 1_250_000;

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

  /** Files a task may read at once. */
  int readers() {
    return bounded(taskBytes / 2 / READER_BYTES);
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
