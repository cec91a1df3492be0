package io.reshard.checkpoint.s3;

import io.reshard.spi.StateStoreException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * One operation's patience. Requests that fail for a passing reason are sent again, after a pause
 * between nothing and a bound that doubles up to {@link #MAX_PAUSE_MILLIS}: a service that asks to
 * slow down is not answered by a crowd in step. All requests of an operation share one budget: the
 * time for which none of them succeeds. So an operation ends, and a large transfer is not given up
 * for having taken long. The SDK's own repetition is switched off; here is known what a second
 * attempt may meet: the first one's success.
 *
 * <p>Thread-safe.
 */
final class Attempts {
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long MAX_PAUSE_MILLIS = 10_000;

  private final RequestCounter counter;
  private final Duration budget;

  /** When the first failure after the last success was, by {@link System#nanoTime}. */
  private long failingSince;

  private boolean failing;

  Attempts(RequestCounter counter, Duration budget) {
    this.counter = counter;
    this.budget = budget;
  }

  /**
   * Sends a request until it is answered.
   *
   * @param what for errors
   * @param let answers with these statuses are thrown as they came, for the caller to judge
   * @throws StateStoreException what the answer means
   */
  <T> T call(String what, Supplier<T> request, Set<Integer> let) {
    for (int failures = 0; ; failures++) {
      try {
        T answer = request.get();
        succeeded();
        return answer;
      } catch (StateStoreException e) {
        throw e;
      } catch (RuntimeException e) {
        if (let.contains(S3Errors.status(e)) && !S3Errors.isNoBucket(e)) {
          throw e;
        }
        if (!S3Errors.isTransient(e)) {
          throw S3Errors.of(what, e);
        }
        pause(what, failures, e);
      }
    }
  }

  private synchronized void succeeded() {
    failing = false;
  }

  private synchronized Duration sinceFirstFailure() {
    long now = System.nanoTime();
    if (!failing) {
      failing = true;
      failingSince = now;
    }
    return Duration.ofNanos(now - failingSince);
  }

  /**
   * Waits before another attempt.
   *
   * @param failures how many there were before this one
   * @throws StateStoreException UNAVAILABLE if the budget is used up or the thread interrupted
   */
  void pause(String what, int failures, RuntimeException failure) {
    long bound = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures, 20));
    long millis = ThreadLocalRandom.current().nextLong(bound + 1);
    Duration used = sinceFirstFailure();
    if (used.plusMillis(millis).compareTo(budget) > 0) {
      throw StateStoreException.unavailable(
          what
              + " failed "
              + (failures + 1)
              + " times in "
              + used.toSeconds()
              + " s, the last time: "
              + S3Errors.of("it", failure).getMessage()
              + ". The option s3.retry-budget says how long to try",
          failure);
    }
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StateStoreException.unavailable(
          what + " failed, and the thread was interrupted before it was tried again", e);
    }
    counter.retried();
  }
}
