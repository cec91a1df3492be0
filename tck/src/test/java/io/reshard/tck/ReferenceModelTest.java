package io.reshard.tck;

import io.reshard.spi.StateStoreProvider;

/** The kit on its own model. */
class ReferenceModelTest extends StateStoreTck {
  @Override
  protected StateStoreProvider provider() {
    return new ReferenceModel();
  }
}
