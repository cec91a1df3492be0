package io.reshard.tck;

import io.reshard.rocksdb.RocksDbStateStoreProvider;
import io.reshard.spi.StateStoreProvider;

/** The kit on the RocksDB backend. */
class RocksDbBackendTest extends StateStoreTck {
  @Override
  protected StateStoreProvider provider() {
    return new RocksDbStateStoreProvider();
  }
}
