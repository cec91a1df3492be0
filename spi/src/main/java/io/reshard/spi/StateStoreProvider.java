package io.reshard.spi;

import java.util.Set;

/**
 * A kind of backend, found by {@link java.util.ServiceLoader} (name the implementation in {@code
 * META-INF/services/io.reshard.spi.StateStoreProvider}). Stateless and thread-safe, with a public
 * constructor that takes nothing and does nothing.
 */
public interface StateStoreProvider {
  /**
   * The SPI version these interfaces are. A method added later is {@code default} and comes with a
   * {@link Capability}; the number rises when an old backend could no longer work.
   */
  int SPI_VERSION = 1;

  /**
   * S-011: the name users choose it by: 1 to 32 characters of {@code a-z 0-9 -}, a letter first.
   */
  String name();

  /**
   * S-012: the SPI version it was written for: {@code return StateStoreProvider.SPI_VERSION;}. The
   * compiler puts the number of then into the class file; one that does not fit is INCOMPATIBLE
   * when the backend is looked up.
   */
  int spiVersion();

  /** S-013: what it can do beyond the minimum; the same set at every call. */
  Set<Capability> capabilities();

  /** One line for a list of backends. */
  String description();

  /**
   * Starts the backend: what all shards of this process share. S-014: an unknown option is INVALID;
   * several may be started, and know nothing of one another.
   *
   * @throws StateStoreException of kind INVALID for an unknown option or one out of range
   */
  Backend start(BackendOptions options);
}
