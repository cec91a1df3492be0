package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Sends the files of an upload beside the threads that make them: a thread that has written a file
 * goes on with the next one while the last is forced to disk or on its way through a network, and
 * several on their way at once share what a disk does for one.
 *
 * <p>At most {@link #THREADS} are sent and as many wait; whoever brings one more sends it himself,
 * so files do not pile up. Thread-safe.
 */
final class Senders implements AutoCloseable {
  private static final int THREADS = 4;
  private static final long IDLE_SECONDS = 2;

  private final ThreadPoolExecutor pool;
  private final List<CompletableFuture<String>> sending = new ArrayList<>();

  Senders() {
    pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(THREADS),
            Senders::thread,
            (task, full) -> task.run());
    pool.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable runnable) {
    Thread thread = new Thread(runnable, "reshard-upload");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Sends something that is expected.
   *
   * @param object receives the name of the object made, or what {@code send} throws
   */
  void send(CompletableFuture<String> object, Supplier<String> send) {
    pool.execute(
        () -> {
          try {
            object.complete(send.get());
          } catch (Throwable e) {
            object.completeExceptionally(e);
          }
        });
  }

  /** What {@link #await} is to wait for, or to fail with. */
  void expect(CompletableFuture<String> object) {
    synchronized (sending) {
      sending.add(object);
    }
  }

  /**
   * Waits for what was expected before the call; throws if any of it failed, then and ever after.
   */
  void await() {
    List<CompletableFuture<String>> all;
    synchronized (sending) {
      all = List.copyOf(sending);
    }
    all.forEach(Senders::await);
    synchronized (sending) {
      sending.removeIf(object -> object.isDone() && !object.isCompletedExceptionally());
    }
  }

  /** The name of an object on its way. */
  static String await(CompletableFuture<String> object) {
    try {
      return object.join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof StateStoreException failed) {
        throw failed;
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw StateStoreException.internal("sending a file failed: " + cause, e);
    }
  }

  /** Ends when nothing is sent any more. */
  @Override
  public void close() {
    pool.shutdown();
    boolean interrupted = false;
    while (true) {
      try {
        if (pool.awaitTermination(1, TimeUnit.HOURS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
