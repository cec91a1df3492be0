package io.reshard.repartition;

import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.PartitionKeys;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.PartitionKeyExtractor;
import io.reshard.spi.StateStoreException;

/**
 * Hashes rows of a column family by their partition key, without allocation. For one thread.
 *
 * <p>Where the partition key is a range of the key known beforehand, as mostly, no extractor is
 * asked.
 */
final class RowHash {
  private final ColumnFamily columnFamily;
  private final PartitionKeyExtractor extractor;
  private final Layout.Placer placer;
  private final boolean ranged;
  private final int skipped;
  private final int most;
  private final ByteView partitionKey = new ByteView();

  RowHash(Layout layout, ColumnFamily columnFamily) {
    this.columnFamily = columnFamily;
    PartitionKey declared = columnFamily.partitionKey();
    this.extractor = PartitionKeys.extractor(declared);
    this.placer = layout.placer();
    this.skipped = declared.kind() == PartitionKey.Kind.SKIP ? declared.bytes() : 0;
    this.most = declared.kind() == PartitionKey.Kind.FIRST ? declared.bytes() : Integer.MAX_VALUE;
    this.ranged =
        declared.kind() == PartitionKey.Kind.WHOLE
            || declared.kind() == PartitionKey.Kind.FIRST
            || declared.kind() == PartitionKey.Kind.SKIP;
  }

  /** {@link Layout.Placer#hash} of the partition key of {@code key}, given without slot prefix. */
  int hash(ByteView key) {
    if (ranged) {
      int from = Math.min(skipped, key.length());
      partitionKey.set(key.array(), key.offset() + from, Math.min(most, key.length() - from));
    } else {
      extract(key);
    }
    return placer.hash(partitionKey);
  }

  private void extract(ByteView key) {
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
  }

  /** The partition key of the last key hashed; valid as long as that key. */
  ByteView partitionKey() {
    return partitionKey;
  }
}
