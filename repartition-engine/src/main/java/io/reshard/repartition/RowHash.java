package io.reshard.repartition;

import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.PartitionKeys;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKeyExtractor;
import io.reshard.spi.StateStoreException;

/** Hashes rows of a column family by their partition key, without allocation. For one thread. */
final class RowHash {
  private final ColumnFamily columnFamily;
  private final PartitionKeyExtractor extractor;
  private final Layout.Placer placer;
  private final ByteView partitionKey = new ByteView();

  RowHash(Layout layout, ColumnFamily columnFamily) {
    this.columnFamily = columnFamily;
    this.extractor = PartitionKeys.extractor(columnFamily.partitionKey());
    this.placer = layout.placer();
  }

  /** {@link Layout.Placer#hash} of the partition key of {@code key}, given without slot prefix. */
  int hash(ByteView key) {
    try {
      extractor.extract(key, partitionKey);
    } catch (StateStoreException e) {
      throw new StateStoreException(
          StateStoreException.Kind.CORRUPT,
          "a stored key of column family '"
              + columnFamily.name()
              + "' has no partition key: "
              + e.getMessage(),
          e);
    }
    return placer.hash(partitionKey);
  }

  /** The partition key of the last key hashed; valid as long as that key. */
  ByteView partitionKey() {
    return partitionKey;
  }
}
