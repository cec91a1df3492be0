package io.reshard.checkpoint;

import java.util.Set;

/**
 * Opens the locations of some URI schemes. Found by {@link java.util.ServiceLoader}: a module names
 * its provider in {@code META-INF/services/io.reshard.checkpoint.ObjectStoreProvider}.
 */
public interface ObjectStoreProvider {
  /** The schemes it opens, in lower case and without the colon, such as {@code s3}. */
  Set<String> schemes();

  /**
   * Opens a location whose scheme is one of {@link #schemes}. Need not reach the place: that it
   * cannot be reached may show at the first call.
   *
   * @throws io.reshard.spi.StateStoreException INVALID if the location or an option is malformed
   */
  ObjectStore open(String location, StoreOptions options);
}
