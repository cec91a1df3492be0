package io.reshard.repartition;

import io.reshard.checkpoint.EntryCheck;
import io.reshard.checkpoint.Layout;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.EntryType;

/** Checks of every entry read back from a written file that it hashes to the file's shard. */
final class ShardCheck implements EntryCheck {
  private final Layout layout;
  private final ColumnFamily columnFamily;
  private final int shard;
  private final boolean prefixed;
  private final RowHash rowHash;
  private final ByteView bare = new ByteView();

  ShardCheck(Layout layout, ColumnFamily columnFamily, int shard) {
    this.layout = layout;
    this.columnFamily = columnFamily;
    this.shard = shard;
    this.prefixed = layout.keyPrefix(columnFamily) > 0;
    this.rowHash = new RowHash(layout, columnFamily);
  }

  @Override
  public void check(ByteView key, EntryType type, ByteView value) {
    int hash = prefixed ? slot(key) : rowHash.hash(key);
    int found = layout.shardOfHash(hash);
    if (found != shard) {
      throw StateStoreException.internal(
          "proof failed: key "
              + key
              + " of column family '"
              + columnFamily.name()
              + "' was written to shard "
              + shard
              + " and hashes to shard "
              + found
              + " of "
              + layout.shards()
              + "; nothing is published, report this as a fault of Reshard",
          null);
    }
  }

  private int slot(ByteView key) {
    int slot = Slots.of(key);
    bare.set(key.array(), key.offset() + Layout.SLOT_BYTES, key.length() - Layout.SLOT_BYTES);
    int hash = rowHash.hash(bare);
    if (hash != slot) {
      throw StateStoreException.corrupt(
          "key "
              + bare
              + " of column family '"
              + columnFamily.name()
              + "', on its way to shard "
              + shard
              + ", is stored under slot "
              + slot
              + " and hashes to slot "
              + hash
              + "; verify the store, and repartition from a version that is sound");
    }
    return slot;
  }
}
