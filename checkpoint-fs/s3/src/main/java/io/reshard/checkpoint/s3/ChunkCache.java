package io.reshard.checkpoint.s3;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of open objects, in pieces of {@link #CHUNK} bytes: a request costs as much time for one
 * byte as for a hundred thousand. All sources of a store share it, so its bound is the store's.
 */
final class ChunkCache {
  /** Bytes of a piece; the last one of an object may be shorter. */
  static final int CHUNK = 256 << 10;

  /** Most pieces read by one request. */
  private static final int MAX_RUN = 16;

  private record Key(long source, int chunk) {}

  private final long bytes;
  private final Cache<Key, byte[]> cache;
  private final AtomicLong sources = new AtomicLong();
  private final AtomicInteger reading = new AtomicInteger();

  ChunkCache(long bytes) {
    this.bytes = bytes;
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(bytes)
            .executor(Runnable::run)
            .<Key, byte[]>weigher((key, chunk) -> 64 + chunk.length)
            .build();
  }

  /** A number for a source that is about to be read. */
  long register() {
    reading.incrementAndGet();
    return sources.incrementAndGet();
  }

  /** Drops what is known of a source that was closed. */
  void forget(long source, int chunks) {
    reading.decrementAndGet();
    for (int chunk = 0; chunk < chunks; chunk++) {
      cache.invalidate(new Key(source, chunk));
    }
  }

  byte @Nullable [] get(long source, int chunk) {
    return cache.getIfPresent(new Key(source, chunk));
  }

  void put(long source, int chunk, byte[] content) {
    cache.put(new Key(source, chunk), content);
  }

  /**
   * How many pieces a source may read by one request: no more than would have all the sources that
   * are open drive each other's pieces out.
   */
  int maxRun() {
    long share = bytes / 2 / Math.max(1, reading.get()) / CHUNK;
    return (int) Math.max(1, Math.min(MAX_RUN, share));
  }
}
