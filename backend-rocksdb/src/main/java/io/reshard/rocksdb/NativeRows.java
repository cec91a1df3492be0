package io.reshard.rocksdb;

import io.reshard.spi.ByteView;
import io.reshard.spi.ScanRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/**
 * A RocksDB iterator over a range in a direction, as of when it was made. Where the range starts is
 * sought, where it ends is RocksDB's own bound, so that it neither reads past it nor needs a
 * comparison for each row here. Keys and values are copied into arrays that are used over and over.
 * Used by one thread at a time; the caller makes sure that the database is open.
 */
final class NativeRows implements AutoCloseable {
  private final ScanRange range;
  private final boolean forward;

  /** The range's end for RocksDB, and the options that name it; null where it has none. */
  private final @Nullable Slice end;

  private final @Nullable ReadOptions options;
  private final RocksIterator iterator;
  private boolean started;
  private byte[] key = new byte[64];
  private byte[] value = new byte[256];

  NativeRows(RocksDB db, ColumnFamilyHandle columnFamily, ScanRange range) {
    this.range = range;
    forward = range.direction() == ScanRange.Direction.FORWARD;
    byte[] bound = forward ? range.to() : range.from();
    if (bound == null) {
      end = null;
      options = null;
      iterator = db.newIterator(columnFamily);
    } else {
      end = new Slice(bound);
      options = new ReadOptions();
      if (forward) {
        options.setIterateUpperBound(end);
      } else {
        options.setIterateLowerBound(end);
      }
      iterator = db.newIterator(columnFamily, options);
    }
  }

  /** Stands on the first row of the range, if there is one. */
  private void start() {
    byte[] from = range.from();
    byte[] to = range.to();
    if (forward) {
      if (from == null) {
        iterator.seekToFirst();
      } else {
        iterator.seek(from);
      }
    } else if (to == null) {
      iterator.seekToLast();
    } else {
      iterator.seekForPrev(to);
      if (iterator.isValid() && Arrays.equals(iterator.key(), to)) {
        iterator.prev(); // The end of a range is not part of it.
      }
    }
  }

  /** Steps to the next row and points {@code target} at its key; false if there is none. */
  boolean next(ByteView target) throws RocksDBException {
    if (!started) {
      started = true;
      start();
    } else if (forward) {
      iterator.next();
    } else {
      iterator.prev();
    }
    if (!iterator.isValid()) {
      iterator.status();
      return false;
    }
    int length = iterator.key(key);
    if (length > key.length) {
      key = new byte[grown(length)];
      length = iterator.key(key);
    }
    target.set(key, 0, length);
    return true;
  }

  /** Points {@code target} at the value of the current row. */
  void value(ByteView target) {
    int length = iterator.value(value);
    if (length > value.length) {
      value = new byte[grown(length)];
      length = iterator.value(value);
    }
    target.set(value, 0, length);
  }

  private static int grown(int length) {
    return length + (length >> 1);
  }

  @Override
  public void close() {
    iterator.close();
    if (options != null) {
      options.close();
    }
    if (end != null) {
      end.close();
    }
  }
}
