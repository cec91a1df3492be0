package io.reshard.checkpoint;

import io.reshard.spi.Backend;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store in use: every shard open in a backend, keys routed to shards by the layout, and each
 * commit a new version in the {@link CheckpointStore}. Keys are given and shown without slot
 * prefixes.
 *
 * <p>Reads may run beside one writer thread; {@code put}, {@code delete}, {@code commit}, {@code
 * rollback} are for one thread at a time. Writes are gathered per shard and handed to the backend
 * in batches; reads see them at once.
 */
public final class KeyedStore implements AutoCloseable {
  private KeyedStore() {}

  /**
   * Starts a store that has no version yet.
   *
   * @param checkpoints an empty store's versions; stays the caller's
   * @param backend a started backend; stays the caller's
   * @param backendName goes into manifests
   * @param directory working directory for the shards' local state; emptied first
   */
  public static KeyedStore create(
      CheckpointStore checkpoints,
      Backend backend,
      String backendName,
      Path directory,
      Layout layout,
      List<ColumnFamily> columnFamilies) {
    throw new UnsupportedOperationException("stub");
  }

  /** Restores a version, shards in parallel, and goes on from it. */
  public static KeyedStore open(
      CheckpointStore checkpoints,
      Backend backend,
      String backendName,
      Path directory,
      long version) {
    throw new UnsupportedOperationException("stub");
  }

  /** The layout. */
  public Layout layout() {
    throw new UnsupportedOperationException("stub");
  }

  /** The last committed version; 0 before the first commit. */
  public long version() {
    throw new UnsupportedOperationException("stub");
  }

  /** The shard a key belongs to. */
  public int shardOf(String columnFamily, byte[] key) {
    throw new UnsupportedOperationException("stub");
  }

  /** Stores a row. */
  public void put(String columnFamily, byte[] key, byte[] value) {
    throw new UnsupportedOperationException("stub");
  }

  /** Removes a row. */
  public void delete(String columnFamily, byte[] key) {
    throw new UnsupportedOperationException("stub");
  }

  /** The value of a key, or null. */
  public byte @Nullable [] get(String columnFamily, byte[] key) {
    throw new UnsupportedOperationException("stub");
  }

  /** The values of several keys, shard by shard with multiGet; order as given. */
  public byte @Nullable [][] multiGet(String columnFamily, byte[][] keys) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Rows of one shard: of an ORDERED column family (or any in a modulo layout) in key order within
   * the range; of a HASHED one in order of slot, then key, with the range applied to each slot's
   * rows only if it is {@link ScanRange#all()}, else INVALID.
   */
  public StateIterator scan(int shard, String columnFamily, ScanRange range) {
    throw new UnsupportedOperationException("stub");
  }

  /** Commits every shard and publishes the next version with these properties. */
  public Manifest commit(Map<String, String> properties) {
    throw new UnsupportedOperationException("stub");
  }

  /** Drops every write since the last commit. */
  public void rollback() {
    throw new UnsupportedOperationException("stub");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("stub");
  }
}
