package com.example.mapdb;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.Capability;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreProvider;
import java.util.Set;

/** Reshard on MapDB: one database file per shard. */
public final class MapDbStateStoreProvider implements StateStoreProvider {
  static final String NAME = "mapdb";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int spiVersion() {
    return SPI_VERSION;
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.PERSISTENT, Capability.REVERSE_SCAN);
  }

  @Override
  public String description() {
    return "MapDB: B+ trees in one file per shard; an example of a backend";
  }

  @Override
  public Backend start(BackendOptions options) {
    for (String option : options.options().keySet()) {
      throw StateStoreException.invalid(
          "backend 'mapdb' has no option '" + option + "'; it has none, leave it out");
    }
    return new MapDbBackend();
  }
}
