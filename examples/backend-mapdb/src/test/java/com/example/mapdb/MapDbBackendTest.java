package com.example.mapdb;

import io.reshard.spi.StateStoreProvider;
import io.reshard.tck.StateStoreTck;

class MapDbBackendTest extends StateStoreTck {
  @Override
  protected StateStoreProvider provider() {
    return new MapDbStateStoreProvider();
  }
}
