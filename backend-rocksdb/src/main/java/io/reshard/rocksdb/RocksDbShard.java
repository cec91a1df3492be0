package io.reshard.rocksdb;

import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.WriteBatch;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/** One shard on RocksDB. */
/*
 * How it works.
 *
 * Uncommitted writes stay out of RocksDB. Each column family has an overlay on the heap, a sorted
 * map of values and marks for deleted rows, and the working state is the overlay over the database.
 * So the database holds exactly the last version: a rollback empties the overlay, an export is the
 * database's own files, and a write, and a read of what was written lately, cross no JNI.
 *
 * Where what is:
 *
 *   WorkingState    reads and writes: overlays, the database under them, scans
 *   Versions        commit, rollback; spilling overlays that have become too large
 *   Snapshots       export and import
 *   ShardDirectory  what lies on disk, and which database there is the shard
 *   Life            open, closed, failed
 *
 * Two locks. `changing`, here, is held by write, commit, rollback, export, import and close for as
 * long as they take, so they exclude one another. `content`, in WorkingState, guards what reads
 * look at, and is held alone for moments only; so reads run beside all of these.
 *
 * Errors of RocksDB fail the store (S-402), except in an import before it is published, which
 * leaves it as it was.
 */
final class RocksDbShard implements ShardStore {
  private final RocksDbBackend backend;
  private final ShardDirectory directory;
  private final Life life;
  private final WorkingState working;
  private final Versions versions;
  private final Snapshots snapshots;
  private final Lock changing = new ReentrantLock();

  private RocksDbShard(
      RocksDbBackend backend,
      Natives natives,
      ShardDirectory directory,
      List<String> declared,
      Database database)
      throws RocksDBException {
    this.backend = backend;
    this.directory = directory;
    this.life = new Life(directory.path());
    this.working = new WorkingState(directory.path(), life, backend, declared, database);
    this.versions = new Versions(natives, directory, declared, life, working);
    this.snapshots = new Snapshots(natives, directory, declared, life, working, versions);
  }

  static RocksDbShard open(RocksDbBackend backend, Natives natives, ShardOptions options) {
    List<String> declared = options.columnFamilies().stream().map(ColumnFamily::name).toList();
    ShardDirectory directory = ShardDirectory.open(options.directory(), declared);
    Database database = null;
    try {
      database = openDatabase(natives, directory, declared);
      return new RocksDbShard(backend, natives, directory, declared, database);
    } catch (RocksDBException e) {
      release(database, directory);
      throw Errors.of(e, "opening the database", directory.path());
    } catch (RuntimeException e) {
      release(database, directory);
      throw e;
    }
  }

  private static Database openDatabase(
      Natives natives, ShardDirectory directory, List<String> declared) throws RocksDBException {
    if (directory.generation() > 0) {
      return Database.open(natives, directory.database(directory.generation()), declared);
    }
    return Database.absent(directory.path());
  }

  private static void release(@Nullable Database database, ShardDirectory directory) {
    if (database != null) {
      database.release();
    }
    directory.close();
  }

  @Override
  public State state() {
    return life.state();
  }

  @Override
  public long version() {
    life.checkOpen();
    return versions.version();
  }

  @Override
  public byte @Nullable [] get(String columnFamily, byte[] key) {
    return working.get(columnFamily, key);
  }

  @Override
  public byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
    return working.multiGet(columnFamily, keys);
  }

  @Override
  public StateIterator scan(String columnFamily, ScanRange range) {
    return working.scan(columnFamily, range);
  }

  @Override
  public void write(WriteBatch batch) {
    change(
        () -> {
          if (working.write(batch)) {
            versions.spill();
          }
        });
  }

  @Override
  public void commit(long version) {
    change(() -> versions.commit(version));
  }

  @Override
  public void rollback() {
    change(versions::rollback);
  }

  @Override
  public void exportSnapshot(SnapshotWriter writer) {
    change(() -> snapshots.exportTo(writer));
  }

  @Override
  public void importSnapshot(SnapshotReader reader) {
    change(() -> snapshots.importFrom(reader));
  }

  /** Does one of the things that exclude one another. */
  private void change(Runnable what) {
    changing.lock();
    try {
      life.checkOpen();
      what.run();
    } finally {
      changing.unlock();
    }
  }

  @Override
  public Map<String, Long> metrics() {
    return working.metrics(versions.spills());
  }

  @Override
  public void close() {
    changing.lock();
    try {
      if (!working.close()) {
        return;
      }
      versions.close();
      directory.close();
      backend.forget(this);
    } finally {
      changing.unlock();
    }
  }
}
