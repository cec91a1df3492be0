package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.util.function.Supplier;

/** Calls again what was UNAVAILABLE, where giving up would leave the outcome unknown. */
final class Retry {
  private static final int ATTEMPTS = 5;
  private static final long FIRST_PAUSE_MILLIS = 10;

  private Retry() {}

  /** Tries a few times, with pauses that double. */
  static <T> T unavailable(Supplier<T> call) {
    for (int attempt = 1; ; attempt++) {
      try {
        return call.get();
      } catch (StateStoreException e) {
        if (!e.isRetryable() || attempt == ATTEMPTS) {
          throw e;
        }
      }
      pause(FIRST_PAUSE_MILLIS << attempt);
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StateStoreException.unavailable(
          "interrupted while waiting to call the object store again", e);
    }
  }
}
