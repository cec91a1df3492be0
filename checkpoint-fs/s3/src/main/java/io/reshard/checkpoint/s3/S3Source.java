package io.reshard.checkpoint.s3;

import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;

/**
 * Positional reads of one object.
 *
 * <p>Small reads go through the {@link ChunkCache}. A source that is read from front to back asks
 * for more each time, up to 4 MiB, so that a scan costs few requests and a look at one block costs
 * one. Every request names the object's tag: bytes of two objects of one name, the second made
 * after the first was deleted, are never mixed.
 */
final class S3Source implements SstSource {
  private static final int DIRECT = 4 << 20;

  private final S3ObjectStore store;
  private final ChunkCache cache;
  private final String name;
  private final String tag;
  private final long size;
  private final long id;
  private int nextChunk;
  private int run = 1;
  private volatile boolean closed;

  /**
   * @param tag the object's ETag
   * @param head its first bytes: a whole chunk, or all there are
   */
  S3Source(S3ObjectStore store, ChunkCache cache, String name, String tag, long size, byte[] head) {
    this.store = store;
    this.cache = cache;
    this.name = name;
    this.tag = tag;
    this.size = size;
    this.id = cache.register();
    if (head.length > 0) {
      cache.put(id, 0, head);
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
    if (position < 0 || length < 0 || position > size || length > size - position) {
      throw StateStoreException.corrupt(
          "object '"
              + name
              + "' has "
              + size
              + " bytes, but "
              + length
              + " bytes from offset "
              + position
              + " are expected in it; it was cut short, or whoever names them is damaged");
    }
    if (length >= DIRECT) {
      store.readRange(name, tag, position, target, offset, length);
      return;
    }
    long at = position;
    int done = 0;
    while (done < length) {
      int chunk = (int) (at / ChunkCache.CHUNK);
      int within = (int) (at % ChunkCache.CHUNK);
      byte[] bytes = chunk(chunk);
      int part = Math.min(bytes.length - within, length - done);
      System.arraycopy(bytes, within, target, offset + done, part);
      done += part;
      at += part;
    }
  }

  private byte[] chunk(int chunk) {
    byte[] known = cache.get(id, chunk);
    return known != null ? known : fetch(chunk, runFrom(chunk));
  }

  /** How many chunks to read from one on. */
  private synchronized int runFrom(int chunk) {
    run = chunk == nextChunk ? Math.min(run * 2, cache.maxRun()) : 1;
    int last = (int) ((size - 1) / ChunkCache.CHUNK);
    int count = Math.min(run, last - chunk + 1);
    for (int i = 1; i < count; i++) {
      if (cache.get(id, chunk + i) != null) {
        count = i;
      }
    }
    nextChunk = chunk + count;
    return count;
  }

  private byte[] fetch(int chunk, int count) {
    long from = (long) chunk * ChunkCache.CHUNK;
    int length = (int) Math.min((long) count * ChunkCache.CHUNK, size - from);
    byte[] bytes = new byte[length];
    store.readRange(name, tag, from, bytes, 0, length);
    byte[] first = bytes;
    for (int i = 0; i < count; i++) {
      int start = i * ChunkCache.CHUNK;
      byte[] part =
          count == 1
              ? bytes
              : java.util.Arrays.copyOfRange(
                  bytes, start, Math.min(start + ChunkCache.CHUNK, length));
      cache.put(id, chunk + i, part);
      first = i == 0 ? part : first;
    }
    return first;
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      cache.forget(id, (int) ((size + ChunkCache.CHUNK - 1) / ChunkCache.CHUNK));
    }
  }
}
