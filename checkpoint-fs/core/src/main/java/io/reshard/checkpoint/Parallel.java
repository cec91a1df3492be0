package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Runs a task for each of several shards on a bounded number of threads. */
final class Parallel {
  private Parallel() {}

  /**
   * Runs {@code task} for 0 to {@code count - 1}, at most {@code threads} at once, the calling
   * thread being one of them. After the first failure no further task is started. Returns, or
   * throws the first failure, when every started task has ended.
   */
  static void forEach(int threads, int count, IntConsumer task) {
    AtomicInteger next = new AtomicInteger();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Runnable worker =
        () -> {
          int i;
          while (failure.get() == null && (i = next.getAndIncrement()) < count) {
            try {
              task.accept(i);
            } catch (Throwable e) {
              failure.compareAndSet(null, e);
            }
          }
        };
    List<Thread> helpers = new ArrayList<>();
    for (int i = 1; i < Math.min(threads, count); i++) {
      Thread helper = new Thread(worker, "reshard-shards-" + i);
      helper.setDaemon(true);
      helper.start();
      helpers.add(helper);
    }
    worker.run();
    helpers.forEach(Parallel::join);
    rethrow(failure.get());
  }

  /** Waits even when interrupted: a task must not go on behind the caller's back. */
  private static void join(Thread helper) {
    boolean interrupted = false;
    while (helper.isAlive()) {
      try {
        helper.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void rethrow(@Nullable Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof StateStoreException known) {
      throw known;
    }
    if (failure != null) {
      throw StateStoreException.internal("a task of a shard failed: " + failure, failure);
    }
  }
}
