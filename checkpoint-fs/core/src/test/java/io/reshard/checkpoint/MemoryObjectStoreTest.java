package io.reshard.checkpoint;

import io.reshard.checkpoint.testing.FaultyObjectStore;
import io.reshard.checkpoint.testing.MemoryObjectStore;
import java.time.InstantSource;
import org.jspecify.annotations.NullUnmarked;

/** The object stores for tests keep the contract themselves. */
@NullUnmarked
class MemoryObjectStoreTest extends ObjectStoreContract {
  private MemoryObjectStore first;

  @Override
  protected ObjectStore open() {
    if (first == null) {
      first = new MemoryObjectStore(directory.resolve("staging"), InstantSource.system());
    }
    return new FaultyObjectStore(first.client(), 1);
  }
}
