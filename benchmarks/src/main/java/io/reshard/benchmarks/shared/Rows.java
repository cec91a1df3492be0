package io.reshard.benchmarks.shared;

import java.util.Arrays;

/**
 * The rows that all rivals are given: row i is the same for everyone who names the same seed and
 * size of values. Made, not stored, so that ten million of them take no space.
 *
 * <p>A key has 16 to 24 bytes: 8 that eight rows share (an entity), 8 of its own (an event), and up
 * to 8 more. A value is half random and half repetitive, which LZ4 takes to a little more than half
 * its size.
 */
public final class Rows {
  /** Bytes of a value where nothing else is said. */
  public static final int VALUE_BYTES = 100;

  /** Seed where nothing else is said. */
  public static final long SEED = 42;

  private static final int ENTITY_ROWS = 8;
  private static final long GAMMA = 0x9e3779b97f4a7c15L;

  private final long seed;
  private final int valueBytes;

  /** Rows with values of {@code valueBytes} bytes. */
  public Rows(long seed, int valueBytes) {
    this.seed = seed;
    this.valueBytes = valueBytes;
  }

  /** Bytes of every value. */
  public int valueBytes() {
    return valueBytes;
  }

  /** The key of a row; no two rows have the same. */
  public byte[] key(long row) {
    byte[] key = new byte[keyBytes(row)];
    putLong(key, 0, mix(seed + GAMMA * (row / ENTITY_ROWS + 1)));
    putLong(key, 8, mix(seed ^ row));
    Arrays.fill(key, 16, key.length, (byte) 'k');
    return key;
  }

  private static int keyBytes(long row) {
    return 16 + (int) (row % 9);
  }

  /** The value of a row. */
  public byte[] value(long row) {
    byte[] value = new byte[valueBytes];
    int random = valueBytes / 2;
    long state = mix(seed * 31 + row);
    int at = 0;
    for (; at + 8 <= random; at += 8) {
      state += GAMMA;
      putLong(value, at, mix(state));
    }
    for (; at < valueBytes; at++) {
      value[at] = (byte) ('a' + (at & 7));
    }
    return value;
  }

  /** A bijection of longs, so that different rows have different events (splitmix64). */
  private static long mix(long x) {
    long z = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  private static void putLong(byte[] bytes, int at, long value) {
    for (int i = 0; i < 8; i++) {
      bytes[at + i] = (byte) (value >>> (56 - 8 * i));
    }
  }
}
