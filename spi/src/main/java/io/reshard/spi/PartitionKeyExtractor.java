package io.reshard.spi;

/**
 * A partition key that no declarative form expresses, found by {@link java.util.ServiceLoader}
 * under its {@link #name()}. Must be on the class path of whoever writes or repartitions the column
 * family. Thread-safe, and the same answer for the same bytes for ever: the answers are on disk.
 */
public interface PartitionKeyExtractor {
  /** The name that {@link PartitionKey#named} cites. */
  String name();

  /**
   * Points {@code partitionKey} at the bytes of {@code key} that decide the shard; it may point
   * into the array of {@code key}.
   *
   * @throws StateStoreException of kind INVALID if the key is not of the expected form
   */
  void extract(ByteView key, ByteView partitionKey);
}
