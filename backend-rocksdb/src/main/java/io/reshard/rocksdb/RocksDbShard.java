package io.reshard.rocksdb;

import io.reshard.spi.ByteView;
import io.reshard.spi.Capability;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.Limits;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.WriteBatch;
import io.reshard.sst.RocksDirectory;
import io.reshard.sst.SortedByteMap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** One shard on RocksDB. */
/*
 * How it works.
 *
 * Uncommitted writes stay out of RocksDB. Each column family has an overlay on the heap, a sorted
 * map of values and marks for deleted rows, and the working state is the overlay over the database.
 * So the database holds exactly the last version: a rollback empties the overlay, an export is the
 * database's own files, and a write, and a read of what was written lately, cross no JNI. Commit
 * makes one native batch of the overlay and of a row with the version number (in a column family of
 * the backend's own), built in Java in RocksDB's own form: one crossing, and wholly there or not at
 * all after a crash, since it is one record of the write-ahead log.
 *
 * Spilling. The overlays of all shards share a budget. The shard whose write exceeds it has its
 * committed content linked into a database beside its own, has STATE point there (see
 * ShardDirectory), and from then on may write uncommitted rows into its own, past the log.
 * Everything else goes on as before, now over a database that holds a part of the working state. A
 * commit writes the rest, forces all to disk and points STATE back; a rollback opens the other
 * database in place of its own; a crash or a close does the same at the next open. An export
 * meanwhile reads the other one.
 *
 * Two locks. `changing` is held by write, commit, rollback, export, import and close for as long as
 * they take, so they exclude one another. `content` guards the overlays and which database is the
 * present one. Readers share it also while they are in native code, so that nobody closes the
 * database under them. It is held alone only to change a map or to swap the database: during the
 * slow part of a commit or a spill, rows are in the overlay and in the database alike, and the
 * overlay, whose content is the same, hides the database's. Rows leave the overlay when the
 * database has them all.
 *
 * A scan is the overlay frozen and a RocksDB iterator made at one moment, merged. It holds a
 * reference to the database it reads, so it goes on after that has been replaced (S-502); the store
 * knows its scans and closes them before itself. Freezing changes the map's edit token only, which
 * writers use and readers do not; so it is done under the shared lock and a monitor.
 *
 * Errors of RocksDB fail the store (S-402), except in an import before it is published, which
 * leaves it as it was.
 */
final class RocksDbShard implements ShardStore {
  /** A commit of larger overlays is spilled: written in pieces instead of as one array. */
  private static final long MAX_BATCH_BYTES = 256 << 20;

  /** Size of the pieces in which uncommitted rows are spilled. */
  private static final int SPILL_BYTES = 1 << 20;

  /** A batch of the version row alone: header, type, column family, "version", 8 bytes. */
  private static final int VERSION_BATCH_BYTES = BatchBytes.HEADER_BYTES + 1 + 1 + 1 + 7 + 1 + 8;

  /** Numbers of imported files count from here. */
  private static final long FIRST_FILE = 8;

  private static final class Family {
    /** Place in the list declared, by which the database knows it. */
    final int index;

    final Overlay overlay = new Overlay();

    Family(int index) {
      this.index = index;
    }
  }

  private final RocksDbBackend backend;
  private final Natives natives;
  private final ShardDirectory directory;
  private final List<String> declared;
  private final Map<String, Family> families = new LinkedHashMap<>();
  private final Lock changing = new ReentrantLock();
  private final ReentrantReadWriteLock content = new ReentrantReadWriteLock();
  private final Object freezing = new Object();
  private final Set<Scan> scans = ConcurrentHashMap.newKeySet();
  private final WriteBatch.Handler applier = new Applier();

  private final LongAdder gets = new LongAdder();
  private final LongAdder scanned = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder spills = new LongAdder();

  private volatile State state = State.OPEN;
  private volatile @Nullable StateStoreException failure;
  private volatile long version;

  // Guarded by `content`.
  private Database database;
  private long overlayBytes;
  private long spilledBytes;

  // Guarded by `changing`.
  /** The generation of {@link #database}; while spilled, not the one STATE names. */
  private long generation;

  private FileIds ids;

