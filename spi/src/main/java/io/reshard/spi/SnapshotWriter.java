package io.reshard.spi;

/**
 * Takes one shard's version during {@link ShardStore#exportSnapshot}. For each column family a
 * backend either adds its rows, or adds its files; an empty column family needs neither. Used by
 * one thread; valid until {@code exportSnapshot} returns.
 */
public interface SnapshotWriter {
  /**
   * Asks whether a file is already in the snapshot store; if so it is now part of this version too,
   * and must not be added.
   */
  boolean reuse(String fileId);

  /**
   * The same for a file that may have moved to another LSM level since it was added: {@code level}
   * is where it lies now.
   */
  default boolean reuse(String fileId, int level) {
    return reuse(fileId);
  }

  /**
   * Adds a file. Its bytes are read before this returns.
   *
   * @throws StateStoreException CORRUPT if it is not a sound SST; INCOMPATIBLE if it uses a feature
   *     that portable snapshots do not have
   */
  void addFile(SnapshotFile file);

  /**
   * Adds all rows of a column family, read from {@code rows} in strictly ascending order of keys.
   * The caller closes {@code rows}.
   *
   * @throws StateStoreException INVALID if the keys do not ascend
   */
  void addRows(String columnFamily, StateIterator rows);
}
