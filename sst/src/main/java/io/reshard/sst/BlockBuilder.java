package io.reshard.sst;

import io.reshard.spi.StateStoreException;
import java.util.Arrays;

/**
 * Puts a block together; the layout is that of {@link SstCursor} and {@link BlockTail}. The arrays
 * are kept from block to block.
 */
final class BlockBuilder {
  private static final int MAX_VARINT32 = 5;

  /** Larger arrays are given up after the block that needed them. */
  private static final int MOST_KEPT = 4 << 20;

  private final int restartInterval;
  private final int expectedBytes;
  private byte[] buffer;
  private int size;
  private int[] restarts = new int[16];
  private int restartCount;
  private int sinceRestart;

  BlockBuilder(int restartInterval, int expectedBytes) {
    this.restartInterval = restartInterval;
    this.expectedBytes = expectedBytes;
    this.buffer = new byte[expectedBytes];
    clear();
  }

  void clear() {
    if (buffer.length > MOST_KEPT && expectedBytes < MOST_KEPT) {
      buffer = new byte[expectedBytes];
    }
    size = 0;
    restarts[0] = 0;
    restartCount = 1;
    sinceRestart = 0;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Bytes of the block if finished now. */
  int bytes() {
    return size + (restartCount + 1) * Integer.BYTES;
  }

  /** The finished block; valid until {@link #clear()}. */
  byte[] array() {
    return buffer;
  }

  /**
   * Adds an entry whose key is an internal key.
   *
   * @param shared bytes that the user key shares with the one before
   * @param packed sequence number and type
   */
  void add(
      int shared,
      byte[] key,
      int keyOffset,
      int userLength,
      long packed,
      byte[] value,
      int valueOffset,
      int valueLength) {
    int common = restartOr(shared);
    int suffix = userLength - common;
    byte[] target = ensure(3 * MAX_VARINT32 + suffix + SstCursor.TRAILER + valueLength);
    int at = size;
    if ((common | (suffix + SstCursor.TRAILER) | valueLength) < 0x80) {
      target[at] = (byte) common;
      target[at + 1] = (byte) (suffix + SstCursor.TRAILER);
      target[at + 2] = (byte) valueLength;
      at += 3;
    } else {
      at = Bytes.putVarint(target, at, common);
      at = Bytes.putVarint(target, at, suffix + SstCursor.TRAILER);
      at = Bytes.putVarint(target, at, valueLength);
    }
    System.arraycopy(key, keyOffset + common, target, at, suffix);
    at += suffix;
    Bytes.putLong(target, at, packed);
    at += SstCursor.TRAILER;
    System.arraycopy(value, valueOffset, target, at, valueLength);
    size = at + valueLength;
  }

  /** Adds an entry with a whole key: of the metaindex or the properties. */
  void add(byte[] key, byte[] value) {
    int common = restartOr(0);
    byte[] target = ensure(3 * MAX_VARINT32 + key.length + value.length);
    int at = Bytes.putVarint(target, size, common);
    at = Bytes.putVarint(target, at, key.length);
    at = Bytes.putVarint(target, at, value.length);
    System.arraycopy(key, 0, target, at, key.length);
    System.arraycopy(value, 0, target, at + key.length, value.length);
    size = at + key.length + value.length;
  }

  /** Adds an index entry with a whole key, whose value tells its own length. */
  void addIndexEntry(byte[] key, int offset, int length, long blockOffset, long blockSize) {
    int common = restartOr(0);
    byte[] target = ensure(2 * MAX_VARINT32 + length + BlockHandle.MAX_BYTES);
    int at = Bytes.putVarint(target, size, common);
    at = Bytes.putVarint(target, at, length);
    System.arraycopy(key, offset, target, at, length);
    at = Bytes.putVarint(target, at + length, blockOffset);
    size = Bytes.putVarint(target, at, blockSize);
  }

  /** Starts a restart interval where it is due; else lets {@code shared} be. */
  private int restartOr(int shared) {
    if (sinceRestart < restartInterval) {
      return sinceRestart++ == 0 ? 0 : shared;
    }
    if (restartCount == restarts.length) {
      restarts = Arrays.copyOf(restarts, restartCount * 2);
    }
    restarts[restartCount++] = size;
    sinceRestart = 1;
    return 0;
  }

  /** Appends the tail; returns the length of the block in {@link #array()}. */
  int finish() {
    byte[] target = ensure((restartCount + 1) * Integer.BYTES);
    for (int i = 0; i < restartCount; i++) {
      Bytes.putInt(target, size + i * Integer.BYTES, restarts[i]);
    }
    Bytes.putInt(target, size + restartCount * Integer.BYTES, restartCount);
    return size + (restartCount + 1) * Integer.BYTES;
  }

  private byte[] ensure(int more) {
    long needed = (long) size + more;
    if (needed > buffer.length) {
      if (needed > Integer.MAX_VALUE - 64) {
        throw StateStoreException.invalid(
            "a block of " + needed + " bytes; end the file earlier, it has too many blocks");
      }
      buffer =
          Arrays.copyOf(
              buffer, (int) Math.min(Integer.MAX_VALUE - 64, Math.max(needed, buffer.length * 2L)));
    }
    return buffer;
  }
}
