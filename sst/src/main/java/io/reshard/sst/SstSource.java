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
   *     if reading fails
   */
  void read(long position, byte[] target, int offset, int length);

  @Override
  void close();

  /** A file on local disk, opened now. */
  static SstSource ofFile(Path path) {
    throw new UnsupportedOperationException("stub");
  }

  /** Bytes in memory, not copied. */
  static SstSource ofBytes(String name, byte[] bytes) {
    throw new UnsupportedOperationException("stub");
  }
}
