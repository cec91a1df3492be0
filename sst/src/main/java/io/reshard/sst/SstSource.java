package io.reshard.sst;

import java.nio.file.Path;

/** Positional reads from bytes that do not change. Thread-safe. */
public interface SstSource extends AutoCloseable {
  /** What errors call it. */
  String name();

  /** Length in bytes. */
  long size();

  /**
   * Reads exactly {@code length} bytes from {@code position}.
   *
   * @throws io.reshard.spi.StateStoreException CORRUPT if the range is beyond the end, UNAVAILABLE
   *     if reading fails, CLOSED after {@link #close()}
   */
  void read(long position, byte[] target, int offset, int length);

  @Override
  void close();

  /**
   * A file on local disk, opened now. An interrupt of a reading thread closes it, as it does every
   * {@link java.nio.channels.FileChannel}.
   *
   * @throws io.reshard.spi.StateStoreException UNAVAILABLE if it cannot be opened
   */
  static SstSource ofFile(Path path) {
    return FileSource.open(path);
  }

  /** Bytes in memory, not copied. */
  static SstSource ofBytes(String name, byte[] bytes) {
    return new MemorySource(name, bytes);
  }
}
