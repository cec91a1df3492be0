package io.reshard.sst;

import io.reshard.spi.StateStoreException;
import java.util.Arrays;

/**
 * Collects the index while data blocks are written. Whether separators can be user keys is known
 * only at the end (not where a key's entries lie in two blocks), so each is kept as its internal
 * key and cut when the block is built.
 */
final class IndexBuilder {
  /** Sorts before every entry of its user key: the greatest sequence number. */
  private static final long FIRST_OF_KEY =
      SstCursor.MAX_SEQUENCE << 8 | (long) EntryType.PUT.code();

  private byte[] keys = new byte[4096];
  private int keyBytes;
  private int[] keyEnds = new int[64];
  private long[] offsets = new long[64];
  private long[] sizes = new long[64];
  private int count;
  private boolean userKeys = true;

  int count() {
    return count;
  }

  /** About the bytes of the index block. */
  long bytes() {
    return keyBytes + 8L * count;
  }

  /** Whether separators are user keys in the block built. */
  boolean userKeys() {
    return userKeys;
  }

  /**
   * Adds a block between two keys.
   *
   * @param last the last user key in it, with sequence number and type {@code packed}
   * @param next the first user key of the next block; empty range with {@code nextOffset} -1 if
   *     there is none
   */
  void add(
      byte[] last,
      int lastLength,
      long packed,
      byte[] next,
      int nextOffset,
      int nextLength,
      long blockOffset,
      long blockSize) {
    ensure(lastLength + SstCursor.TRAILER);
    int shortened = -1;
    if (nextOffset >= 0) {
      int difference =
          Arrays.mismatch(last, 0, lastLength, next, nextOffset, nextOffset + nextLength);
      userKeys &= difference >= 0;
      // A prefix of the next key, one byte beyond where the two part, lies between them unless it
      // is
      // the next key itself.
      if (difference >= 0 && difference + 1 < Math.min(nextLength, lastLength)) {
        System.arraycopy(next, nextOffset, keys, keyBytes, difference + 1);
        shortened = difference + 1;
      }
    }
    if (shortened < 0) {
      System.arraycopy(last, 0, keys, keyBytes, lastLength);
      Bytes.putLong(keys, keyBytes + lastLength, packed);
      keyBytes += lastLength + SstCursor.TRAILER;
    } else {
      Bytes.putLong(keys, keyBytes + shortened, FIRST_OF_KEY);
      keyBytes += shortened + SstCursor.TRAILER;
    }
    keyEnds[count] = keyBytes;
    offsets[count] = blockOffset;
    sizes[count] = blockSize;
    count++;
  }

  private void ensure(int keyLength) {
    long needed = (long) keyBytes + keyLength;
    if (needed > keys.length) {
      if (needed > Integer.MAX_VALUE - 64) {
        throw StateStoreException.invalid(
            "an index of " + needed + " bytes; end the file earlier, it has too many blocks");
      }
      keys =
          Arrays.copyOf(
              keys, (int) Math.min(Integer.MAX_VALUE - 64, Math.max(needed, keys.length * 2L)));
    }
    if (count == keyEnds.length) {
      keyEnds = Arrays.copyOf(keyEnds, count * 2);
      offsets = Arrays.copyOf(offsets, count * 2);
      sizes = Arrays.copyOf(sizes, count * 2);
    }
  }

  /** The index block, every key whole. */
  BlockBuilder build() {
    BlockBuilder block = new BlockBuilder(1, (int) Math.min(1 << 30, bytes() * 2 + 64));
    int start = 0;
    for (int i = 0; i < count; i++) {
      int length = keyEnds[i] - start - (userKeys ? SstCursor.TRAILER : 0);
      block.addIndexEntry(keys, start, length, offsets[i], sizes[i]);
      start = keyEnds[i];
    }
    return block;
  }
}
