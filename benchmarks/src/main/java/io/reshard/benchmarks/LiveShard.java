package io.reshard.benchmarks;

import io.reshard.rocksdb.RocksDbStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.WriteBatch;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A shard of Reshard's RocksDB backend, through the SPI. */
final class LiveShard implements LiveStore {
  private static final String ROWS = "default";
  private static final int BATCH = 500;

  private final Backend backend;
  private final ShardStore store;
  private final WriteBatch batch = new WriteBatch();

  LiveShard(Path directory) {
    backend =
        new RocksDbStateStoreProvider().start(new BackendOptions(LiveRocks.MEMORY_BYTES, Map.of()));
    store = backend.open(new ShardOptions(directory, List.of(ColumnFamily.hashed(ROWS))));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    batch.put(ROWS, key, value);
    if (batch.count() == BATCH) {
      write();
    }
  }

  private void write() {
    store.write(batch);
    batch.clear();
  }

  @Override
  public void commit() {
    write();
    store.commit(store.version() + 1);
  }

  @Override
  public void flush() {
    store.exportSnapshot(
        new SnapshotWriter() {
          @Override
          public boolean reuse(String fileId) {
            return true;
          }

          @Override
          public void addFile(SnapshotFile file) {
            throw new IllegalStateException("nothing is to be exported");
          }

          @Override
          public void addRows(String columnFamily, StateIterator rows) {
            throw new IllegalStateException("nothing is to be exported");
          }
        });
  }

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
    return rows(store.scan(ROWS, forward ? ScanRange.all() : ScanRange.all().reversed()));
  }

  @Override
  public long scanPrefix(byte[] prefix) {
    return rows(store.scan(ROWS, ScanRange.prefix(prefix)));
  }

  static long rows(StateIterator scan) {
    long rows = 0;
    long bytes = 0;
    try (scan) {
      while (scan.next()) {
        bytes += scan.key().length() + scan.value().length();
        rows++;
      }
    }
    return LiveRocks.counted(rows, bytes);
  }

  @Override
  public void close() {
    backend.close();
  }
}
