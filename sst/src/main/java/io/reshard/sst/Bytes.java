package io.reshard.sst;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Integers in byte arrays as RocksDB writes them: fixed width little-endian, and varints (base 128,
 * least significant group first, high bit set on all bytes but the last).
 */
final class Bytes {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG_BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Longest varint of 64 bits. */
  static final int MAX_VARINT = 10;

  private Bytes() {}

  static int getInt(byte[] array, int at) {
    return (int) INT.get(array, at);
  }

  static void putInt(byte[] array, int at, int value) {
    INT.set(array, at, value);
  }

  static long getLong(byte[] array, int at) {
    return (long) LONG.get(array, at);
  }

  static void putLong(byte[] array, int at, long value) {
    LONG.set(array, at, value);
  }

  /**
   * The first eight bytes as a number whose unsigned order is the order of the bytes; a shorter
   * range is filled up with zeros.
   */
  static long prefix(byte[] array, int offset, int length) {
    if (length >= Long.BYTES) {
      return (long) LONG_BIG_ENDIAN.get(array, offset);
    }
    long prefix = 0;
    for (int i = 0; i < length; i++) {
      prefix |= (array[offset + i] & 0xffL) << (56 - 8 * i);
    }
    return prefix;
  }

  /** Writes a varint, {@code value} taken as unsigned; returns the position after it. */
  static int putVarint(byte[] array, int at, long value) {
    int position = at;
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      array[position++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    array[position++] = (byte) rest;
    return position;
  }

  /** A varint in an array of its own. */
  static byte[] varint(long value) {
    byte[] buffer = new byte[MAX_VARINT];
    return Arrays.copyOf(buffer, putVarint(buffer, 0, value));
  }

  /**
   * Compares a key that is stored as a suffix with the key before it: the sign of new against
   * previous. Looks at no byte that both are known to share, so its cost is that of the suffix.
   *
   * @param shared bytes of {@code previous} that the new key starts with; may be more than the
   *     length of either, where something behind the key is shared as well
   * @param position where the suffix starts in {@code suffix}
   * @param length length of the new key
   */
  static int compareToPrevious(
      byte[] previous, int previousLength, int shared, byte[] suffix, int position, int length) {
    if (shared < previousLength && shared < length) {
      int difference = (suffix[position] & 0xff) - (previous[shared] & 0xff);
      return difference != 0
          ? difference
          : Arrays.compareUnsigned(
              suffix, position, position + length - shared, previous, shared, previousLength);
    }
    // One of the two is a prefix of the other.
    return Integer.compare(length, previousLength);
  }
}
