package io.reshard.sst;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Builds the filter block that RocksDB calls a full filter of its built-in Bloom filter policy
 * (util/bloom_impl.h, FastLocalBloomImpl), with ten bits a key:
 *
 * <pre>
 *   filter  = line* byte 0xff, byte 0, byte probes, 2 zeros
 *   line    = 64 bytes; a key has all its bits in one of them
 * </pre>
 *
 * <p>With h = {@link FilterHash} of a user key, the line is {@code (low half of h) * lines >>> 32};
 * bit i of a key is the upper 9 bits of {@code (high half of h) * 0x9e3779b9^i}.
 *
 * <p>Memory until {@link #build}: 8 bytes a key.
 */
final class BloomFilterBuilder {
  private static final int BITS_PER_KEY = 10;

  /** What RocksDB chooses for ten bits a key. */
  private static final int PROBES = 6;

  private static final int LINE = 64;
  private static final int TAIL = 5;
  private static final int GOLDEN_RATIO = 0x9e3779b9;
  private static final int MAX_BYTES = Integer.MAX_VALUE - 1024;
  private static final int CHUNK = 1 << 13;

  private final List<long[]> full = new ArrayList<>();
  private long[] chunk = new long[256];
  private int used;

  /** Adds a user key; the caller leaves out repetitions of the key before. */
  void add(byte[] key, int offset, int length) {
    if (used == chunk.length) {
      grow();
    }
    chunk[used++] = FilterHash.hash(key, offset, length);
  }

  private void grow() {
    if (chunk.length < CHUNK) {
      chunk = Arrays.copyOf(chunk, chunk.length * 2);
      return;
    }
    full.add(chunk);
    chunk = new long[CHUNK];
    used = 0;
  }

  /** Number of keys added. */
  long count() {
    return (long) full.size() * CHUNK + used;
  }

  /** The filter block. */
  byte[] build() {
    long wanted = (count() * BITS_PER_KEY + 7) / 8;
    int lines = (int) ((Math.min(wanted, MAX_BYTES - LINE) + LINE - 1) / LINE);
    byte[] filter = new byte[lines * LINE + TAIL];
    for (long[] hashes : full) {
      addAll(filter, lines, hashes, hashes.length);
    }
    addAll(filter, lines, chunk, used);
    int tail = lines * LINE;
    filter[tail] = (byte) 0xff;
    filter[tail + 2] = PROBES;
    return filter;
  }

  private static void addAll(byte[] filter, int lines, long[] hashes, int count) {
    for (int i = 0; i < count; i++) {
      long hash = hashes[i];
      int line = (int) (((hash & 0xffffffffL) * lines) >>> 32) * LINE;
      int bits = (int) (hash >>> 32);
      for (int probe = 0; probe < PROBES; probe++) {
        int bit = bits >>> (32 - 9);
        filter[line + (bit >>> 3)] |= (byte) (1 << (bit & 7));
        bits *= GOLDEN_RATIO;
      }
    }
  }
}
