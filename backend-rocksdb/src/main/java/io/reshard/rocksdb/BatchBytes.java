package io.reshard.rocksdb;

import io.reshard.spi.ByteView;
import java.util.Arrays;

/**
 * Builds a write batch in the form RocksDB itself keeps it in, so that a batch of any number of
 * rows crosses into native code once instead of once for each row.
 *
 * <p>The form (RocksDB, db/write_batch.cc), integers little-endian: 8 bytes sequence number (0, set
 * by RocksDB), 4 bytes count of records, then records. A record is a type byte (1 put, 0 delete, or
 * with a column family other than the default one 5 put, 4 delete), for 5 and 4 the column family's
 * id as a varint32, then the key and, for puts, the value, each with its length in front as a
 * varint32.
 */
final class BatchBytes {
  /** Bytes in front of the records. */
  static final int HEADER_BYTES = 12;

  private static final int COUNT_AT = 8;
  private static final byte DELETE = 0;
  private static final byte PUT = 1;
  private static final byte COLUMN_FAMILY_DELETE = 4;
  private static final byte COLUMN_FAMILY_PUT = 5;

  private byte[] data;
  private int end = HEADER_BYTES;
  private int count;

  BatchBytes(int expectedBytes) {
    data = new byte[Math.max(HEADER_BYTES, expectedBytes)];
  }

  /** Bytes of a put record. */
  static long putBytes(int columnFamilyId, int keyLength, int valueLength) {
    return deleteBytes(columnFamilyId, keyLength) + lengthBytes(valueLength) + valueLength;
  }

  /** Bytes of a delete record. */
  static long deleteBytes(int columnFamilyId, int keyLength) {
    long id = columnFamilyId == 0 ? 0 : lengthBytes(columnFamilyId);
    return 1 + id + lengthBytes(keyLength) + keyLength;
  }

  private static int lengthBytes(int value) {
    return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
  }

  void put(int columnFamilyId, ByteView key, ByteView value) {
    ensure(putBytes(columnFamilyId, key.length(), value.length()));
    tag(columnFamilyId, PUT, COLUMN_FAMILY_PUT);
    append(key);
    append(value);
    count++;
  }

  void delete(int columnFamilyId, ByteView key) {
    ensure(deleteBytes(columnFamilyId, key.length()));
    tag(columnFamilyId, DELETE, COLUMN_FAMILY_DELETE);
    append(key);
    count++;
  }

  /** Bytes so far. */
  int size() {
    return end;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** The finished batch; the builder is empty again. */
  byte[] finish() {
    for (int i = 0; i < 4; i++) {
      data[COUNT_AT + i] = (byte) (count >>> (8 * i));
    }
    byte[] finished = data;
    if (end == data.length) {
      data = new byte[HEADER_BYTES];
    } else {
      finished = Arrays.copyOf(data, end);
    }
    end = HEADER_BYTES;
    count = 0;
    return finished;
  }

  private void ensure(long more) {
    long needed = end + more;
    if (needed > data.length) {
      // Callers keep a batch far below 2 GiB; Math.toIntExact makes sure of it.
      data = Arrays.copyOf(data, Math.toIntExact(Math.max(needed, data.length * 2L)));
    }
  }

  private void tag(int columnFamilyId, byte plain, byte withColumnFamily) {
    if (columnFamilyId == 0) {
      data[end++] = plain;
    } else {
      data[end++] = withColumnFamily;
      varint(columnFamilyId);
    }
  }

  private void append(ByteView bytes) {
    varint(bytes.length());
    System.arraycopy(bytes.array(), bytes.offset(), data, end, bytes.length());
    end += bytes.length();
  }

  private void varint(int value) {
    int rest = value;
    while ((rest & ~0x7f) != 0) {
      data[end++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    data[end++] = (byte) rest;
  }
}
