package io.reshard.memory;

import io.reshard.spi.Backend;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps count of the open shards; they share nothing else. */
final class MemoryBackend implements Backend {
  /** Directories of all stores open in this process, whichever backend object opened them. */
  private static final Set<Path> OPEN_DIRECTORIES = ConcurrentHashMap.newKeySet();

  private final Set<MemoryShard> shards = ConcurrentHashMap.newKeySet();
  private boolean closed;

  @Override
  public synchronized ShardStore open(ShardOptions options) {
    if (closed) {
      throw StateStoreException.closed("backend 'memory'");
    }
    Path directory = canonical(options.directory());
    if (!OPEN_DIRECTORIES.add(directory)) {
      throw StateStoreException.invalid(
          "directory "
              + directory
              + " is open already in this process; close that store first or give each shard a"
              + " directory of its own");
    }
    MemoryShard shard = new MemoryShard(this, directory, options.columnFamilies());
    shards.add(shard);
    return shard;
  }

  /** The same path for every way to write it; a directory that is not there has only one. */
  private static Path canonical(Path directory) {
    Path absolute = directory.toAbsolutePath().normalize();
    if (!Files.exists(absolute)) {
      return absolute;
    }
    try {
      return absolute.toRealPath();
    } catch (IOException e) {
      throw StateStoreException.unavailable(
          "directory " + absolute + " cannot be resolved: " + e.getMessage(), e);
    }
  }

  void closed(MemoryShard shard, Path directory) {
    if (shards.remove(shard)) {
      OPEN_DIRECTORIES.remove(directory);
    }
  }

  @Override
  public long memoryUsed() {
    return shards.stream().mapToLong(MemoryShard::memoryBytes).sum();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    List.copyOf(shards).forEach(MemoryShard::close);
  }
}
