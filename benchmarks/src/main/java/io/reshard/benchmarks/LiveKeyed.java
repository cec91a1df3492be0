package io.reshard.benchmarks;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.KeyedStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.rocksdb.RocksDbStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.ScanRange;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A whole keyed store of one shard: keys are routed, every commit is a published snapshot. */
final class LiveKeyed implements LiveStore {
  private static final String ROWS = "default";

  private final Path directory;
  private final Backend backend;
  private final CheckpointStore versions;
  private final KeyedStore store;

  LiveKeyed(Path directory, int prefixBytes) {
    this.directory = directory;
    backend = backend();
    versions = CheckpointStore.create(ObjectStores.open(directory.resolve("store")));
    store =
        KeyedStore.create(
            versions,
            backend,
            RocksDbStateStoreProvider.NAME,
            directory.resolve("work"),
            Layout.slots(1),
            List.of(ColumnFamily.hashed(ROWS).withPartitionKey(PartitionKey.first(prefixBytes))));
  }

  private static Backend backend() {
    return new RocksDbStateStoreProvider()
        .start(new BackendOptions(LiveRocks.MEMORY_BYTES, Map.of()));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    store.put(ROWS, key, value);
  }

  @Override
  public void commit() {
    store.commit(Map.of());
  }

  /** Opens the last version in a directory of its own, reads a key, and closes it. */
  byte @Nullable [] restore(byte[] key) {
    try (Backend other = backend();
        KeyedStore restored =
            KeyedStore.open(
                versions,
                other,
                RocksDbStateStoreProvider.NAME,
                directory.resolve("restored"),
                versions.latestVersion())) {
      return restored.get(ROWS, key);
    }
  }

  @Override
  public void flush() {} // Every commit does.

  @Override
  public byte @Nullable [] get(byte[] key) {
    return store.get(ROWS, key);
  }

  @Override
  public byte[] @Nullable [] multiGet(byte[][] keys) {
    return store.multiGet(ROWS, keys);
  }

  @Override
  public long scan(boolean forward) {
    ScanRange all = ScanRange.all();
    return LiveShard.rows(store.scan(0, ROWS, forward ? all : all.reversed()));
  }

  @Override
  public long scanPrefix(byte[] prefix) {
    return LiveShard.rows(store.scanPrefix(ROWS, prefix));
  }

  @Override
  public void close() {
    store.close();
    versions.close();
    backend.close();
  }
}
