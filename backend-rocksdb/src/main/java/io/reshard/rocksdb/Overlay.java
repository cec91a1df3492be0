package io.reshard.rocksdb;

import io.reshard.spi.ByteView;
import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import io.reshard.sst.SortedByteMap;
import org.jspecify.annotations.Nullable;

/**
 * The uncommitted writes of one column family that lie on the heap: values, and {@link #DELETED} in
 * the place of a value where a row is gone. Read by several threads as long as none changes it.
 */
final class Overlay {
  /** Says that a row is gone; told from an empty value by being this very array. */
  static final byte[] DELETED = new byte[0];

  private final SortedByteMap rows = new SortedByteMap();
  private long deletes;

  void put(byte[] key, byte[] value) {
    if (rows.put(key, value) == DELETED) {
      deletes--;
    }
  }

  void delete(byte[] key) {
    if (rows.put(key, DELETED) != DELETED) {
      deletes++;
    }
  }

  /** The value itself, {@link #DELETED}, or null if nothing was written to the key. */
  byte @Nullable [] get(byte[] key) {
    return rows.get(key);
  }

  /** What it holds now; deleted rows come with {@link #DELETED} as the array of their value. */
  SortedByteMap.Frozen freeze() {
    return rows.freeze();
  }

  static boolean isDeleted(ByteView value) {
    return value.array() == DELETED;
  }

  void clear() {
    rows.clear();
    deletes = 0;
  }

  long bytes() {
    return rows.bytes();
  }

  boolean isEmpty() {
    return rows.size() == 0;
  }

  /** Rows put less rows deleted: what it adds to an estimate of rows. */
  long rowsAdded() {
    return rows.size() - 2 * deletes;
  }

  /** Bytes that its rows take in a batch. */
  long batchBytes(int columnFamilyId) {
    long bytes = 0;
    try (StateIterator each = freeze().scan(ScanRange.all())) {
      while (each.next()) {
        int key = each.key().length();
        bytes +=
            isDeleted(each.value())
                ? BatchBytes.deleteBytes(columnFamilyId, key)
                : BatchBytes.putBytes(columnFamilyId, key, each.value().length());
      }
    }
    return bytes;
  }
}
