package com.example.mapdb;

import io.reshard.spi.ByteView;
import io.reshard.spi.Capability;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.Limits;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.mapdb.Atomic;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBException;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * One shard in one MapDB file: a B+ tree for each column family, and the version.
 *
 * <p>The trees are the last committed version, nothing else. Uncommitted writes are kept in memory,
 * in a {@link Layer} above each tree: a rollback drops them, a commit moves them into the trees in
 * one transaction of MapDB. Scans are told of every row before it changes, see {@link MapDbScan}.
 *
 * <p>One lock for readers and writers makes the rest of the rules true.
 */
final class MapDbShard implements ShardStore {
  private static final String FILE = "shard.mapdb";
  private static final String PREFIX = "cf-";

  /** What a column family is made of. */
  private static final class Family {
    private final Layer uncommitted = new Layer();
    private BTreeMap<byte[], byte[]> tree;
  }

  private final Path directory;
  private final Consumer<MapDbShard> onClose;
  private final DB database;
  private final Map<String, Family> families = new LinkedHashMap<>();
  private final Set<MapDbScan> scans = ConcurrentHashMap.newKeySet();
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private final AtomicLong gets = new AtomicLong();
  private final AtomicLong scanned = new AtomicLong();
  private final AtomicLong writes = new AtomicLong();
  private Atomic.Long committedVersion;
  private volatile long uncommittedBytes;
  private volatile State state = State.OPEN;
  private StateStoreException failure;

  private MapDbShard(Path directory, Consumer<MapDbShard> onClose, DB database) {
    this.directory = directory;
    this.onClose = onClose;
    this.database = database;
  }

  static MapDbShard open(
      Path directory, List<ColumnFamily> columnFamilies, Consumer<MapDbShard> onClose) {
    DB database = null;
    try {
      Files.createDirectories(directory);
      database =
          DBMaker.fileDB(directory.resolve(FILE).toFile())
              .fileChannelEnable()
              .transactionEnable()
              .make();
      MapDbShard shard = new MapDbShard(directory, onClose, database);
      shard.checkColumnFamilies(columnFamilies);
      shard.openTrees();
      database.commit();
      return shard;
    } catch (IOException | RuntimeException e) {
      if (database != null) {
        database.close();
      }
      throw e instanceof StateStoreException known ? known : translated(directory, e);
    }
  }

  private void checkColumnFamilies(List<ColumnFamily> columnFamilies) {
    Set<String> declared = new TreeSet<>();
    for (ColumnFamily columnFamily : columnFamilies) {
      families.put(columnFamily.name(), new Family());
      declared.add(columnFamily.name());
    }
    Set<String> found = new TreeSet<>();
    for (String name : database.getAllNames()) {
      if (name.startsWith(PREFIX)) {
        found.add(name.substring(PREFIX.length()));
      }
    }
    if (!found.isEmpty() && !found.equals(declared)) {
      throw StateStoreException.incompatible(
          "shard "
              + directory
              + " has column families "
              + found
              + ", not "
              + declared
              + "; open it with those, or use another directory");
    }
  }

  private void openTrees() {
    families.forEach(
        (name, family) ->
            family.tree =
                database
                    .treeMap(PREFIX + name)
                    .keySerializer(Serializer.BYTE_ARRAY)
                    .valueSerializer(Serializer.BYTE_ARRAY)
                    .valuesOutsideNodesEnable()
                    .counterEnable()
                    .createOrOpen());
    committedVersion = database.atomicLong("version").createOrOpen();
  }

  private static StateStoreException translated(Path directory, Exception e) {
    Kind kind = Kind.INTERNAL;
    if (e instanceof IOException || e instanceof DBException.VolumeIOError) {
      kind = Kind.UNAVAILABLE;
    } else if (e instanceof DBException.DataCorruption
        || e instanceof DBException.PointerChecksumBroken
        || e instanceof DBException.GetVoid
        || e instanceof DBException.VolumeEOF
        || e instanceof DBException.WrongFormat) {
      kind = Kind.CORRUPT;
    }
    return new StateStoreException(
        kind, "shard " + directory + ": " + e + "; close it and restore it from a snapshot", e);
  }

  Path directory() {
    return directory;
  }

  long uncommittedBytes() {
    return uncommittedBytes;
  }

  NavigableMap<byte[], byte[]> tree(String columnFamily) {
    return family(columnFamily).tree;
  }

  void forget(MapDbScan scan) {
    scans.remove(scan);
  }

  /** Reads beside other readers. */
  <T> T read(Supplier<T> call) {
    return locked(lock.readLock(), call);
  }

  private void change(Runnable call) {
    locked(
        lock.writeLock(),
        () -> {
          call.run();
          return null;
        });
  }

  private <T> T locked(Lock held, Supplier<T> call) {
    held.lock();
    try {
      if (state == State.FAILED) {
        throw new StateStoreException(failure.kind(), failure.getMessage(), failure);
      } else if (state != State.OPEN) {
        throw StateStoreException.closed("shard " + directory);
      }
      return call.get();
    } catch (DBException e) {
      failure = translated(directory, e);
      state = State.FAILED;
      throw failure;
    } finally {
      held.unlock();
    }
  }

