package io.reshard.rocksdb;

import io.reshard.spi.Backend;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** What all shards share: native objects, and the account of uncommitted writes. */
final class RocksDbBackend implements Backend {
  private final Settings settings;
  private final Natives natives;
  private final Set<RocksDbShard> shards = ConcurrentHashMap.newKeySet();
  private final AtomicLong overlayBytes = new AtomicLong();

  /** Shared while the native objects are used, held alone to close them. */
  private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();

  private boolean closed;

  RocksDbBackend(Settings settings) {
    this.settings = settings;
    this.natives = new Natives(settings);
  }

  @Override
  public ShardStore open(ShardOptions options) {
    life.readLock().lock();
    try {
      if (closed) {
        throw StateStoreException.closed("backend 'rocksdb'");
      }
      RocksDbShard shard = RocksDbShard.open(this, natives, options);
      shards.add(shard);
      return shard;
    } finally {
      life.readLock().unlock();
    }
  }

  void forget(RocksDbShard shard) {
    shards.remove(shard);
  }

  /** Adds to the account of uncommitted writes; says whether they are too many. */
  boolean account(long bytes) {
    return overlayBytes.addAndGet(bytes) > settings.overlayBytes();
  }

  @Override
  public long memoryUsed() {
    life.readLock().lock();
    try {
      return closed ? 0 : natives.cacheUsage() + overlayBytes.get();
    } finally {
      life.readLock().unlock();
    }
  }

  @Override
  public void close() {
    life.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      life.writeLock().unlock();
    }
    // No shard is opened any more; each waits for what it is doing.
    List.copyOf(shards).forEach(RocksDbShard::close);
    natives.close();
  }
}
