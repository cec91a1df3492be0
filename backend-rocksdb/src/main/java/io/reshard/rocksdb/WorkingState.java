package io.reshard.rocksdb;

import io.reshard.spi.ByteView;
import io.reshard.spi.Capability;
import io.reshard.spi.Limits;
import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.WriteBatch;
import io.reshard.sst.SortedByteMap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * What reads see: the uncommitted writes of each column family on the heap (an {@link Overlay})
 * over a {@link Database}. Reads and writes are here; {@link Versions} decides which database it is
 * and when overlays empty into it.
 */
/*
 * How it works.
 *
 * The `content` lock guards the overlays and which database is the present one. Readers share it
 * also while they are in native code, so that nobody closes the database under them. It is held
 * alone only to change a map or to swap the database: during the slow part of a commit or a spill,
 * rows are in the overlay and in the database alike, and the overlay, whose content is the same,
 * hides the database's. Rows leave the overlay when the database has them all.
 *
 * A scan is the overlay frozen and a RocksDB iterator made at one moment, merged. It holds a
 * reference to the database it reads, so it goes on after that has been replaced (S-502); the
 * store knows its scans and closes them before itself. Freezing changes the map's edit token only,
 * which writers use and readers do not; so it is done under the shared lock and a monitor.
 *
 * Whoever changes anything here holds the store's `changing` lock (see RocksDbShard), so changers
 * may look at overlays and database without `content`.
 */
final class WorkingState {
  private static final byte[] EMPTY = new byte[0];

  private static final class Family {
    /** Place in the list declared, by which the database knows it. */
    final int index;

    final Overlay overlay = new Overlay();

    Family(int index) {
      this.index = index;
    }
  }

  private final Path directory;
  private final Life life;
  private final RocksDbBackend backend;
  private final Map<String, Family> families = new LinkedHashMap<>();
  private final ReentrantReadWriteLock content = new ReentrantReadWriteLock();
  private final Object freezing = new Object();
  private final Set<Scan> scans = ConcurrentHashMap.newKeySet();
  private final WriteBatch.Handler applier = new Applier();

  private final LongAdder gets = new LongAdder();
  private final LongAdder scanned = new LongAdder();
  private final LongAdder writes = new LongAdder();

  // Guarded by `content`.
  private Database database;
  private long overlayBytes;
  private long spilledBytes;

  WorkingState(
      Path directory,
      Life life,
      RocksDbBackend backend,
      List<String> columnFamilies,
      Database database) {
    this.directory = directory;
    this.life = life;
    this.backend = backend;
    this.database = database;
    for (String name : columnFamilies) {
      families.put(name, new Family(families.size()));
    }
  }

  boolean has(String columnFamily) {
    return families.containsKey(columnFamily);
  }

  private Family family(String columnFamily) {
    Family family = families.get(columnFamily);
    if (family == null) {
      throw StateStoreException.invalid(
          "column family '"
              + columnFamily
              + "' is not declared; the store of "
              + directory
              + " has "
              + columnFamilies());
    }
    return family;
  }

  /** The names, for messages. */
  String columnFamilies() {
    return String.join(", ", families.keySet());
  }

  // Reading.

  byte @Nullable [] get(String columnFamily, byte[] key) {
    life.checkOpen();
    Family family = family(columnFamily);
    Limits.check(key.length, 0);
    gets.increment();
    content.readLock().lock();
    try {
      life.checkOpen();
      byte[] written = family.overlay.get(key);
      return written == null ? database.get(family.index, key) : given(written);
    } catch (RocksDBException e) {
      throw life.fail(Errors.of(e, "reading a row", database.directory()));
    } finally {
      content.readLock().unlock();
    }
  }

  byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
    life.checkOpen();
    Family family = family(columnFamily);
    for (byte[] key : keys) {
      Limits.check(key.length, 0);
    }
    gets.add(keys.length);
    content.readLock().lock();
    try {
      life.checkOpen();
      return multiGet(family, keys);
    } catch (RocksDBException e) {
      throw life.fail(Errors.of(e, "reading rows", database.directory()));
    } finally {
      content.readLock().unlock();
    }
  }

  /** The overlay first; what it does not know, of the database in one crossing. */
  private byte[] @Nullable [] multiGet(Family family, byte[][] keys) throws RocksDBException {
    byte[] @Nullable [] values = new byte[keys.length][];
    List<byte[]> unwritten = new ArrayList<>(keys.length);
    int[] places = new int[keys.length];
    for (int i = 0; i < keys.length; i++) {
      byte[] written = family.overlay.get(keys[i]);
      if (written == null) {
        places[unwritten.size()] = i;
        unwritten.add(keys[i]);
      } else {
        values[i] = given(written);
      }
    }
    if (!unwritten.isEmpty()) {
      List<byte @Nullable []> found = database.multiGet(family.index, unwritten);
      for (int i = 0; i < found.size(); i++) {
        values[places[i]] = found.get(i);
      }
    }
    return values;
  }

  /** What a caller gets for a value of the overlay. */
  private static byte @Nullable [] given(byte[] written) {
    return written == Overlay.DELETED ? null : written.clone();
  }

  StateIterator scan(String columnFamily, ScanRange range) {
    life.checkOpen();
    Family family = family(columnFamily);
    scanned.increment();
    content.readLock().lock();
    try {
      life.checkOpen();
      StateIterator above = freeze(family).scan(range);
      // RocksDB's bounds must be in order.
      ScanRange bounds = range.isEmpty() ? ScanRange.between(EMPTY, EMPTY) : range;
      @Nullable NativeRows below = database.rows(family.index, bounds);
      database.retain();
      boolean forward = range.direction() == ScanRange.Direction.FORWARD;
      Scan scan = new Scan(this, life, database, below, above, forward);
      scans.add(scan);
      return scan;
    } finally {
      content.readLock().unlock();
    }
  }

  void forget(Scan scan) {
    scans.remove(scan);
  }

  private SortedByteMap.Frozen freeze(Family family) {
    synchronized (freezing) {
      return family.overlay.freeze();
    }
  }

  // Writing.

  /** Applies a batch; says whether the overlays of all shards together have become too large. */
  boolean write(WriteBatch batch) {
    checkOperations(batch);
    boolean tooMany;
    content.writeLock().lock();
    try {
      batch.forEach(applier);
      tooMany = account();
    } catch (OutOfMemoryError e) {
      throw life.fail(
          StateStoreException.unavailable(
              "the heap is full: a batch of "
                  + batch.byteSize()
                  + " bytes was applied in part to the store of "
                  + directory
                  + "; give the process more heap or a smaller memory budget, and open the shard"
                  + " again",
              e));
    } finally {
      content.writeLock().unlock();
    }
    writes.add(batch.count());
    return tooMany;
  }

  /** Applies operations to the overlays; the {@code content} lock is held. */
  private final class Applier implements WriteBatch.Handler {
    @Override
    public void put(String columnFamily, ByteView key, ByteView value) {
      family(columnFamily).overlay.put(key.toByteArray(), value.toByteArray());
    }

    @Override
    public void delete(String columnFamily, ByteView key) {
      family(columnFamily).overlay.delete(key.toByteArray());
    }

    @Override
    public void deleteRange(String columnFamily, ByteView from, ByteView to) {
      throw StateStoreException.unsupported(
          RocksDbStateStoreProvider.NAME, Capability.DELETE_RANGE);
    }
  }

  /** Every operation must be allowed, before any is applied. */
  private void checkOperations(WriteBatch batch) {
    if (batch.hasDeleteRange()) {
      throw StateStoreException.unsupported(
          RocksDbStateStoreProvider.NAME, Capability.DELETE_RANGE);
    }
    batch.columnFamilies().forEach(this::family);
  }

  /** Reports the overlays' bytes to the backend; says whether all shards' together are too many. */
  private boolean account() {
    long bytes = 0;
    for (Family family : families.values()) {
      bytes += family.overlay.bytes();
    }
    long more = bytes - overlayBytes;
    overlayBytes = bytes;
    return backend.account(more);
  }

  // For those that hold `changing`.

  /** The database under the overlays. */
  Database database() {
    return database;
  }

  /** Bytes of heap the overlays take. */
  long overlayBytes() {
    return overlayBytes;
  }

  /** Bytes the overlays take as one batch for the database, without its header. */
  long batchBytes() {
    long bytes = 0;
    for (Family family : families.values()) {
      synchronized (freezing) {
        bytes += family.overlay.batchBytes(database.id(family.index));
      }
    }
    return bytes;
  }

  /** Takes a piece of the overlays' rows on their way into the database. */
  interface BatchSink {
    void write(BatchBytes batch) throws RocksDBException;
  }

  /**
   * Adds the overlays' rows to a batch, in order of their keys, which is what a memtable takes
   * fastest, and gives it away whenever it has reached {@code pieceBytes}. The overlays stay.
   */
  void copyInto(BatchBytes batch, long pieceBytes, BatchSink sink) throws RocksDBException {
    for (Family family : families.values()) {
      int id = database.id(family.index);
      try (StateIterator rows = freeze(family).scan(ScanRange.all())) {
        while (rows.next()) {
          add(batch, id, rows);
          if (batch.size() >= pieceBytes) {
            sink.write(batch);
          }
        }
      }
    }
  }

  private static void add(BatchBytes batch, int columnFamilyId, StateIterator row) {
    if (Overlay.isDeleted(row.value())) {
      batch.delete(columnFamilyId, row.key());
    } else {
      batch.put(columnFamilyId, row.key(), row.value());
    }
  }

  /** Puts another database under the overlays, which holds the same rows. */
  void replaceDatabase(Database next) {
    content.writeLock().lock();
    try {
      database = next;
    } finally {
      content.writeLock().unlock();
    }
  }

  /** The overlays' rows are in the database, uncommitted: empties them. */
  void spilled() {
    content.writeLock().lock();
    try {
      spilledBytes += overlayBytes;
      clear();
    } finally {
      content.writeLock().unlock();
    }
  }

  /** What {@code next} holds is the working state, without anything uncommitted. */
  void become(Database next) {
    content.writeLock().lock();
    try {
      database = next;
      spilledBytes = 0;
      clear();
    } finally {
      content.writeLock().unlock();
    }
  }

  /** Empties the overlays; the {@code content} lock is held. */
  private void clear() {
    for (Family family : families.values()) {
      family.overlay.clear();
    }
    account();
  }

  /** Ends reads: after this none is in native code. Returns false if they had ended before. */
  boolean close() {
    content.writeLock().lock();
    try {
      if (!life.close()) {
        return false;
      }
      clear();
    } finally {
      content.writeLock().unlock();
    }
    // No scan is opened any more.
    List.copyOf(scans).forEach(Scan::release);
    return true;
  }

  // Figures.

  Map<String, Long> metrics(long spills) {
    life.checkOpen();
    content.readLock().lock();
    try {
      life.checkOpen();
      long rows = 0;
      for (Family family : families.values()) {
        rows += database.figure(family.index, "rocksdb.estimate-num-keys");
        rows += family.overlay.rowsAdded();
      }
      long memtables = database.figure("rocksdb.cur-size-all-mem-tables");
      long readers = database.figure("rocksdb.estimate-table-readers-mem");
      Map<String, Long> metrics = new HashMap<>();
      metrics.put("memory.bytes", overlayBytes + memtables + readers);
      metrics.put("uncommitted.bytes", overlayBytes + spilledBytes);
      metrics.put("rows.estimate", Math.max(0, rows));
      metrics.put("gets", gets.sum());
      metrics.put("scans", scanned.sum());
      metrics.put("writes", writes.sum());
      metrics.put("scans.open", (long) scans.size());
      metrics.put("rocksdb.memtable.bytes", memtables);
      metrics.put("rocksdb.reader.bytes", readers);
      metrics.put("rocksdb.sst.bytes", database.figure("rocksdb.live-sst-files-size"));
      metrics.put("rocksdb.spills", spills);
      metrics.put("rocksdb.spilled.bytes", spilledBytes);
      return Map.copyOf(metrics);
    } catch (RocksDBException e) {
      throw life.fail(Errors.of(e, "reading figures", database.directory()));
    } finally {
      content.readLock().unlock();
    }
  }
}
