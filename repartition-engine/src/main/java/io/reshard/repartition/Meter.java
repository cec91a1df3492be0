package io.reshard.repartition;

import io.reshard.repartition.ProgressListener.Progress;
import io.reshard.spi.StateStoreException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all tasks of a run share: how far they are, and whether they are to stop. Thread-safe. A
 * task asks {@link #pause} after every some rows; it throws once the run was cancelled or another
 * task has failed.
 */
class Meter {
  private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final ProgressListener listener;
  private final BooleanSupplier cancelled;
  private final int tasks;
  private final long bytesToRead;
  private final long start = System.nanoTime();
  private final AtomicInteger tasksDone = new AtomicInteger();
  private final AtomicLong rows = new AtomicLong();
  private final AtomicLong bytesRead = new AtomicLong();
  private final AtomicBoolean reporting = new AtomicBoolean();
  private volatile long reported = start;
  private volatile @Nullable Throwable failure;

  Meter(ProgressListener listener, BooleanSupplier cancelled, int tasks, long bytesToRead) {
    this.listener = listener;
    this.cancelled = cancelled;
    this.tasks = tasks;
    this.bytesToRead = bytesToRead;
  }

  /** The first failure of the run stops every task; later ones are its consequences. */
  synchronized void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  /** What stopped the run, if anything did. */
  @Nullable Throwable failure() {
    return failure;
  }

  void addRows(long more) {
    rows.addAndGet(more);
  }

  void addBytesRead(long more) {
    bytesRead.addAndGet(more);
  }

  long rows() {
    return rows.get();
  }

  long bytesRead() {
    return bytesRead.get();
  }

  long nanos() {
    return System.nanoTime() - start;
  }

  /** A task is done, now or in an earlier run. */
  void taskDone() {
    tasksDone.incrementAndGet();
  }

  /** Reports if it is time, and throws if the run is to stop. */
  void pause() {
    Throwable cause = failure;
    if (cause != null) {
      throw StateStoreException.unavailable("stopped, because another task failed", cause);
    }
    if (cancelled.getAsBoolean()) {
      throw StateStoreException.unavailable(
          "repartition cancelled after "
              + tasksDone.get()
              + " of "
              + tasks
              + " tasks; nothing has changed, run it again to go on from there",
          null);
    }
    if (System.nanoTime() - reported >= REPORT_NANOS) {
      report();
    }
  }

  /** Tells the listener, unless another thread is just doing so. */
  void report() {
    if (!reporting.compareAndSet(false, true)) {
      return;
    }
    try {
      reported = System.nanoTime();
      listener.progress(
          new Progress(tasksDone.get(), tasks, rows.get(), bytesRead.get(), bytesToRead, nanos()));
    } catch (RuntimeException e) {
      throw StateStoreException.unavailable(
          "repartition cancelled: its progress listener failed; nothing has changed, run it again"
              + " to go on from there",
          e);
    } finally {
      reporting.set(false);
    }
  }

  /** Counts what is read of one source. */
  Reading reading(long bytes, long entries) {
    return new Reading(bytes, entries);
  }

  /** Counts the entries of a source, and pauses after every some of them. For one thread. */
  final class Reading {
    private static final int ENTRIES = 1024;
    private static final int BYTES = 1 << 20;

    private final long bytes;
    private final long entries;
    private long seen;
    private long counted;
    private int sincePause;
    private int bytesSincePause;

    private Reading(long bytes, long entries) {
      this.bytes = bytes;
      this.entries = entries;
    }

    /** An entry of {@code size} bytes was read. */
    void entry(int size) {
      seen++;
      sincePause++;
      bytesSincePause += size;
      if (sincePause >= ENTRIES || bytesSincePause >= BYTES) {
        // Files are compressed: what was read of them follows from the share of entries.
        count((long) ((double) bytes * Math.min(seen, entries) / entries));
        sincePause = 0;
        bytesSincePause = 0;
        pause();
      }
    }

    /** The source was read to its end. */
    void end() {
      count(bytes);
    }

    private void count(long until) {
      addBytesRead(until - counted);
      counted = until;
    }
  }
}
