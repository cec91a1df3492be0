package io.reshard.sst;

import io.reshard.spi.ByteView;
import java.io.OutputStream;

/** Writes one SST file from entries in order. Used by one thread. */
public final class SstWriter implements AutoCloseable {
  private SstWriter() {}

  /**
   * Starts a file.
   *
   * @param name what errors call it
   * @param out receives the bytes in order, in large pieces; not closed by the writer
   */
  public static SstWriter create(String name, OutputStream out, SstWriterOptions options) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Adds an entry: user keys ascend, and sequence numbers descend for one key.
   *
   * @throws io.reshard.spi.StateStoreException INVALID if the order is violated
   */
  public void add(ByteView key, long sequence, EntryType type, ByteView value) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Bytes written so far plus the block being filled: what the file would about be if finished now.
   */
  public long estimatedBytes() {
    throw new UnsupportedOperationException("stub");
  }

  /** Entries added so far. */
  public long entries() {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Writes the rest: last block, filter, properties, index, footer.
   *
   * @return length of the file in bytes
   */
  public long finish() {
    throw new UnsupportedOperationException("stub");
  }

  /** Gives up a file that was not finished; does nothing after {@link #finish()}. */
  @Override
  public void close() {
    throw new UnsupportedOperationException("stub");
  }
}
