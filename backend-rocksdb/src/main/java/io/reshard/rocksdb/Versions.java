package io.reshard.rocksdb;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * The way from working state to version and back: commit, spill, rollback, and which database of
 * the {@link ShardDirectory} is the store's. Its methods are called under the store's {@code
 * changing} lock, except {@link #version} and {@link #spills}.
 */
/*
 * How it works.
 *
 * The database holds exactly the last version, so a rollback empties the overlays and no more.
 * Commit makes one native batch of the overlays and of a row with the version number (in a column
 * family of the backend's own), built in Java in RocksDB's own form: one crossing, and wholly there
 * or not at all after a crash, since it is one record of the write-ahead log.
 *
 * Spilling. The overlays of all shards share a budget. The shard whose write exceeds it has its
 * committed content linked into a database beside its own, has STATE point there, and from then on
 * may write uncommitted rows into its own, past the log. Everything else goes on as before, now
 * over a database that holds a part of the working state. A commit writes the rest, forces all to
 * disk and points STATE back; a rollback opens the other database in place of its own; a crash or a
 * close does the same at the next open.
 */
final class Versions {
  /** A commit of larger overlays is spilled: written in pieces instead of as one array. */
  private static final long MAX_BATCH_BYTES = 256 << 20;

  /** Size of the pieces in which uncommitted rows are spilled. */
  private static final int SPILL_BYTES = 1 << 20;

  /** A batch of the version row alone: header, type, column family, "version", 8 bytes. */
  private static final int VERSION_BATCH_BYTES = BatchBytes.HEADER_BYTES + 1 + 1 + 1 + 7 + 1 + 8;

  private final Natives natives;
  private final ShardDirectory directory;
  private final List<String> declared;
  private final Life life;
  private final WorkingState working;
  private final LongAdder spills = new LongAdder();
  private volatile long version;

  /** The generation of the working state's database; while spilled, not the one STATE names. */
  private long generation;

  private FileIds ids;

  Versions(
      Natives natives,
      ShardDirectory directory,
      List<String> declared,
      Life life,
      WorkingState working)
      throws RocksDBException {
    this.natives = natives;
    this.directory = directory;
    this.declared = declared;
    this.life = life;
    this.working = working;
    this.generation = directory.generation();
    this.ids = generation > 0 ? FileIds.load(working.database().directory()) : new FileIds();
    this.version = working.database().version();
  }

  /** The last version. */
  long version() {
    return version;
  }

  /** How often overlays were spilled. */
  long spills() {
    return spills.sum();
  }

  /** The names of the files of the working state's database. */
  FileIds ids() {
    return ids;
  }

  /** Whether there is a database yet. */
  boolean hasDatabase() {
    return generation > 0;
  }

  /** Whether the working state's database holds uncommitted rows. */
  boolean isSpilled() {
    return generation != directory.generation();
  }

  /** Where the last version lies; only the working state's database unless spilled. */
  Path committedDatabase() {
    return directory.database(directory.generation());
  }

  void commit(long next) {
    if (next <= version) {
      throw StateStoreException.invalid(
          "commit of version "
              + next
              + " to the store of "
              + directory.path()
              + ", which is at version "
              + version
              + "; give a greater version");
    }
    try {
      ensureDatabase();
      if (!isSpilled() && working.overlayBytes() > MAX_BATCH_BYTES) {
        spill();
      }
      if (isSpilled()) {
        commitSpilled(next);
      } else {
        commitBatch(next);
      }
      working.become(working.database());
      version = next;
    } catch (RocksDBException e) {
      throw life.fail(Errors.of(e, "committing version " + next, directory.path()));
    }
  }

  /** Makes the database, if this is the first commit or spill. */
  private void ensureDatabase() throws RocksDBException {
    if (generation > 0) {
      return;
    }
    long first = directory.newGeneration();
    Database made = Database.create(natives, directory.database(first), declared);
    try {
      publish(first);
    } catch (StateStoreException e) {
      made.release();
      throw e;
    }
    working.replaceDatabase(made);
    generation = first;
  }

  private void commitBatch(long next) throws RocksDBException {
    // Overlays are bounded, and their rows take less in a batch than on the heap.
    BatchBytes batch = new BatchBytes(Math.toIntExact(VERSION_BATCH_BYTES + working.batchBytes()));
    Database database = working.database();
    working.copyInto(batch, Long.MAX_VALUE, whole -> {});
    addVersion(batch, database, next);
    database.write(natives.logged(), batch.finish());
  }

  private void commitSpilled(long next) throws RocksDBException {
    Database database = working.database();
    writeOverlays();
    writeVersion(database, next, natives.unlogged());
    database.flush();
    ids.save(database.directory());
    long checkpoint = directory.generation();
    publish(generation);
    directory.discard(checkpoint);
  }

  /** Writes the overlays' rows past the log, in pieces. */
  private void writeOverlays() throws RocksDBException {
    Database database = working.database();
    BatchBytes batch = new BatchBytes(SPILL_BYTES + (64 << 10));
    working.copyInto(
        batch, SPILL_BYTES, piece -> database.write(natives.unlogged(), piece.finish()));
    if (!batch.isEmpty()) {
      database.write(natives.unlogged(), batch.finish());
    }
  }

  private static void addVersion(BatchBytes batch, Database database, long version) {
    batch.put(
        database.metaId(),
        new ByteView(Database.versionKey()),
        new ByteView(Database.versionValue(version)));
  }

  /** Writes the row that says which version a database holds. */
  static void writeVersion(Database database, long version, WriteOptions options)
      throws RocksDBException {
    BatchBytes batch = new BatchBytes(VERSION_BATCH_BYTES);
    addVersion(batch, database, version);
    database.write(options, batch.finish());
  }

  /** Moves the overlays into the database, as uncommitted rows. */
  void spill() {
    try {
      ensureDatabase();
      if (!isSpilled()) {
        long committed = directory.newGeneration();
        working.database().checkpoint(directory.database(committed));
        ids.save(directory.database(committed));
        publish(committed);
      }
      writeOverlays();
      spills.increment();
      working.spilled();
    } catch (RocksDBException e) {
      throw life.fail(Errors.of(e, "spilling uncommitted writes", directory.path()));
    }
  }

  void rollback() {
    try {
      Database committed = working.database();
      if (isSpilled()) {
        committed = Database.open(natives, committedDatabase(), declared);
      }
      replace(committed, version);
    } catch (RocksDBException e) {
      throw life.fail(Errors.of(e, "rolling back to version " + version, directory.path()));
    }
  }

  /** Points STATE elsewhere. If that fails nobody knows where it points: the store has failed. */
  void publish(long published) {
    try {
      directory.publish(published);
    } catch (StateStoreException e) {
      throw life.fail(e);
    }
  }

  /** A database with names of its own, which STATE names by now, becomes the store. */
  void adopt(Database imported, FileIds names, long itsVersion) {
    ids = names;
    replace(imported, itsVersion);
  }

  /** Makes what STATE names, which is {@code next}, the content of the store. */
  private void replace(Database next, long itsVersion) {
    Database old = working.database();
    long oldGeneration = generation;
    working.become(next);
    version = itsVersion;
    generation = directory.generation();
    if (old != next) {
      // A scan may still read it.
      old.release(() -> directory.discard(oldGeneration));
    }
  }

  /** Closes the database; what it holds uncommitted is removed. */
  void close() {
    long own = generation;
    boolean garbage = isSpilled();
    working
        .database()
        .release(
            () -> {
              if (garbage) {
                directory.discard(own);
              }
            });
  }
}
