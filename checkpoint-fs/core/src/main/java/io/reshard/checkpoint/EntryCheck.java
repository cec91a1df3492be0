package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.sst.EntryType;

/**
 * A second look at every entry while a written file is read back by {@link Upload#add}: such as
 * whether it lies in the shard it hashes to. Called once per entry, in order, by one thread; views
 * are borrowed until it returns.
 */
@FunctionalInterface
public interface EntryCheck {
  /** Checks nothing. */
  EntryCheck NONE = (key, type, value) -> {};

  /**
   * Looks at one entry.
   *
   * @param key the stored key, with slot prefix where there is one
   * @throws io.reshard.spi.StateStoreException if it is not as it must be; the upload of the file
   *     then fails with it
   */
  void check(ByteView key, EntryType type, ByteView value);
}
