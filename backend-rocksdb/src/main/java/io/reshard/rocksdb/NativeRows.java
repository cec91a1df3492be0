package io.reshard.rocksdb;

import io.reshard.spi.ByteView;
import io.reshard.spi.ScanRange;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.AbstractNativeReference;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/**
 * A RocksDB iterator over a range in a direction, as of when it was made. Bounds are RocksDB's own,
 * so that it neither reads past them nor needs a comparison for each row here. Keys and values are
 * copied into arrays that are used over and over. Used by one thread at a time; the caller makes
 * sure that the database is open.
 */
final class NativeRows implements AutoCloseable {
  private final List<AbstractNativeReference> natives = new ArrayList<>(4);
  private final RocksIterator iterator;
  private final boolean forward;
  private boolean started;
  private byte[] key = new byte[64];
  private byte[] value = new byte[256];

  NativeRows(RocksDB db, ColumnFamilyHandle columnFamily, ScanRange range) {
    forward = range.direction() == ScanRange.Direction.FORWARD;
    ReadOptions options = new ReadOptions();
    if (range.from() != null) {
      Slice from = new Slice(range.from());
      natives.add(from);
      options.setIterateLowerBound(from);
    }
    if (range.to() != null) {
      Slice to = new Slice(range.to());
      natives.add(to);
      options.setIterateUpperBound(to);
    }
    natives.add(options);
    iterator = db.newIterator(columnFamily, options);
  }

  /** Steps to the next row and points {@code target} at its key; false if there is none. */
  boolean next(ByteView target) throws RocksDBException {
    if (!started) {
      started = true;
      if (forward) {
        iterator.seekToFirst();
      } else {
        iterator.seekToLast();
      }
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
    for (int i = natives.size() - 1; i >= 0; i--) {
      natives.get(i).close();
    }
    natives.clear();
  }
}