  private RocksDbShard(
      RocksDbBackend backend,
      Natives natives,
      ShardDirectory directory,
      List<String> declared,
      Database database)
      throws RocksDBException {
    this.backend = backend;
    this.natives = natives;
    this.directory = directory;
    this.declared = declared;
    this.database = database;
    this.generation = directory.generation();
    this.ids = generation > 0 ? FileIds.load(database.directory()) : new FileIds();
    this.version = database.version();
    for (String name : declared) {
      families.put(name, new Family(families.size()));
    }
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
    return state;
  }

  @Override
  public long version() {
    checkOpen();
    return version;
  }

  // Reading.

  @Override
  public byte @Nullable [] get(String columnFamily, byte[] key) {
    checkOpen();
    Family family = family(columnFamily);
    Limits.check(key.length, 0);
    gets.increment();
    content.readLock().lock();
    try {
      checkOpen();
      byte[] written = family.overlay.get(key);
      if (written == null) {
        return database.get(family.index, key);
      }
      return written == Overlay.DELETED ? null : written.clone();
    } catch (RocksDBException e) {
      throw fail(Errors.of(e, "reading a row", database.directory()));
    } finally {
      content.readLock().unlock();
    }
  }

  @Override
  public byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
    checkOpen();
    Family family = family(columnFamily);
    for (byte[] key : keys) {
      Limits.check(key.length, 0);
    }
    gets.add(keys.length);
    byte[][] values = new byte[keys.length][];
    List<byte[]> missing = new ArrayList<>();
    content.readLock().lock();
    try {
      checkOpen();
      for (int i = 0; i < keys.length; i++) {
        values[i] = family.overlay.get(keys[i]);
        if (values[i] == null) {
          missing.add(keys[i]);
        }
      }
      if (!missing.isEmpty()) {
        List<byte @Nullable []> found = database.multiGet(family.index, missing);
        int next = 0;
        for (int i = 0; i < keys.length; i++) {
          values[i] = values[i] == null ? found.get(next++) : given(values[i]);
        }
        return values;
      }
    } catch (RocksDBException e) {
      throw fail(Errors.of(e, "reading rows", database.directory()));
    } finally {
      content.readLock().unlock();
    }
    for (int i = 0; i < keys.length; i++) {
      values[i] = given(values[i]);
    }
    return values;
  }

  /** What a caller gets for a value of the overlay. */
  private static byte @Nullable [] given(byte[] written) {
    return written == Overlay.DELETED ? null : written.clone();
  }

  @Override
  public StateIterator scan(String columnFamily, ScanRange range) {
    checkOpen();
    Family family = family(columnFamily);
    scanned.increment();
    content.readLock().lock();
    try {
      checkOpen();
      StateIterator above;
      synchronized (freezing) {
        above = family.overlay.freeze().scan(range);
      }
      // RocksDB's bounds must be in order.
      ScanRange bounds = range.isEmpty() ? ScanRange.between(EMPTY, EMPTY) : range;
      @Nullable NativeRows below = database.rows(family.index, bounds);
      database.retain();
      boolean forward = range.direction() == ScanRange.Direction.FORWARD;
      Scan scan = new Scan(this, database, below, above, forward);
      scans.add(scan);
      return scan;
    } finally {
      content.readLock().unlock();
    }
  }

  private static final byte[] EMPTY = new byte[0];

  void forget(Scan scan) {
    scans.remove(scan);
  }

  // Writing.

  @Override
  public void write(WriteBatch batch) {
    changing.lock();
    try {
      checkOpen();
      checkOperations(batch);
      boolean tooMany;
      content.writeLock().lock();
      try {
        batch.forEach(applier);
        tooMany = accountOverlays();
      } catch (OutOfMemoryError e) {
        throw fail(
            StateStoreException.unavailable(
                "the heap is full: a batch of "
                    + batch.byteSize()
                    + " bytes was applied in part to the store of "
                    + directory.path()
                    + "; give the process more heap or a smaller memory budget, and open the shard"
                    + " again",
                e));
      } finally {
        content.writeLock().unlock();
      }
      writes.add(batch.count());
      if (tooMany) {
        spill();
      }
    } finally {
      changing.unlock();
    }
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

  /** Reports the overlays' bytes to the backend; says whether all shards' together are too many. */
  private boolean accountOverlays() {
    long bytes = 0;
    for (Family family : families.values()) {
      bytes += family.overlay.bytes();
    }
    long more = bytes - overlayBytes;
    overlayBytes = bytes;
    return backend.account(more);
  }

  /** Empties the overlays; the {@code content} lock is held. */
  private void clearOverlays() {
    for (Family family : families.values()) {
      family.overlay.clear();
    }
    accountOverlays();
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
    content.writeLock().lock();
    try {
      database = made;
    } finally {
      content.writeLock().unlock();
    }
    generation = first;
  }

  private boolean isSpilled() {
    return generation != directory.generation();
  }

  /** Moves the overlays into the database, as uncommitted rows. */
  private void spill() {
    try {
      ensureDatabase();
      if (!isSpilled()) {
        long committed = directory.newGeneration();
        database.checkpoint(directory.database(committed));
        ids.save(directory.database(committed));
        publish(committed);
      }
      writeOverlays();
      spills.increment();
      content.writeLock().lock();
      try {
        spilledBytes += overlayBytes;
        clearOverlays();
      } finally {
        content.writeLock().unlock();
      }
    } catch (RocksDBException e) {
      throw fail(Errors.of(e, "spilling uncommitted writes", directory.path()));
    }
  }

  /** Writes the overlays' rows past the log, in pieces. */
  private void writeOverlays() throws RocksDBException {
    BatchBytes batch = new BatchBytes(SPILL_BYTES + (64 << 10));
    for (Family family : families.values()) {
      int id = database.id(family.index);
      try (StateIterator rows = freeze(family).scan(ScanRange.all())) {
        while (rows.next()) {
          add(batch, id, rows);
          if (batch.size() >= SPILL_BYTES) {
            database.write(natives.unlogged(), batch.finish());
          }
        }
      }
    }
    if (!batch.isEmpty()) {
      database.write(natives.unlogged(), batch.finish());
    }
  }

  private SortedByteMap.Frozen freeze(Family family) {
    synchronized (freezing) {
      return family.overlay.freeze();
    }
  }

  private static void add(BatchBytes batch, int columnFamilyId, StateIterator row) {
    if (Overlay.isDeleted(row.value())) {
      batch.delete(columnFamilyId, row.key());
    } else {
      batch.put(columnFamilyId, row.key(), row.value());
    }
  }

  @Override
  public void commit(long version) {
    changing.lock();
    try {
      checkOpen();
      if (version <= this.version) {
        throw StateStoreException.invalid(
            "commit of version "
                + version
                + " to the store of "
                + directory.path()
                + ", which is at version "
                + this.version
                + "; give a greater version");
      }
      ensureDatabase();
      if (!isSpilled() && overlayBytes > MAX_BATCH_BYTES) {
        spill();
      }
      if (isSpilled()) {
        commitSpilled(version);
      } else {
        commitBatch(version);
      }
      content.writeLock().lock();
      try {
        clearOverlays();
        spilledBytes = 0;
        this.version = version;
      } finally {
        content.writeLock().unlock();
      }
    } catch (RocksDBException e) {
      throw fail(Errors.of(e, "committing version " + version, directory.path()));
    } finally {
      changing.unlock();
    }
  }

  private void commitBatch(long version) throws RocksDBException {
    // Overlays are bounded, and their rows take less in a batch than on the heap.
    long bytes = VERSION_BATCH_BYTES;
    for (Family family : families.values()) {
      synchronized (freezing) {
        bytes += family.overlay.batchBytes(database.id(family.index));
      }
    }
    BatchBytes batch = new BatchBytes(Math.toIntExact(bytes));
    for (Family family : families.values()) {
      int id = database.id(family.index);
      try (StateIterator rows = freeze(family).scan(ScanRange.all())) {
        while (rows.next()) {
          add(batch, id, rows);
        }
      }
    }
    addVersion(batch, database, version);
    database.write(natives.logged(), batch.finish());
  }

  private void commitSpilled(long version) throws RocksDBException {
    writeOverlays();
    writeVersion(database, version, natives.unlogged());
    database.flush();
    ids.save(database.directory());
    long checkpoint = directory.generation();
    publish(generation);
    directory.discard(checkpoint);
  }

  private static void addVersion(BatchBytes batch, Database database, long version) {
    batch.put(
        database.metaId(),
        new ByteView(Database.versionKey()),
        new ByteView(Database.versionValue(version)));
  }

  private static void writeVersion(Database database, long version, WriteOptions options)
      throws RocksDBException {
    BatchBytes batch = new BatchBytes(VERSION_BATCH_BYTES);
    addVersion(batch, database, version);
    database.write(options, batch.finish());
  }

  /** Points STATE elsewhere. If that fails nobody knows where it points: the store has failed. */
  private void publish(long generation) {
    try {
      directory.publish(generation);
    } catch (StateStoreException e) {
      throw fail(e);
    }
  }

  @Override
  public void rollback() {
    changing.lock();
    try {
      checkOpen();
      Database committed = database;
      if (isSpilled()) {
        committed = Database.open(natives, directory.database(directory.generation()), declared);
      }
      replace(committed, version);
    } catch (RocksDBException e) {
      throw fail(Errors.of(e, "rolling back to version " + version, directory.path()));
    } finally {
      changing.unlock();
    }
  }

  /** Makes what STATE names, which is {@code next}, the content of the store. */
  private void replace(Database next, long version) {
    Database old = database;
    long oldGeneration = generation;
    content.writeLock().lock();
    try {
      database = next;
      clearOverlays();
      spilledBytes = 0;
      this.version = version;
    } finally {
      content.writeLock().unlock();
    }
    generation = directory.generation();
    if (old != next) {
      // A scan may still read it.
      old.release(() -> directory.discard(oldGeneration));
    }
  }

  // Snapshots.

  @Override
  public void exportSnapshot(SnapshotWriter writer) {
    changing.lock();
    try {
      checkOpen();
      if (isSpilled()) {
        Path committed = directory.database(directory.generation());
        Database source = Database.openReadOnly(natives, committed, declared);
        try {
          export(source, writer);
        } finally {
          source.release();
        }
      } else if (generation > 0) {
        database.flush();
        database.disableFileDeletions();
        try {
          export(database, writer);
        } finally {
          database.enableFileDeletions();
        }
      }
    } catch (RocksDBException e) {
      throw fail(Errors.of(e, "exporting version " + version, directory.path()));
    } finally {
      changing.unlock();
    }
  }

  private void export(Database source, SnapshotWriter writer) {
    List<SnapshotFile> files = new ArrayList<>();
    Set<Long> numbers = new HashSet<>();
    for (LiveFileMetaData file : source.files()) {
      String columnFamily = new String(file.columnFamilyName(), StandardCharsets.US_ASCII);
      if (families.containsKey(columnFamily)) {
        String name = file.fileName().substring(file.fileName().lastIndexOf('/') + 1);
        long number = Long.parseLong(name.substring(0, name.indexOf('.')));
        numbers.add(number);
        files.add(
            new SnapshotFile(
                ids.id(number),
                columnFamily,
                source.directory().resolve(name),
                file.size(),
                file.level(),
                file.smallestKey(),
                file.largestKey(),
                file.smallestSeqno(),
                file.largestSeqno()));
      }
    }
    ids.retain(numbers);
    ids.save(source.directory());
    for (SnapshotFile file : files) {
      if (!writer.reuse(file.id(), file.level())) {
        writer.addFile(file);
      }
    }
  }

  @Override
  public void importSnapshot(SnapshotReader reader) {
    changing.lock();
    try {
      checkOpen();
      long imported = reader.version();
      if (imported < 0) {
        throw StateStoreException.invalid(
            "a snapshot of version " + imported + " for the store of " + directory.path());
      }
      long spilledFrom = isSpilled() ? directory.generation() : 0;
      long next = directory.newGeneration();
      FileIds names = new FileIds();
      Database built = null;
      boolean published = false;
      try {
        built = build(directory.database(next), reader, names);
        built.checkFiles();
        writeVersion(built, imported, natives.forced());
        names.save(built.directory());
        publish(next);
        published = true;
      } catch (RocksDBException e) {
        throw Errors.of(
            e, "importing version " + imported + " (the store is as before)", directory.path());
      } catch (IOException e) {
        throw Errors.io("importing version " + imported + " into", directory.path(), e);
      } finally {
        if (!published) {
          if (built != null) {
            built.release();
          }
          if (directory.generation() != next) {
            directory.discard(next);
          }
        }
      }
      ids = names;
      replace(built, imported);
      if (spilledFrom > 0) {
        directory.discard(spilledFrom);
      }
    } finally {
      changing.unlock();
    }
  }

  /** Makes a database of the snapshot's files; names them in {@code names}. */
  private Database build(Path target, SnapshotReader reader, FileIds names)
      throws RocksDBException, IOException {
    Files.createDirectory(target);
    Path incoming = Files.createDirectory(target.resolve("incoming"));
    List<RocksDirectory.Member> members = new ArrayList<>();
    long number = FIRST_FILE;
    for (SnapshotFile file : reader.files(incoming)) {
      if (!incoming.equals(file.path().getParent())) {
        // It is moved, so it must not be a file the reader still needs.
        throw StateStoreException.internal(
            "file " + file.path() + " of the snapshot was not put into " + incoming, null);
      }
      members.add(member(file, number));
      Files.move(file.path(), target.resolve(RocksDirectory.fileName(number)));
      names.put(number, file.id());
      number++;
    }
    ShardDirectory.delete(incoming);
    if (members.isEmpty()) {
      return Database.create(natives, target, declared);
    }
    RocksDirectory.write(target, Database.columnFamilies(declared), members);
    return Database.open(natives, target, declared);
  }

  private RocksDirectory.Member member(SnapshotFile file, long number) throws IOException {
    if (!families.containsKey(file.columnFamily())) {
      throw StateStoreException.incompatible(
          "file "
              + file.id()
              + " of the snapshot belongs to column family '"
              + file.columnFamily()
              + "', which the store of "
              + directory.path()
              + " does not declare; it has "
              + String.join(", ", families.keySet()));
    }
    long size = Files.size(file.path());
    if (size != file.size()) {
      throw StateStoreException.corrupt(
          "file "
              + file.id()
              + " of the snapshot has "
              + size
              + " bytes, expected "
              + file.size()
              + "; restore from another version");
    }
    return new RocksDirectory.Member(
        file.columnFamily(),
        number,
        size,
        file.level(),
        file.smallestKey(),
        file.largestKey(),
        file.smallestSequence(),
        file.largestSequence());
  }

  // Figures and life.

  @Override
  public Map<String, Long> metrics() {
    checkOpen();
    content.readLock().lock();
    try {
      checkOpen();
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
      metrics.put("rocksdb.spills", spills.sum());
      metrics.put("rocksdb.spilled.bytes", spilledBytes);
      return Map.copyOf(metrics);
    } catch (RocksDBException e) {
      throw fail(Errors.of(e, "reading figures", database.directory()));
    } finally {
      content.readLock().unlock();
    }
  }

  @Override
  public void close() {
    changing.lock();
    try {
      content.writeLock().lock();
      try {
        if (state == State.CLOSED) {
          return;
        }
        state = State.CLOSED;
        clearOverlays();
      } finally {
        content.writeLock().unlock();
      }
      // No scan is opened any more.
      List.copyOf(scans).forEach(Scan::release);
      long own = generation;
      boolean garbage = isSpilled();
      database.release(
          () -> {
            if (garbage) {
              directory.discard(own);
            }
          });
      directory.close();
      backend.forget(this);
    } finally {
      changing.unlock();
    }
  }

  /** Makes the store FAILED by its first error; returns {@code error} to be thrown. */
  StateStoreException fail(StateStoreException error) {
    synchronized (freezing) {
      if (state == State.OPEN) {
        failure = error;
        state = State.FAILED;
      }
    }
    return error;
  }

  void checkOpen() {
    State now = state;
    if (now == State.OPEN) {
      return;
    }
    StateStoreException first = failure;
    if (now == State.FAILED && first != null) {
      throw new StateStoreException(
          first.kind(),
          "the store of " + directory.path() + " has failed: " + first.getMessage(),
          first);
    }
    throw StateStoreException.closed("the store of " + directory.path());
  }

  private Family family(String columnFamily) {
    Family family = families.get(columnFamily);
    if (family == null) {
      throw StateStoreException.invalid(
          "column family '"
              + columnFamily
              + "' is not declared; the store of "
              + directory.path()
              + " has "
              + String.join(", ", families.keySet()));
    }
    return family;
  }

  /** Every operation must be allowed, before any is applied. */
  private void checkOperations(WriteBatch batch) {
    if (batch.hasDeleteRange()) {
      throw StateStoreException.unsupported(
          RocksDbStateStoreProvider.NAME, Capability.DELETE_RANGE);
    }
    if (families.keySet().containsAll(batch.columnFamilies())) {
      return;
    }
    // A batch still names what it was used for before it was cleared: look at what is in it.
    batch.forEach(
        new WriteBatch.Handler() {
          @Override
          public void put(String columnFamily, ByteView key, ByteView value) {
            family(columnFamily);
          }

          @Override
          public void delete(String columnFamily, ByteView key) {
            family(columnFamily);
          }

          @Override
          public void deleteRange(String columnFamily, ByteView from, ByteView to) {
            family(columnFamily);
          }
        });
  }
}
