package io.reshard.repartition;

import io.reshard.checkpoint.Layout;
import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;

/** The slot in front of a stored key of a HASHED column family in a slots layout. */
final class Slots {
  private Slots() {}

  /** The slot of a stored key. */
  static int of(ByteView storedKey) {
    if (storedKey.length() < Layout.SLOT_BYTES) {
      throw StateStoreException.corrupt(
          "a stored key of "
              + storedKey.length()
              + " bytes has no slot in front; 2 bytes expected, verify the store");
    }
    return (storedKey.get(0) & 0xff) << 8 | (storedKey.get(1) & 0xff);
  }
}
