package io.reshard.sst;

import java.util.Arrays;

/**
 * Where a block lies.
 *
 * <p>Written as two varint64: offset, size.
 *
 * @param offset offset in the file
 * @param size bytes as stored, without the 5-byte trailer
 */
record BlockHandle(long offset, long size) {
  /** Bytes behind each block: one of compression type, four of checksum. */
  static final int TRAILER = 5;

  /** Longest written form. */
  static final int MAX_BYTES = 2 * Bytes.MAX_VARINT;

  byte[] toBytes() {
    byte[] buffer = new byte[MAX_BYTES];
    int end = Bytes.putVarint(buffer, Bytes.putVarint(buffer, 0, offset), size);
    return Arrays.copyOf(buffer, end);
  }
}
