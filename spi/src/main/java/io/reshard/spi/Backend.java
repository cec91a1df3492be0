package io.reshard.spi;

/**
 * A started backend: caches, write buffers, threads and the one memory budget that its shards
 * share. Thread-safe.
 *
 * <p>S-021: {@link #close()} is idempotent and closes every shard store still open; {@link #open}
 * after it is CLOSED.
 */
public interface Backend extends AutoCloseable {
  /**
   * Opens one shard. S-023: where the backend is {@link Capability#PERSISTENT} and the directory
   * holds a shard from earlier, that shard is as of its last commit; otherwise it is empty, at
   * version 0.
   *
   * <p>S-022: a directory that is open already is INVALID. S-024: what is damaged or not of this
   * backend or has other column families is refused, never opened as something else.
   *
   * @throws StateStoreException of kind INCOMPATIBLE if the directory holds a shard with other
   *     column families or of another backend, CORRUPT if what it holds is damaged
   */
  ShardStore open(ShardOptions options);

  /** Bytes of memory that all open shards hold together, as far as the backend knows. */
  long memoryUsed();

  @Override
  void close();
}
