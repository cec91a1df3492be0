package io.reshard.sst;

import io.reshard.spi.ByteView;

/**
 * A cursor over entries as they lie in files: ascending user keys, and for one key descending
 * sequence numbers. Starts before the first entry. Views are valid until the next call of {@link
 * #next()}. Used by one thread.
 */
public interface EntryCursor extends AutoCloseable {
  /** Steps to the next entry; false if there is none. */
  boolean next();

  /** The user key: the internal key without its 8-byte trailer. */
  ByteView key();

  /** The value; empty for deletes. */
  ByteView value();

  /** The sequence number, 0 to 2^56 - 1. */
  long sequence();

  /** What the entry says. */
  EntryType type();

  @Override
  void close();
}
