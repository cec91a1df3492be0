package io.reshard.checkpoint;

import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ShardStore;
import java.util.List;

/**
 * Takes one shard from a backend to the object store and back: one instance for each open shard,
 * for as long as it is open. It remembers which files of the backend are there already, so that
 * none is exported twice. Used by one thread at a time.
 */
public final class ShardSnapshots {
  /**
   * For a shard that holds nothing yet, or is about to be restored.
   *
   * @param shard its number in the layout
   */
  public ShardSnapshots(
      CheckpointStore store, Layout layout, int shard, List<ColumnFamily> columnFamilies) {}

  /**
   * Exports the shard's last commit into an upload. Nothing is remembered of it before {@link
   * #published}.
   *
   * @return the files of the shard, for {@link CheckpointStore#publish}
   */
  public List<FileHandle> export(ShardStore shard, Upload upload) {
    throw new UnsupportedOperationException("stub");
  }

  /** The last export is part of a published version: its files need not be exported again. */
  public void published() {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Replaces what the shard holds by files of a version.
   *
   * @throws io.reshard.spi.StateStoreException CORRUPT if a file holds keys of another shard, or is
   *     missing or damaged
   */
  public void restore(ShardStore shard, List<FileRef> files, long version) {
    throw new UnsupportedOperationException("stub");
  }
}
