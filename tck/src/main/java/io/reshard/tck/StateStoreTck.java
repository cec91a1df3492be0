package io.reshard.tck;

import io.reshard.spi.BackendOptions;
import io.reshard.spi.StateStoreProvider;

/** All suites of the kit, for one backend; run by JUnit. */
public abstract class StateStoreTck {
  /** Makes the kit; subclasses need nothing else. */
  protected StateStoreTck() {}

  /** The backend to prove. */
  protected abstract StateStoreProvider provider();

  /** The options it is started with. */
  protected BackendOptions backendOptions() {
    return BackendOptions.defaults();
  }
}
