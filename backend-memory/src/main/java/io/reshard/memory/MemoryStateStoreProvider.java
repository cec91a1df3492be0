package io.reshard.memory;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.Capability;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreProvider;
import java.util.Set;
import java.util.TreeSet;

/**
 * The backend {@code memory}. It has no options, writes nothing to disk, and uses a shard's
 * directory as its name only: two stores of one directory cannot be open at once in a process.
 */
public final class MemoryStateStoreProvider implements StateStoreProvider {
  /** The name of the backend. */
  public static final String NAME = "memory";

  /** A provider; does nothing. */
  public MemoryStateStoreProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int spiVersion() {
    return StateStoreProvider.SPI_VERSION;
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.REVERSE_SCAN, Capability.DELETE_RANGE);
  }

  @Override
  public String description() {
    return "sorted maps in memory; for tests and small state";
  }

  @Override
  public Backend start(BackendOptions options) {
    if (!options.options().isEmpty()) {
      throw StateStoreException.invalid(
          "backend 'memory' has no options, but was given "
              + new TreeSet<>(options.options().keySet())
              + "; remove them");
    }
    return new MemoryBackend();
  }
}
