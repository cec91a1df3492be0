package io.reshard.checkpoint;

/** Opens object stores by location. */
public final class ObjectStores {
  private ObjectStores() {}

  /**
   * Opens a location: a path or a {@code file:} URI.
   *
   * @throws io.reshard.spi.StateStoreException INVALID if nothing here can open it
   */
  public static ObjectStore open(String location) {
    throw new UnsupportedOperationException("stub");
  }
}
