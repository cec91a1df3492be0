package io.reshard.repartition;

import io.reshard.spi.ByteView;
import io.reshard.spi.PartitionKeyExtractor;

/** Bytes 3 and 4 of a key. */
public final class MiddlePart implements PartitionKeyExtractor {
  @Override
  public String name() {
    return "middle-part";
  }

  @Override
  public void extract(ByteView key, ByteView partitionKey) {
    partitionKey.set(key.array(), key.offset() + 3, 2);
  }
}
