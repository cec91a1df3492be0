package io.reshard.cli;

import java.time.Duration;
import java.util.Locale;

/** Numbers as a person reads them. */
final class Units {
  private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private Units() {}

  /** A size such as {@code 1.5 MiB}. */
  static String bytes(long bytes) {
    double value = (double) bytes;
    int unit = 0;
    while (value >= 1023.95 && unit < BYTE_UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0
        ? String.format(Locale.ROOT, "%.0f B", value)
        : String.format(Locale.ROOT, "%.1f %s", value, BYTE_UNITS[unit]);
  }

  /** A count such as {@code 1,234,567}. */
  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** Seconds such as {@code 0.42 s} or {@code 3 min 20 s}. */
  static String seconds(double seconds) {
    if (seconds < 100) {
      return String.format(Locale.ROOT, seconds < 10 ? "%.2f s" : "%.1f s", seconds);
    }
    long whole = Math.round(seconds);
    return whole < 3600
        ? whole / 60 + " min " + whole % 60 + " s"
        : whole / 3600 + " h " + whole / 60 % 60 + " min";
  }

  /** Seconds of nanoseconds. */
  static double toSeconds(long nanos) {
    return nanos / 1e9;
  }

  /** A factor such as {@code 1.23}. */
  static String factor(double factor) {
    return String.format(Locale.ROOT, "%.2f", factor);
  }

  /**
   * Reads a duration such as {@code 90s}, {@code 15m}, {@code 12h} or {@code 7d}; 0 needs no unit.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Duration duration(String text) {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    long count = leadingNumber(text, 1);
    return switch (text.charAt(text.length() - 1)) {
      case 's' -> Duration.ofSeconds(count);
      case 'm' -> Duration.ofMinutes(count);
      case 'h' -> Duration.ofHours(count);
      case 'd' -> Duration.ofDays(count);
      default -> throw new IllegalArgumentException("no unit");
    };
  }

  /**
   * Reads a size such as {@code 65536}, {@code 64k}, {@code 512m} or {@code 2g}.
   *
   * @throws IllegalArgumentException if it is none
   */
  static long size(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("empty");
    }
    int shift =
        switch (Character.toLowerCase(text.charAt(text.length() - 1))) {
          case 'k' -> 10;
          case 'm' -> 20;
          case 'g' -> 30;
          default -> 0;
        };
    long count = leadingNumber(text, shift == 0 ? 0 : 1);
    if (count > Long.MAX_VALUE >> shift) {
      throw new IllegalArgumentException("too large");
    }
    return count << shift;
  }

  private static long leadingNumber(String text, int suffix) {
    String digits = text.substring(0, Math.max(0, text.length() - suffix));
    if (digits.isEmpty()
        || digits.length() > 15
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new IllegalArgumentException("no number");
    }
    return Long.parseLong(digits);
  }
}
