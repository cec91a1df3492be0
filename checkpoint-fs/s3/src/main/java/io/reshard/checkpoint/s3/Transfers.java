package io.reshard.checkpoint.s3;

import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs the parts of large transfers on a bounded number of threads, which end when idle. */
final class Transfers implements AutoCloseable {
  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor pool;

  Transfers(int parallel) {
    AtomicInteger number = new AtomicInteger();
    this.pool =
        new ThreadPoolExecutor(
            parallel,
            parallel,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "reshard-s3-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs all; after the first failure the others are cancelled. Returns, or throws, when none is
   * running any more.
   *
   * @return their results, in order
   */
  <T> List<T> all(List<Callable<T>> tasks) {
    List<Future<T>> futures = new ArrayList<>();
    @Nullable RuntimeException failure = null;
    List<T> results = new ArrayList<>();
    boolean interrupted = false;
    try {
      for (Callable<T> task : tasks) {
        futures.add(pool.submit(task));
      }
    } catch (java.util.concurrent.RejectedExecutionException e) {
      failure = StateStoreException.closed("the object store");
      futures.forEach(f -> f.cancel(true));
    }
    for (int i = 0; i < futures.size(); ) {
      try {
        results.add(futures.get(i).get());
        i++;
      } catch (ExecutionException e) {
        failure = failure == null ? failure(e.getCause()) : failure;
        futures.forEach(f -> f.cancel(true));
        i++;
      } catch (CancellationException e) {
        i++;
      } catch (InterruptedException e) {
        interrupted = true;
        failure =
            StateStoreException.unavailable(
                "the thread was interrupted in the middle of a transfer; call again", e);
        futures.forEach(f -> f.cancel(true));
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw failure;
    }
    return results;
  }

  /** As it came, for the caller to judge; a task throws no checked exception of its own. */
  private static RuntimeException failure(@Nullable Throwable cause) {
    if (cause instanceof Error error) {
      throw error;
    }
    if (cause instanceof RuntimeException known) {
      return known;
    }
    return StateStoreException.internal("a part of a transfer failed: " + cause, cause);
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
