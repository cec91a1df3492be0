package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.KeyedStore;
import io.reshard.checkpoint.Layout;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreProviders;
import java.nio.file.Path;
import java.util.List;

/** A store open in a backend, with the backend and the working directory it needs. */
final class StoreInUse implements AutoCloseable {
  /** Opens the keyed store once backend and directory are there. */
  private interface Opening {
    KeyedStore open(Backend backend, Path directory);
  }

  private final WorkDirectory directory;
  private final Backend backend;
  private final KeyedStore state;

  private StoreInUse(
      CheckpointStore checkpoints, String backendName, long memory, Opening opening) {
    BackendOptions options = BackendOptions.defaults().withMemoryBudget(memory);
    this.backend = StateStoreProviders.find(backendName).start(options);
    WorkDirectory made = null;
    try {
      made = WorkDirectory.in(checkpoints.objects().stagingDirectory());
      this.directory = made;
      this.state = opening.open(backend, made.path());
    } catch (RuntimeException | Error e) {
      backend.close();
      if (made != null) {
        made.close();
      }
      throw e;
    }
  }

  /** Starts a store that has no version yet. */
  static StoreInUse create(
      CheckpointStore checkpoints,
      String backendName,
      long memory,
      Layout layout,
      List<ColumnFamily> columnFamilies) {
    return new StoreInUse(
        checkpoints,
        backendName,
        memory,
        (backend, directory) ->
            KeyedStore.create(
                checkpoints, backend, backendName, directory, layout, columnFamilies));
  }

  /** Restores a version. */
  static StoreInUse open(
      CheckpointStore checkpoints, String backendName, long memory, long version) {
    return new StoreInUse(
        checkpoints,
        backendName,
        memory,
        (backend, directory) ->
            KeyedStore.open(checkpoints, backend, backendName, directory, version));
  }

  /** The keyed store. */
  KeyedStore state() {
    return state;
  }

  @Override
  public void close() {
    try (directory;
        backend;
        state) {
      // Closed in reverse order, whatever fails.
    }
  }
}