  private Family family(String columnFamily) {
    Family family = families.get(columnFamily);
    if (family == null) {
      throw StateStoreException.invalid(
          "no column family '"
              + columnFamily
              + "'; there are: "
              + String.join(", ", families.keySet()));
    }
    return family;
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public long version() {
    return read(() -> committedVersion.get());
  }

  @Override
  public byte[] get(String columnFamily, byte[] key) {
    return read(
        () -> {
          gets.incrementAndGet();
          return get(family(columnFamily), key);
        });
  }

  private static byte[] get(Family family, byte[] key) {
    Limits.check(key.length, 0);
    byte[] value = family.uncommitted.rows().get(key);
    if (value == null) {
      value = family.tree.get(key);
    }
    return value == null || value == Layer.NONE ? null : value.clone();
  }

  @Override
  public byte[][] multiGet(String columnFamily, byte[][] keys) {
    return read(
        () -> {
          Family family = family(columnFamily);
          byte[][] values = new byte[keys.length][];
          for (int i = 0; i < keys.length; i++) {
            values[i] = get(family, keys[i]);
          }
          gets.addAndGet(keys.length);
          return values;
        });
  }

  @Override
  public StateIterator scan(String columnFamily, ScanRange range) {
    // Exclusive, because it marks the layer as shared.
    return locked(
        lock.writeLock(),
        () -> {
          scanned.incrementAndGet();
          Layer uncommitted = family(columnFamily).uncommitted;
          MapDbScan scan = new MapDbScan(this, columnFamily, range, uncommitted.share());
          scans.add(scan);
          return scan;
        });
  }

  @Override
  public void write(WriteBatch batch) {
    change(
        () -> {
          batch.columnFamilies().forEach(this::family);
          if (batch.hasDeleteRange()) {
            throw StateStoreException.unsupported(
                MapDbStateStoreProvider.NAME, Capability.DELETE_RANGE);
          }
          batch.forEach(
              new WriteBatch.Handler() {
                @Override
                public void put(String columnFamily, ByteView key, ByteView value) {
                  family(columnFamily).uncommitted.put(key, value);
                }

                @Override
                public void delete(String columnFamily, ByteView key) {
                  family(columnFamily).uncommitted.delete(key);
                }

                @Override
                public void deleteRange(String columnFamily, ByteView from, ByteView to) {
                  throw new IllegalStateException("refused above");
                }
              });
          uncommittedBytes += batch.byteSize();
          writes.addAndGet(batch.count());
        });
  }

  @Override
  public void commit(long version) {
    change(
        () -> {
          if (version <= committedVersion.get()) {
            throw StateStoreException.invalid(
                "commit of version "
                    + version
                    + " after version "
                    + committedVersion.get()
                    + "; give a greater one");
          }
          families.forEach(
              (name, family) ->
                  family
                      .uncommitted
                      .rows()
                      .forEach((key, value) -> set(name, family.tree, key, value)));
          committedVersion.set(version);
          database.commit();
          dropUncommitted();
        });
  }

  /** Changes a committed row, once every open scan has been given what it was. */
  private void set(String columnFamily, BTreeMap<byte[], byte[]> tree, byte[] key, byte[] value) {
    byte[] old = value == Layer.NONE ? tree.remove(key) : tree.put(key, value);
    for (MapDbScan scan : scans) {
      if (scan.columnFamily().equals(columnFamily)) {
        scan.keep(key, old == null ? Layer.NONE : old);
      }
    }
  }

  private void dropUncommitted() {
    families.values().forEach(family -> family.uncommitted.clear());
    uncommittedBytes = 0;
  }

  @Override
  public void rollback() {
    change(this::dropUncommitted);
  }

  @Override
  public void exportSnapshot(SnapshotWriter writer) {
    change(
        () ->
            families.forEach(
                (name, family) -> {
                  if (!family.tree.isEmpty()) {
                    // Nothing uncommitted above: what is below is the last version.
                    try (MapDbScan rows =
                        new MapDbScan(this, name, ScanRange.all(), new TreeMap<>())) {
                      writer.addRows(name, rows);
                    }
                  }
                }));
  }

  @Override
  public void importSnapshot(SnapshotReader reader) {
    change(
        () -> {
          try {
            families.forEach((name, family) -> importRows(name, family.tree, reader));
            committedVersion.set(reader.version());
            database.commit();
            dropUncommitted();
          } catch (StateStoreException e) {
            database.rollback();
            openTrees();
            throw e;
          }
        });
  }

  private void importRows(String name, BTreeMap<byte[], byte[]> tree, SnapshotReader reader) {
    for (byte[] key = first(tree); key != null; key = first(tree)) {
      set(name, tree, key, Layer.NONE);
    }
    try (StateIterator rows = reader.rows(name)) {
      while (rows.next()) {
        set(name, tree, rows.key().toByteArray(), rows.value().toByteArray());
      }
    }
  }

  private static byte[] first(BTreeMap<byte[], byte[]> tree) {
    return tree.isEmpty() ? null : tree.firstKey();
  }

  @Override
  public Map<String, Long> metrics() {
    return read(
        () -> {
          long rows = 0;
          for (Family family : families.values()) {
            rows += family.tree.sizeLong() + family.uncommitted.rows().size();
          }
          return Map.of(
              "memory.bytes",
              uncommittedBytes,
              "uncommitted.bytes",
              uncommittedBytes,
              "rows.estimate",
              rows,
              "gets",
              gets.get(),
              "scans",
              scanned.get(),
              "writes",
              writes.get());
        });
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      if (state == State.CLOSED) {
        return;
      }
      state = State.CLOSED;
      families.values().forEach(family -> family.uncommitted.clear());
      scans.clear();
      database.close();
    } finally {
      lock.writeLock().unlock();
    }
    onClose.accept(this);
  }
}
