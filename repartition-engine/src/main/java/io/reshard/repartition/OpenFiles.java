package io.reshard.repartition;

/**
 * How many files a task may have open, so that the buffers of all tasks stay within {@link
 * RepartitionOptions#memoryBytes}.
 *
 * @param tasks tasks at once
 * @param readers files read at once by each
 * @param writers files written at once by each
 */
record OpenFiles(int tasks, int readers, int writers) {
  /** A reader's window of a source file, a block of it unpacked, and its index. */
  static final long READER_BYTES = 1_250_000;

  /** A writer's output buffer, its block, the hashes for its filter, and its index. */
  static final long WRITER_BYTES = 2_000_000;

  /** Bytes below which a task does not run beside others. */
  private static final long TASK_BYTES = 8L << 20;

  /** The bounds that the options set. */
  static OpenFiles of(RepartitionOptions options) {
    long possible = options.memoryBytes() / TASK_BYTES;
    int tasks = (int) Math.max(1, Math.min(options.parallelism(), possible));
    long half = options.memoryBytes() / tasks / 2;
    return new OpenFiles(
        tasks,
        (int) Math.max(2, Math.min(1024, half / READER_BYTES)),
        (int) Math.max(2, Math.min(1024, half / WRITER_BYTES)));
  }
}
