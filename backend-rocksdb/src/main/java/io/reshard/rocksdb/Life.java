package io.reshard.rocksdb;

import io.reshard.spi.ShardStore.State;
import io.reshard.spi.StateStoreException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a store is in its life (S-401, S-402), and what it answers when that is over. */
final class Life {
  private final Path directory;
  private volatile State state = State.OPEN;
  private volatile @Nullable StateStoreException failure;

  Life(Path directory) {
    this.directory = directory;
  }

  State state() {
    return state;
  }

  void checkOpen() {
    State now = state;
    if (now == State.OPEN) {
      return;
    }
    StateStoreException first = failure;
    if (now == State.FAILED && first != null) {
      throw new StateStoreException(
          first.kind(), "the store of " + directory + " has failed: " + first.getMessage(), first);
    }
    throw StateStoreException.closed("the store of " + directory);
  }

  /** Makes the store FAILED by its first error; returns {@code error} to be thrown. */
  synchronized StateStoreException fail(StateStoreException error) {
    if (state == State.OPEN) {
      failure = error;
      state = State.FAILED;
    }
    return error;
  }

  /** Ends it; says whether it had not ended before. */
  synchronized boolean close() {
    boolean first = state != State.CLOSED;
    state = State.CLOSED;
    return first;
  }
}
