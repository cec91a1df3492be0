package io.reshard.repartition;

/**
 * Told how a repartition gets on; called by several threads, one at a time, at most some times a
 * second.
 */
public interface ProgressListener {
  /**
   * How far it is.
   *
   * @param tasksDone tasks done
   * @param tasks tasks in all
   * @param rows rows written and read back
   * @param bytesRead bytes of source files read
   * @param bytesToRead bytes of source files to read in all
   * @param nanos time since the start
   */
  record Progress(
      int tasksDone, int tasks, long rows, long bytesRead, long bytesToRead, long nanos) {}

  /** Says nothing. */
  ProgressListener NONE = progress -> {};

  /** Reports the state. Must return soon; an exception it throws cancels the repartition. */
  void progress(Progress progress);
}
