package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;

/** Checks ranges that were read from bytes. For whoever implements an {@link ObjectStore}. */
public final class Ranges {
  private Ranges() {}

  /**
   * Checks that a range lies within an object.
   *
   * @throws StateStoreException of kind CORRUPT if it does not
   */
  public static void check(String object, long size, long offset, long length) {
    if (offset < 0 || length < 0 || offset > size || length > size - offset) {
      throw StateStoreException.corrupt(
          "object '"
              + object
              + "' has "
              + size
              + " bytes, but "
              + length
              + " bytes from offset "
              + offset
              + " are expected in it; it was cut short, or whoever names them is damaged");
    }
  }
}
