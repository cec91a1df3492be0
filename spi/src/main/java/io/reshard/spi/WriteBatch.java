package io.reshard.spi;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes that are applied together and in order: within a batch the last write of a key wins.
 *
 * <p>All operations lie one behind another in a single growing array, so that adding one allocates
 * nothing once the array has grown, and a batch can be cleared and filled again. Layout of an
 * operation, integers big-endian: {@code byte type, byte columnFamilyIndex, int keyLength, int
 * valueLength, key, value}. For a range delete the value is the end of the range. It is a layout in
 * memory only.
 *
 * <p>Bytes given to a batch are copied into it at once. Not thread-safe.
 */
public final class WriteBatch {
  /** Receives the operations of a batch; views are valid until the method returns. */
  public interface Handler {
    /** A row to be there. */
    void put(String columnFamily, ByteView key, ByteView value);

    /** A row to be gone. */
    void delete(String columnFamily, ByteView key);

    /** Every row with {@code from <= key < to} to be gone. */
    void deleteRange(String columnFamily, ByteView from, ByteView to);
  }

  private static final int HEADER = 10;
  private static final byte PUT = 0;
  private static final byte DELETE = 1;
  private static final byte DELETE_RANGE = 2;

  /** A batch may hold at most 1 GiB. */
  private static final long MAX_BYTES = 1L << 30;

  private final Map<String, Integer> indexes = new HashMap<>();
  private String[] names = new String[4];
  private byte[] data = new byte[1024];
  private int end;
  private int count;
  private boolean hasDeleteRange;

  /** Adds a row; the last of several for the same key wins. */
  public WriteBatch put(String columnFamily, byte[] key, byte[] value) {
    append(PUT, columnFamily, key, 0, key.length, value, 0, value.length);
    return this;
  }

  /** Adds a row. */
  public WriteBatch put(String columnFamily, ByteView key, ByteView value) {
    append(
        PUT,
        columnFamily,
        key.array(),
        key.offset(),
        key.length(),
        value.array(),
        value.offset(),
        value.length());
    return this;
  }

  /** Removes a row; one that is not there is no error. */
  public WriteBatch delete(String columnFamily, byte[] key) {
    append(DELETE, columnFamily, key, 0, key.length, key, 0, 0);
    return this;
  }

  /** Removes a row; one that is not there is no error. */
  public WriteBatch delete(String columnFamily, ByteView key) {
    append(DELETE, columnFamily, key.array(), key.offset(), key.length(), key.array(), 0, 0);
    return this;
  }

  /**
   * Removes every row with {@code from <= key < to}. Needs {@link Capability#DELETE_RANGE} when the
   * batch is written.
   */
  public WriteBatch deleteRange(String columnFamily, byte[] from, byte[] to) {
    Limits.check(to.length, 0);
    append(DELETE_RANGE, columnFamily, from, 0, from.length, to, 0, to.length);
    hasDeleteRange = true;
    return this;
  }

  /** Number of operations. */
  public int count() {
    return count;
  }

  /** Whether there is nothing to write. */
  public boolean isEmpty() {
    return count == 0;
  }

  /** Bytes the operations take, headers included. */
  public int byteSize() {
    return end;
  }

  /** Whether {@link #deleteRange} was called since the last {@link #clear()}. */
  public boolean hasDeleteRange() {
    return hasDeleteRange;
  }

  /** Empties the batch and keeps its memory. */
  public void clear() {
    indexes.clear();
    end = 0;
    count = 0;
    hasDeleteRange = false;
  }

  /** The names of the column families written to, in order of first use. */
  public List<String> columnFamilies() {
    return List.of(Arrays.copyOf(names, indexes.size()));
  }

  /** Shows every operation to {@code handler}, in order. */
  public void forEach(Handler handler) {
    ByteView key = new ByteView();
    ByteView value = new ByteView();
    int at = 0;
    while (at < end) {
      byte type = data[at];
      String columnFamily = names[data[at + 1] & 0xff];
      int keyLength = getInt(at + 2);
      int valueLength = getInt(at + 6);
      key.set(data, at + HEADER, keyLength);
      value.set(data, at + HEADER + keyLength, valueLength);
      switch (type) {
        case PUT -> handler.put(columnFamily, key, value);
        case DELETE -> handler.delete(columnFamily, key);
        default -> handler.deleteRange(columnFamily, key, value);
      }
      at += HEADER + keyLength + valueLength;
    }
  }

  private void append(
      byte type,
      String columnFamily,
      byte[] key,
      int keyOffset,
      int keyLength,
      byte[] value,
      int valueOffset,
      int valueLength) {
    Limits.check(keyLength, valueLength);
    int size = HEADER + keyLength + valueLength;
    ensure(size);
    // What is refused leaves no name behind.
    int index = indexOf(columnFamily);
    data[end] = type;
    data[end + 1] = (byte) index;
    putInt(end + 2, keyLength);
    putInt(end + 6, valueLength);
    System.arraycopy(key, keyOffset, data, end + HEADER, keyLength);
    System.arraycopy(value, valueOffset, data, end + HEADER + keyLength, valueLength);
    end += size;
    count++;
  }

  private int indexOf(String columnFamily) {
    Integer known = indexes.get(columnFamily);
    if (known != null) {
      return known;
    }
    int index = indexes.size();
    if (index == ColumnFamily.MAX_COUNT) {
      throw StateStoreException.invalid(
          "a write batch touches more than " + ColumnFamily.MAX_COUNT + " column families");
    }
    if (index == names.length) {
      names = Arrays.copyOf(names, index * 2);
    }
    names[index] = columnFamily;
    indexes.put(columnFamily, index);
    return index;
  }

  private void ensure(int more) {
    long needed = (long) end + more;
    if (needed > MAX_BYTES) {
      throw StateStoreException.invalid(
          "a write batch of " + needed + " bytes; write and clear it before " + MAX_BYTES);
    }
    if (needed > data.length) {
      data = Arrays.copyOf(data, (int) Math.min(MAX_BYTES, Math.max(needed, data.length * 2L)));
    }
  }

  private void putInt(int at, int v) {
    data[at] = (byte) (v >>> 24);
    data[at + 1] = (byte) (v >>> 16);
    data[at + 2] = (byte) (v >>> 8);
    data[at + 3] = (byte) v;
  }

  private int getInt(int at) {
    return (data[at] & 0xff) << 24
        | (data[at + 1] & 0xff) << 16
        | (data[at + 2] & 0xff) << 8
        | (data[at + 3] & 0xff);
  }
}
