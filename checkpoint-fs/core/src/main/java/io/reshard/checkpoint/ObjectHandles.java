package io.reshard.checkpoint;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Open objects, shared. A pack holds many files, and a file is opened many times: each object is
 * opened once and stays open for a while.
 *
 * <p>An object has one reference for being in the cache and one for every user; it is closed when
 * the last is given back. So evicting one in use does not close it under its user, and at most
 * {@link #IDLE} objects are open that nobody uses.
 */
final class ObjectHandles implements AutoCloseable {
  /** Most objects kept open without a user. */
  static final int IDLE = 128;

  private final ObjectStore objects;
  private final Cache<String, Shared> cache;

  ObjectHandles(ObjectStore objects) {
    this.objects = objects;
    this.cache =
        Caffeine.newBuilder()
            .maximumSize(IDLE)
            .executor(Runnable::run)
            .<String, Shared>removalListener(
                (name, shared, cause) -> {
                  if (shared != null) {
                    shared.release();
                  }
                })
            .build();
  }

  /**
   * A part of an object; close it.
   *
   * @throws StateStoreException CORRUPT if the object does not exist or does not have that part
   */
  SstSource open(String object, long offset, long length) {
    Shared shared = acquire(object);
    if (shared == null) {
      throw missing(object);
    }
    try {
      Ranges.check(object, shared.source.size(), offset, length);
      return new Part(object, shared, offset, length);
    } catch (StateStoreException e) {
      shared.release();
      throw e;
    }
  }

  /** The error where an object is not there that must be. */
  StateStoreException missing(String object) {
    return StateStoreException.corrupt(
        "object '"
            + object
            + "' is missing in "
            + objects.location()
            + "; if the version that names it was retired by garbage collection meanwhile, use a"
            + " newer version, else restore the object from a copy");
  }

  private @Nullable Shared acquire(String object) {
    while (true) {
      Shared shared =
          cache.get(
              object,
              name -> {
                SstSource source = objects.open(name);
                return source == null ? null : new Shared(source);
              });
      if (shared == null || shared.retain()) {
        return shared;
      }
      cache.asMap().remove(object, shared); // It was evicted and closed in between.
    }
  }

  /** Forgets an object that was deleted. */
  void forget(String object) {
    cache.invalidate(object);
  }

  /** Objects open now; for tests. */
  long size() {
    cache.cleanUp();
    return cache.estimatedSize();
  }

  @Override
  public void close() {
    cache.invalidateAll();
    cache.cleanUp();
  }

  private static final class Shared {
    private final SstSource source;
    private final AtomicInteger references = new AtomicInteger(1);

    Shared(SstSource source) {
      this.source = source;
    }

    boolean retain() {
      return references.getAndUpdate(n -> n == 0 ? 0 : n + 1) > 0;
    }

    void release() {
      if (references.decrementAndGet() == 0) {
        source.close();
      }
    }
  }

  private static final class Part implements SstSource {
    private final String name;
    private final Shared shared;
    private final long offset;
    private final long length;
    private boolean closed;

    Part(String object, Shared shared, long offset, long length) {
      boolean whole = offset == 0 && length == shared.source.size();
      this.name = whole ? object : object + "[" + offset + ", +" + length + "]";
      this.shared = shared;
      this.offset = offset;
      this.length = length;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public long size() {
      return length;
    }

    @Override
    public void read(long position, byte[] target, int at, int count) {
      Ranges.check(name, length, position, count);
      shared.source.read(offset + position, target, at, count);
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        shared.release();
      }
    }
  }
}
