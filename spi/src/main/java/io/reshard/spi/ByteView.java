package io.reshard.spi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A range of a byte array: what keys and values are while they are only looked at.
 *
 * <p>A view is mutable and reused: an iterator hands out the same instance for every row and points
 * it elsewhere at each step, so that a scan allocates nothing. Whoever wants to keep the bytes
 * calls {@link #toByteArray()}. Order is unsigned lexicographic, as everywhere in the SPI.
 *
 * <p>Not thread-safe.
 */
public final class ByteView implements Comparable<ByteView> {
  private static final byte[] EMPTY = new byte[0];

  private byte[] array;
  private int offset;
  private int length;

  /** An empty view. */
  public ByteView() {
    this.array = EMPTY;
  }

  /** A view of the whole of {@code array}, which is not copied. */
  public ByteView(byte[] array) {
    this(array, 0, array.length);
  }

  /** A view of {@code length} bytes of {@code array} from {@code offset}; nothing is copied. */
  public ByteView(byte[] array, int offset, int length) {
    this.array = array;
    set(array, offset, length);
  }

  /**
   * Points this view elsewhere.
   *
   * @throws IndexOutOfBoundsException if the range is not within {@code array}
   */
  public void set(byte[] array, int offset, int length) {
    if ((offset | length) < 0 || length > array.length - offset) {
      throw new IndexOutOfBoundsException(
          "range [" + offset + ", +" + length + ") of an array of " + array.length);
    }
    // Storing a reference costs the garbage collector's barrier; most rows lie in the same array.
    if (this.array != array) {
      this.array = array;
    }
    this.offset = offset;
    this.length = length;
  }

  /** The array behind this view; only the range is meant. */
  public byte[] array() {
    return array;
  }

  /** Where the range starts in {@link #array()}. */
  public int offset() {
    return offset;
  }

  /** Length of the range in bytes. */
  public int length() {
    return length;
  }

  /**
   * The byte at {@code index}, counted from the start of the range; not bounds-checked beyond the
   * array.
   */
  public byte get(int index) {
    return array[offset + index];
  }

  /** A copy that belongs to the caller. */
  public byte[] toByteArray() {
    return Arrays.copyOfRange(array, offset, offset + length);
  }

  /** Whether this range holds exactly the bytes of {@code other}. */
  public boolean contentEquals(byte[] other) {
    return Arrays.equals(array, offset, offset + length, other, 0, other.length);
  }

  /** Unsigned lexicographic comparison with a whole array. */
  public int compareTo(byte[] other) {
    return Arrays.compareUnsigned(array, offset, offset + length, other, 0, other.length);
  }

  @Override
  public int compareTo(ByteView other) {
    return Arrays.compareUnsigned(
        array, offset, offset + length, other.array, other.offset, other.offset + other.length);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof ByteView other && compareTo(other) == 0;
  }

  @Override
  public int hashCode() {
    int h = 1;
    for (int i = offset; i < offset + length; i++) {
      h = 31 * h + array[i];
    }
    return h;
  }

  /** Printable ASCII as text, anything else as hexadecimal; cut after 64 bytes. For messages. */
  @Override
  public String toString() {
    int shown = Math.min(length, 64);
    String more = shown < length ? "… (" + length + " bytes)" : "";
    for (int i = offset; i < offset + shown; i++) {
      if (array[i] < 0x20 || array[i] > 0x7e) {
        return "0x" + HexFormat.of().formatHex(array, offset, offset + shown) + more;
      }
    }
    return '"' + new String(array, offset, shown, StandardCharsets.US_ASCII) + '"' + more;
  }
}
