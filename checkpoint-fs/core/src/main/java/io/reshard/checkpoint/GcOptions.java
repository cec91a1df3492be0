package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.time.Duration;

/**
 * What garbage collection keeps. A version is kept if it is among the newest {@code keepVersions}
 * or younger than {@code keepAge}; the newest always.
 *
 * @param keepVersions number of versions to keep, at least 1
 * @param keepAge versions younger than this are kept
 * @param grace objects younger than this are kept even if nothing names them: their writer may be
 *     about to publish
 * @param dryRun only report
 */
public record GcOptions(int keepVersions, Duration keepAge, Duration grace, boolean dryRun) {
  private static final Duration MAX_AGE = Duration.ofDays(36_500);

  /** Checks the figures. */
  public GcOptions {
    if (keepVersions < 1) {
      throw StateStoreException.invalid(
          "keep " + keepVersions + " versions; at least 1 must be kept");
    }
    checkAge("versions younger than", keepAge);
    checkAge("a grace of", grace);
  }

  private static void checkAge(String what, Duration age) {
    if (age.isNegative() || age.compareTo(MAX_AGE) > 0) {
      throw StateStoreException.invalid(
          "keep " + what + " " + age + "; give 0 to " + MAX_AGE.toDays() + " days");
    }
  }

  /** Ten versions, no age, a grace of one day. */
  public static GcOptions defaults() {
    return new GcOptions(10, Duration.ZERO, Duration.ofDays(1), false);
  }
}
