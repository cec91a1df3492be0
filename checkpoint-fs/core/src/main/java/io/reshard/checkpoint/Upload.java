package io.reshard.checkpoint;

import java.nio.file.Path;

/**
 * Takes new SST files of one writer to the object store: large files one by one, small ones packed
 * together into one object. Content that the store's parent version holds already is not sent
 * again. Thread-safe. Nothing it creates is visible until a manifest names it.
 */
public interface Upload extends AutoCloseable {
  /** A directory for the files on their way, on the file system where a link suffices. */
  Path directory();

  /**
   * Adds a finished SST file. It is read back from disk once: its entries are counted, digested and
   * hashed from those bytes, so what the reference says is what was written. The file is consumed;
   * it is sent meanwhile or later, and what goes wrong then {@link #flush} throws.
   *
   * @param keyPrefix bytes of slot in front of stored keys: 2 or 0
   * @param check is shown every entry as it is read back; what it throws ends the call
   * @throws io.reshard.spi.StateStoreException CORRUPT if it does not read back
   */
  FileHandle add(Path file, String columnFamily, int level, int keyPrefix, EntryCheck check);

  /** Adds a finished SST file without a check of one's own. */
  default FileHandle add(Path file, String columnFamily, int level, int keyPrefix) {
    return add(file, columnFamily, level, keyPrefix, EntryCheck.NONE);
  }

  /** Sends what was added so far; after it every handle given out has its reference. */
  void flush();

  /**
   * Ends the upload and deletes its directory; handles of files that were sent stay good. Close it
   * after the publish, or instead of it. Idempotent.
   */
  @Override
  void close();
}
