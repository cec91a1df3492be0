package io.reshard.spi;

/**
 * What a backend may do beyond the required minimum. Declared by {@link
 * StateStoreProvider#capabilities()}; the conformance kit checks that what is declared works and
 * that what is not declared fails with {@link StateStoreException#unsupported}.
 */
public enum Capability {
  /** {@link ShardStore#scan} with {@link ScanRange.Direction#REVERSE}. */
  REVERSE_SCAN,
  /** {@link WriteBatch#deleteRange}. */
  DELETE_RANGE,
  /**
   * The last committed version is there again when the shard's directory is reopened, after a close
   * and after the death of the process alike.
   */
  PERSISTENT,
  /**
   * {@link ShardStore#exportSnapshot} hands over files and never hands over the same one twice: an
   * export costs what changed, not what there is.
   */
  INCREMENTAL_EXPORT
}
