package io.reshard.spi;

import java.nio.file.Path;
import java.util.List;

/**
 * Gives one shard's version during {@link ShardStore#importSnapshot}, whichever backend wrote it.
 * Used by one thread; valid until {@code importSnapshot} returns.
 */
public interface SnapshotReader {
  /** The version. */
  long version();

  /**
   * The rows of a column family, ascending: what is there, with deletes and overwrites resolved.
   */
  StateIterator rows(String columnFamily);

  /**
   * Puts every file of the version into {@code directory} (by hard link where it can be, as
   * read-only bytes that must not be changed in place) under names of its own, and lists them. For
   * backends that open SST files themselves; the others take {@link #rows}.
   */
  List<SnapshotFile> files(Path directory);
}
