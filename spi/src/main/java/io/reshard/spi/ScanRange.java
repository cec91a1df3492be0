package io.reshard.spi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which keys a scan shows, and in which direction. Bounds are borrowed: they are not copied, and
 * must not change until the scan is closed.
 *
 * @param from first key shown, or null for no lower bound (inclusive in both directions)
 * @param to first key no longer shown, or null for no upper bound (exclusive in both directions)
 * @param direction ascending or descending
 */
@SuppressWarnings("ArrayRecordComponent") // Bounds are borrowed on purpose.
public record ScanRange(byte @Nullable [] from, byte @Nullable [] to, Direction direction) {
  /** Direction of a scan. */
  public enum Direction {
    /** Ascending keys. */
    FORWARD,
    /** Descending keys; needs {@link Capability#REVERSE_SCAN}. */
    REVERSE
  }

  private static final ScanRange ALL = new ScanRange(null, null, Direction.FORWARD);

  /** Every key, ascending. */
  public static ScanRange all() {
    return ALL;
  }

  /** Keys from {@code from} inclusive to {@code to} exclusive, ascending; null means no bound. */
  public static ScanRange between(byte @Nullable [] from, byte @Nullable [] to) {
    return new ScanRange(from, to, Direction.FORWARD);
  }

  /** Keys that start with {@code prefix}, ascending. An empty prefix is every key. */
  public static ScanRange prefix(byte[] prefix) {
    return new ScanRange(prefix, successor(prefix), Direction.FORWARD);
  }

  /** The same range, descending. */
  public ScanRange reversed() {
    return new ScanRange(
        from, to, direction == Direction.FORWARD ? Direction.REVERSE : Direction.FORWARD);
  }

  /** Whether no key can be in the range. */
  public boolean isEmpty() {
    return from != null && to != null && Arrays.compareUnsigned(from, to) >= 0;
  }

  /**
   * The least key greater than every key that starts with {@code prefix}; null if there is none.
   */
  static byte @Nullable [] successor(byte[] prefix) {
    int end = prefix.length;
    while (end > 0 && prefix[end - 1] == (byte) 0xff) {
      end--;
    }
    if (end == 0) {
      return null;
    }
    byte[] next = Arrays.copyOf(prefix, end);
    next[end - 1]++;
    return next;
  }
}
