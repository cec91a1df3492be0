package io.reshard.tck;

import io.reshard.memory.MemoryStateStoreProvider;
import io.reshard.spi.StateStoreProvider;

/** The kit on the memory backend. */
class MemoryBackendTest extends StateStoreTck {
  @Override
  protected StateStoreProvider provider() {
    return new MemoryStateStoreProvider();
  }
}
