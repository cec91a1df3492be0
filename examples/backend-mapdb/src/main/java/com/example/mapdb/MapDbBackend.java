package com.example.mapdb;

import io.reshard.spi.Backend;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Knows which shards are open. */
final class MapDbBackend implements Backend {
  private final Map<Path, MapDbShard> shards = new HashMap<>();
  private boolean closed;

  @Override
  public synchronized ShardStore open(ShardOptions options) {
    if (closed) {
      throw StateStoreException.closed("backend 'mapdb'");
    }
    Path directory = options.directory().toAbsolutePath().normalize();
    if (shards.containsKey(directory)) {
      throw StateStoreException.invalid(
          "shard " + directory + " is open already; close it before opening it again");
    }
    MapDbShard shard = MapDbShard.open(directory, options.columnFamilies(), this::forget);
    shards.put(directory, shard);
    return shard;
  }

  private synchronized void forget(MapDbShard shard) {
    shards.remove(shard.directory());
  }

  private synchronized List<MapDbShard> open() {
    return new ArrayList<>(shards.values());
  }

  @Override
  public long memoryUsed() {
    return open().stream().mapToLong(MapDbShard::uncommittedBytes).sum();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    open().forEach(MapDbShard::close);
  }
}
