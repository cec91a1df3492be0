package io.reshard.sst;

import io.reshard.spi.StateStoreException;

/** Bytes in memory. */
final class MemorySource implements SstSource {
  private final String name;
  private final byte[] bytes;
  private volatile boolean closed;

  MemorySource(String name, byte[] bytes) {
    this.name = name;
    this.bytes = bytes;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() {
    return bytes.length;
  }

  @Override
  public void read(long position, byte[] target, int offset, int length) {
    if (closed) {
      throw StateStoreException.closed("SST file '" + name + "'");
    }
    checkRange(name, bytes.length, position, length);
    System.arraycopy(bytes, (int) position, target, offset, length);
  }

  /** CORRUPT unless the range lies within a file of {@code size} bytes. */
  static void checkRange(String name, long size, long position, int length) {
    if (position < 0 || length < 0 || position > size - length) {
      throw Faults.corrupt(
          name,
          position,
          "a read of " + length + " bytes goes beyond its end at " + size + " bytes");
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
