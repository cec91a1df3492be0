package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.sst.EntryType;
import java.util.List;

/**
 * Writes the entries of one column family of one shard into as many SST files as the {@link
 * CutRule} says, and gives them to an {@link Upload}. Stored keys are given. Holds one open file
 * and its buffers. Used by one thread.
 */
public final class ShardFileWriter implements AutoCloseable {
  /**
   * A writer.
   *
   * @param layout the layout the files are for: decides where they end
   * @param level LSM level of the files
   */
  public ShardFileWriter(Upload upload, Layout layout, ColumnFamily columnFamily, int level) {
    this(upload, layout, columnFamily, level, EntryCheck.NONE);
  }

  /**
   * A writer.
   *
   * @param check is shown every entry as it is read back from the files written
   */
  public ShardFileWriter(
      Upload upload, Layout layout, ColumnFamily columnFamily, int level, EntryCheck check) {}

  /** Adds an entry, in order of stored keys, and descending sequence numbers for one key. */
  public void add(ByteView key, long sequence, EntryType type, ByteView value) {
    throw new UnsupportedOperationException("stub");
  }

  /** Ends the last file. */
  public List<FileHandle> finish() {
    throw new UnsupportedOperationException("stub");
  }

  /** Gives up what was not finished. */
  @Override
  public void close() {
    throw new UnsupportedOperationException("stub");
  }
}
