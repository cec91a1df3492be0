package io.reshard.checkpoint;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads objects that are far away: a request costs as much time for one byte as for a hundred
 * thousand. For whoever implements an {@link ObjectStore}. Thread-safe.
 *
 * <p>Small reads are served from chunks of {@link #CHUNK} bytes, kept in a cache that all open
 * objects of a store share, so its bound is the store's. An object that is read from front to back
 * is asked for more each time, up to 4 MiB, so that a scan costs few requests and a look at one
 * block costs one. What is read ahead never takes more than the object's share of the cache:
 * hundreds of objects read at once must not drive each other's chunks out. Reads of 4 MiB and more
 * go past the cache.
 */
public final class ReadAhead {
  /** Bytes of a chunk; the last one of an object may be shorter. */
  public static final int CHUNK = 256 << 10;

  private static final int MAX_RUN = 16;
  private static final int DIRECT = MAX_RUN * CHUNK;

  /** Reads a range of one object; it is known to be within the object, and not empty. */
  public interface RangeReader {
    /** Fills a part of {@code target}. */
    void read(long position, byte[] target, int offset, int length);
  }

  private record Key(long object, int chunk) {}

  private final long bytes;
  private final Cache<Key, byte[]> cache;
  private final AtomicLong objects = new AtomicLong();
  private final AtomicInteger open = new AtomicInteger();

  /** A cache of at most so many bytes. */
  public ReadAhead(long bytes) {
    this.bytes = bytes;
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(bytes)
            .executor(Runnable::run)
            .<Key, byte[]>weigher((key, chunk) -> 64 + chunk.length)
            .build();
  }

  /** A bound for a process that says nothing: 64 MiB, and no more than an eighth of the heap. */
  public static long defaultBytes() {
    return Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);
  }

  /**
   * An open object.
   *
   * @param name what errors call it
   * @param size its bytes
   * @param head what is known of it already: its first chunk, or nothing
   * @param reader reads the rest
   * @param closing is run once, when the object is closed
   */
  public SstSource source(
      String name, long size, byte[] head, RangeReader reader, Runnable closing) {
    return new Source(name, size, head, reader, closing);
  }

  private int maxRun() {
    long share = bytes / 2 / Math.max(1, open.get()) / CHUNK;
    return (int) Math.max(1, Math.min(MAX_RUN, share));
  }

  private final class Source implements SstSource {
    private final String name;
    private final long size;
    private final RangeReader reader;
    private final Runnable closing;
    private final long id = objects.incrementAndGet();
    private int nextChunk;
    private int run = 1;
    private volatile boolean closed;

    Source(String name, long size, byte[] head, RangeReader reader, Runnable closing) {
      this.name = name;
      this.size = size;
      this.reader = reader;
      this.closing = closing;
      open.incrementAndGet();
      if (head.length > 0) {
        cache.put(new Key(id, 0), head);
        nextChunk = 1;
      }
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) {
      if (closed) {
        throw StateStoreException.closed("object '" + name + "'");
      }
      Ranges.check(name, size, position, length);
      if (length >= DIRECT) {
        reader.read(position, target, offset, length);
        return;
      }
      long at = position;
      for (int done = 0; done < length; ) {
        byte[] chunk = chunk((int) (at / CHUNK));
        int within = (int) (at % CHUNK);
        int part = Math.min(chunk.length - within, length - done);
        System.arraycopy(chunk, within, target, offset + done, part);
        done += part;
        at += part;
      }
    }

    private byte[] chunk(int chunk) {
      byte[] known = cache.getIfPresent(new Key(id, chunk));
      return known != null ? known : fetch(chunk, runFrom(chunk));
    }

    /** How many chunks to read from one on. */
    private synchronized int runFrom(int chunk) {
      run = chunk == nextChunk ? Math.min(run * 2, maxRun()) : 1;
      int last = (int) ((size - 1) / CHUNK);
      int count = Math.min(run, last - chunk + 1);
      for (int i = 1; i < count; i++) {
        if (cache.getIfPresent(new Key(id, chunk + i)) != null) {
          count = i;
        }
      }
      nextChunk = chunk + count;
      return count;
    }

    private byte[] fetch(int chunk, int count) {
      long from = (long) chunk * CHUNK;
      int length = (int) Math.min((long) count * CHUNK, size - from);
      byte[] all = new byte[length];
      reader.read(from, all, 0, length);
      byte[] first = all;
      for (int i = 0; i < count; i++) {
        byte[] part =
            count == 1
                ? all
                : Arrays.copyOfRange(all, i * CHUNK, Math.min((i + 1) * CHUNK, length));
        cache.put(new Key(id, chunk + i), part);
        first = i == 0 ? part : first;
      }
      return first;
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        open.decrementAndGet();
        for (int chunk = 0; chunk <= size / CHUNK; chunk++) {
          cache.invalidate(new Key(id, chunk));
        }
        closing.run();
      }
    }
  }
}
