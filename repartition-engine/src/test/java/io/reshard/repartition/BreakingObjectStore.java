package io.reshard.repartition;

import io.reshard.checkpoint.ObjectInfo;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An object store that is gone from its n-th operation on, as if the process had died there: that
 * one may have happened or not.
 */
final class BreakingObjectStore implements ObjectStore {
  private final ObjectStore delegate;
  private final AtomicLong left;
  private final boolean lastHappens;

  BreakingObjectStore(ObjectStore delegate, long operations, boolean lastHappens) {
    this.delegate = delegate;
    this.left = new AtomicLong(operations);
    this.lastHappens = lastHappens;
  }

  /** Whether it is gone. */
  boolean isBroken() {
    return left.get() < 0;
  }

  private boolean breaksNow() {
    long after = left.decrementAndGet();
    if (after < -1) {
      throw gone();
    }
    return after == -1;
  }

  private static StateStoreException gone() {
    return StateStoreException.unavailable("the object store is gone", null);
  }

  private void step() {
    if (breaksNow()) {
      throw gone();
    }
  }

  @Override
  public String location() {
    return delegate.location();
  }

  @Override
  public @Nullable SstSource open(String name) {
    step();
    return delegate.open(name);
  }

  @Override
  public @Nullable ObjectInfo info(String name) {
    step();
    return delegate.info(name);
  }

  @Override
  public boolean putIfAbsent(String name, byte[] content) {
    if (!breaksNow()) {
      return delegate.putIfAbsent(name, content);
    }
    if (lastHappens) {
      boolean unused = delegate.putIfAbsent(name, content);
    }
    throw gone();
  }

  @Override
  public boolean putIfAbsent(String name, Path file) {
    if (!breaksNow()) {
      return delegate.putIfAbsent(name, file);
    }
    if (lastHappens) {
      boolean unused = delegate.putIfAbsent(name, file);
    }
    throw gone();
  }

  @Override
  public List<ObjectInfo> list(String prefix, String after, int limit) {
    step();
    return delegate.list(prefix, after, limit);
  }

  @Override
  public void delete(String name) {
    step();
    delegate.delete(name);
  }

  @Override
  public Path stagingDirectory() {
    return delegate.stagingDirectory();
  }

  @Override
  public void close() {
    delegate.close();
  }
}
