package io.reshard.sst;

import io.reshard.spi.StateStoreException;
import java.util.Arrays;

/**
 * Reads a range of a byte array from front to back and trusts nothing in it: whatever would leave
 * the range is CORRUPT. For everything but the rows themselves, which {@link SstCursor} decodes in
 * a loop of its own.
 */
final class ByteInput {
  private final String file;
  private final long origin;
  private final byte[] array;
  private final int start;
  private final int end;
  private int at;

  /**
   * Reads {@code array} from {@code start} to {@code end}.
   *
   * @param file what errors call the file
   * @param origin offset in the file of the block that the range belongs to, for errors
   */
  ByteInput(String file, long origin, byte[] array, int start, int end) {
    this.file = file;
    this.origin = origin;
    this.array = array;
    this.start = start;
    this.end = end;
    this.at = start;
  }

  int position() {
    return at;
  }

  int remaining() {
    return end - at;
  }

  boolean hasMore() {
    return at < end;
  }

  /** A varint that must be between 0 and 2^31 - 1. */
  int varint32(String what) {
    long value = varint64(what);
    if (value > Integer.MAX_VALUE) {
      throw corrupt(what + " of " + value + " is beyond 2^31 - 1");
    }
    return (int) value;
  }

  /** A varint that must be between 0 and 2^63 - 1. */
  long varint64(String what) {
    long value = rawVarint(what);
    if (value < 0) {
      throw corrupt(what + " of " + Long.toUnsignedString(value) + " is beyond 2^63 - 1");
    }
    return value;
  }

  /** A signed varint in zigzag form. */
  long zigzag(String what) {
    long value = rawVarint(what);
    return (value >>> 1) ^ -(value & 1);
  }

  private long rawVarint(String what) {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at == end) {
        throw corrupt(what + " runs beyond the end of its block");
      }
      byte b = array[at++];
      if (shift == 63 && (b & 0xfe) != 0) {
        break;
      }
      value |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw corrupt(what + " is a varint of more than 64 bits");
  }

  BlockHandle handle(String what) {
    long offset = varint64(what);
    return new BlockHandle(offset, varint64(what));
  }

  /** Skips {@code length} bytes; returns where they start. */
  int skip(int length, String what) {
    if (length < 0 || length > end - at) {
      throw corrupt(
          what + " of " + length + " bytes, but only " + (end - at) + " remain in its block");
    }
    int from = at;
    at += length;
    return from;
  }

  /** The array that positions are in. */
  byte[] array() {
    return array;
  }

  byte[] bytes(int length, String what) {
    int from = skip(length, what);
    return Arrays.copyOfRange(array, from, from + length);
  }

  StateStoreException corrupt(String what) {
    return Faults.corrupt(file, origin, what + " (byte " + (at - start) + " of the block)");
  }
}
