package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.PartitionKeys;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateIterator;
import io.reshard.sst.Cursors;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of a version straight from its files, without a backend: keys without slot prefix,
 * deletes and overwrites resolved.
 */
final class StateReader {
  /** Takes rows; returns whether it wants more. */
  interface RowHandler {
    /** Takes a row; the views are valid until it returns. */
    boolean row(ByteView key, ByteView value);
  }

  private final CheckpointStore store;
  private final Manifest manifest;
  private final ColumnFamily columnFamily;
  private final int keyPrefix;

  StateReader(CheckpointStore store, Manifest manifest, ColumnFamily columnFamily) {
    this.store = store;
    this.manifest = manifest;
    this.columnFamily = columnFamily;
    this.keyPrefix = manifest.keyPrefix(columnFamily);
  }

  /** Shows every row of a shard; returns whether the handler wanted all. */
  boolean scan(int shard, RowHandler handler) {
    ByteView key = new ByteView();
    List<FileRef> files = files(shard);
    try (StateIterator rows = Cursors.rows(store.entries(files, columnFamily.name()))) {
      while (rows.next()) {
        ByteView stored = rows.key();
        key.set(stored.array(), stored.offset() + keyPrefix, stored.length() - keyPrefix);
        if (!handler.row(key, rows.value())) {
          return false;
        }
      }
    }
    return true;
  }

  private List<FileRef> files(int shard) {
    return store.files(manifest, shard).stream()
        .filter(f -> f.columnFamily().equals(columnFamily.name()))
        .toList();
  }

  /** The shard of a key. */
  int shardOf(byte[] key) {
    return manifest.layout().placer().shard(partitionKey(key));
  }

  /** The value of a key, or null; reads only files that can hold it. */
  byte @Nullable [] get(byte[] key) {
    byte[] stored = storedKey(key);
    List<FileRef> files =
        files(shardOf(key)).stream()
            .filter(
                f ->
                    Arrays.compareUnsigned(f.smallestKey(), stored) <= 0
                        && Arrays.compareUnsigned(f.largestKey(), stored) >= 0)
            .toList();
    try (StateIterator rows = Cursors.rows(store.entries(files, columnFamily.name()))) {
      while (rows.next()) {
        int order = rows.key().compareTo(stored);
        if (order >= 0) {
          return order == 0 ? rows.value().toByteArray() : null;
        }
      }
    }
    return null;
  }

  private byte[] storedKey(byte[] key) {
    if (keyPrefix == 0) {
      return key;
    }
    int slot = manifest.layout().placer().slot(partitionKey(key));
    byte[] stored = new byte[Layout.SLOT_BYTES + key.length];
    stored[0] = (byte) (slot >>> 8);
    stored[1] = (byte) slot;
    System.arraycopy(key, 0, stored, Layout.SLOT_BYTES, key.length);
    return stored;
  }

  private ByteView partitionKey(byte[] key) {
    ByteView partitionKey = new ByteView();
    PartitionKeys.extractor(columnFamily.partitionKey()).extract(new ByteView(key), partitionKey);
    return partitionKey;
  }
}
