package io.reshard.checkpoint;

/**
 * Where whoever writes the files of a HASHED column family in a slots layout of N shards ends one
 * file and starts the next: at the boundaries the shards would have in the layouts 2N, 4N and 8N,
 * each as long as the file so far is large enough to be worth it. Growing by 2, 4 or 8 and
 * shrinking to a divisor then hand over whole files.
 */
public final class CutRule {
  /** Name of this rule; changes with it. */
  public static final String NAME = "2N-4N-8N";

  /** A file may end at a boundary of 2N from this size on, in bytes. */
  public static final long MIN_BYTES_2N = 4 << 10;

  /** A file may end at a boundary of 4N from this size on, in bytes. */
  public static final long MIN_BYTES_4N = 64 << 10;

  /** A file may end at a boundary of 8N from this size on, in bytes. */
  public static final long MIN_BYTES_8N = 256 << 10;

  /** A file ends at the next key from this size on, in bytes, whatever the layout. */
  public static final long MAX_BYTES = 64 << 20;

  private CutRule() {}

  /**
   * Whether a file should end between two neighbouring slots.
   *
   * @param shards N
   * @param slot slot of the last key in the file
   * @param nextSlot slot of the next key, greater than {@code slot}
   * @param fileBytes size of the file so far
   */
  public static boolean endsBetween(int shards, int slot, int nextSlot, long fileBytes) {
    return crosses(shards, slot, nextSlot)
        || (fileBytes >= MIN_BYTES_2N && crosses(2L * shards, slot, nextSlot))
        || (fileBytes >= MIN_BYTES_4N && crosses(4L * shards, slot, nextSlot))
        || (fileBytes >= MIN_BYTES_8N && crosses(8L * shards, slot, nextSlot));
  }

  private static boolean crosses(long shards, int slot, int nextSlot) {
    return slot * shards / Layout.SLOTS != nextSlot * shards / Layout.SLOTS;
  }
}
