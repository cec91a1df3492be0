package io.reshard.cli;

import io.reshard.spi.ByteView;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes a tuple of values so that the order of the bytes is the order of the tuples, and no two
 * different tuples of the same types have the same bytes. This is the format of the keys and values
 * that {@code reshard load} stores; {@link TupleReader} reads it. The types are not in the bytes:
 * they are those of the columns in the version's properties ({@link RowSchema}).
 *
 * <pre>
 *   tuple   = value*
 *   text    = UTF-8 bytes with each 00 written as 00 FF, then 00 01
 *   int     = 8 bytes, big-endian, sign bit flipped
 *   time    = int, microseconds since 1970-01-01T00:00:00Z
 *   double  = 8 bytes, big-endian: the IEEE 754 bits, all flipped if negative, else the sign bit
 *             flipped; -0.0 is written as 0.0, every NaN as the canonical one
 *   bool    = 00 or 01
 * </pre>
 *
 * <p>In values, where a column may be absent, 00 (absent) or 01 stands in front of each.
 *
 * <p>Text ends with 00 01 because 00 01 is less than 00 FF: "a" comes before "a\0", and what
 * follows in the tuple cannot be mistaken for text. The idea is that of FoundationDB's tuple layer.
 */
final class TupleWriter {
  private byte[] bytes = new byte[128];
  private int length;

  /** Starts a new tuple. */
  void clear() {
    length = 0;
  }

  /** Appends text. It must not hold unpaired surrogates. */
  void text(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    ensure(2L * utf8.length + 2);
    for (byte b : utf8) {
      bytes[length++] = b;
      if (b == 0) {
        bytes[length++] = (byte) 0xff;
      }
    }
    bytes[length++] = 0;
    bytes[length++] = 1;
  }

  /** Appends a whole number or a time. */
  void number(long value) {
    bigEndian(value ^ Long.MIN_VALUE);
  }

  /** Appends a double. */
  void real(double value) {
    long bits = Double.doubleToLongBits(value == 0 ? 0.0 : value);
    bigEndian(bits < 0 ? ~bits : bits ^ Long.MIN_VALUE);
  }

  /** Appends a truth value, or says whether a column is there. */
  void bool(boolean value) {
    ensure(1);
    bytes[length++] = (byte) (value ? 1 : 0);
  }

  private void bigEndian(long value) {
    ensure(8);
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes[length++] = (byte) (value >>> shift);
    }
  }

  private void ensure(long more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.toIntExact(Math.max(length + more, bytes.length * 2L)));
    }
  }

  /** Length of the tuple so far. */
  int length() {
    return length;
  }

  /** Points {@code view} at the tuple; valid until the next change. */
  void view(ByteView view) {
    view.set(bytes, 0, length);
  }

  /** A copy of the tuple. */
  byte[] toByteArray() {
    return Arrays.copyOf(bytes, length);
  }
}
