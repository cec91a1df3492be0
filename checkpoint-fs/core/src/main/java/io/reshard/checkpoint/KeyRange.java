package io.reshard.checkpoint;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Stored keys from one to another, in unsigned lexicographic order. All entries of a key are in the
 * same ranges.
 *
 * @param from the first key, or null for no bound
 * @param to the first key beyond, or null for no bound
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, not compared.
public record KeyRange(byte @Nullable [] from, byte @Nullable [] to) {
  /** Every key. */
  public static final KeyRange ALL = new KeyRange(null, null);

  /** Whether a file may have a key of this range. */
  public boolean overlaps(FileRef file) {
    return (from == null || Arrays.compareUnsigned(file.largestKey(), from) >= 0)
        && (to == null || Arrays.compareUnsigned(file.smallestKey(), to) < 0);
  }
}
