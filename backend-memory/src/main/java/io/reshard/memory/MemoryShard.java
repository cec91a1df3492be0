package io.reshard.memory;

import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.Limits;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.WriteBatch;
import io.reshard.sst.SortedByteMap;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/** One shard in memory. */
/*
 * How it works.
 *
 * A column family is one SortedByteMap, which is the working state, and the content it had when
 * frozen at the last commit, which is the version. Commit freezes, rollback restores, both in
 * constant time whatever the size of the state.
 *
 * Two locks. `changing` is held by write, commit, rollback, export, import and close for as long as
 * they take, so they exclude one another. `content` guards the maps themselves: lookups share it,
 * and whoever touches a map holds it alone for just that moment. So lookups run while an export or
 * an import is busy with frozen or future content, and wait only for a batch being applied.
 *
 * A lookup reads the live tree under the shared lock instead of a published frozen root, because
 * freezing after every batch would make every write copy its path through the tree: three nodes for
 * each row. Only a scan freezes, as it must keep its moment (S-502); while nothing is written
 * further scans reuse that freeze. What a scan keeps alive is garbage as soon as it is closed.
 */
final class MemoryShard implements ShardStore {
  /** A column family: its working state and its last version. */
  private static final class Family {
    SortedByteMap working = new SortedByteMap();
    SortedByteMap.Frozen committed = working.freeze();
  }

  private final MemoryBackend backend;
  private final Path directory;
  private final Map<String, Family> families = new LinkedHashMap<>();
  private final Lock changing = new ReentrantLock();
  private final ReentrantReadWriteLock content = new ReentrantReadWriteLock();
  private final WriteBatch.Handler applier = new Applier();

  private final LongAdder gets = new LongAdder();
  private final LongAdder scans = new LongAdder();
  private final LongAdder writes = new LongAdder();

  private volatile State state = State.OPEN;
  private volatile @Nullable StateStoreException failure;
  private volatile long version;

  /** Bytes of the keys and values given since the last commit; guarded by {@code content}. */
  private long uncommittedBytes;

  MemoryShard(MemoryBackend backend, Path directory, List<ColumnFamily> columnFamilies) {
    this.backend = backend;
    this.directory = directory;
    for (ColumnFamily columnFamily : columnFamilies) {
      families.put(columnFamily.name(), new Family());
    }
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

  @Override
  public byte @Nullable [] get(String columnFamily, byte[] key) {
    checkOpen();
    Family family = family(columnFamily);
    Limits.check(key.length, 0);
    gets.increment();
    byte[] value;
    content.readLock().lock();
    try {
      checkOpen();
      value = family.working.get(key);
    } finally {
      content.readLock().unlock();
    }
    return value == null ? null : value.clone();
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
    content.readLock().lock();
    try {
      checkOpen();
      for (int i = 0; i < keys.length; i++) {
        values[i] = family.working.get(keys[i]);
      }
    } finally {
      content.readLock().unlock();
    }
    for (int i = 0; i < keys.length; i++) {
      values[i] = values[i] == null ? null : values[i].clone();
    }
    return values;
  }

  @Override
  public StateIterator scan(String columnFamily, ScanRange range) {
    checkOpen();
    Family family = family(columnFamily);
    scans.increment();
    SortedByteMap.Frozen moment;
    content.writeLock().lock();
    try {
      checkOpen();
      moment = family.working.freeze();
    } finally {
      content.writeLock().unlock();
    }
    return new Scan(moment.scan(range));
  }

  @Override
  public void write(WriteBatch batch) {
    changing.lock();
    try {
      checkOpen();
      batch.columnFamilies().forEach(this::family);
      content.writeLock().lock();
      try {
        batch.forEach(applier);
      } catch (OutOfMemoryError e) {
        throw fail(
            StateStoreException.unavailable(
                "the heap is full: a batch of "
                    + batch.byteSize()
                    + " bytes was applied in part to the store of "
                    + directory
                    + "; give the process more heap and restore from a snapshot",
                e));
      } finally {
        content.writeLock().unlock();
      }
      writes.add(batch.count());
    } finally {
      changing.unlock();
    }
  }

  /** Applies operations to the working state; the {@code content} lock is held. */
  private final class Applier implements WriteBatch.Handler {
    @Override
    public void put(String columnFamily, ByteView key, ByteView value) {
      family(columnFamily).working.put(key.toByteArray(), value.toByteArray());
      uncommittedBytes +=
          SortedByteMap.arrayBytes(key.length()) + SortedByteMap.arrayBytes(value.length());
    }

    @Override
    public void delete(String columnFamily, ByteView key) {
      family(columnFamily).working.remove(key.toByteArray());
      uncommittedBytes += SortedByteMap.arrayBytes(key.length());
    }

    @Override
    public void deleteRange(String columnFamily, ByteView from, ByteView to) {
      family(columnFamily).working.removeRange(from.toByteArray(), to.toByteArray());
      uncommittedBytes +=
          SortedByteMap.arrayBytes(from.length()) + SortedByteMap.arrayBytes(to.length());
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
                + directory
                + ", which is at version "
                + this.version
                + "; give a greater version");
      }
      content.writeLock().lock();
      try {
        for (Family family : families.values()) {
          family.committed = family.working.freeze();
        }
        uncommittedBytes = 0;
        this.version = version;
      } finally {
        content.writeLock().unlock();
      }
    } finally {
      changing.unlock();
    }
  }

  @Override
  public void rollback() {
    changing.lock();
    try {
      checkOpen();
      content.writeLock().lock();
      try {
        for (Family family : families.values()) {
          family.working.restore(family.committed);
        }
        uncommittedBytes = 0;
      } finally {
        content.writeLock().unlock();
      }
    } finally {
      changing.unlock();
    }
  }

  @Override
  public void exportSnapshot(SnapshotWriter writer) {
    changing.lock();
    try {
      checkOpen();
      for (Map.Entry<String, Family> entry : families.entrySet()) {
        SortedByteMap.Frozen committed = entry.getValue().committed;
        if (committed.size() > 0) {
          try (StateIterator rows = committed.scan(ScanRange.all())) {
            writer.addRows(entry.getKey(), rows);
          }
        }
      }
    } finally {
      changing.unlock();
    }
  }

  @Override
  public void importSnapshot(SnapshotReader reader) {
    changing.lock();
    try {
      checkOpen();
      long newVersion = reader.version();
      if (newVersion < 0) {
        throw StateStoreException.invalid(
            "a snapshot of version " + newVersion + " for the store of " + directory);
      }
      Map<String, SortedByteMap> imported = new LinkedHashMap<>();
      try {
        for (String name : families.keySet()) {
          imported.put(name, load(name, reader));
        }
      } catch (OutOfMemoryError e) {
        throw StateStoreException.unavailable(
            "the heap is full: version "
                + newVersion
                + " was not imported into the store of "
                + directory
                + ", which is as before; give the process more heap",
            e);
      }
      content.writeLock().lock();
      try {
        for (Map.Entry<String, Family> entry : families.entrySet()) {
          Family family = entry.getValue();
          family.working = imported.getOrDefault(entry.getKey(), new SortedByteMap());
          family.committed = family.working.freeze();
        }
        uncommittedBytes = 0;
        version = newVersion;
      } finally {
        content.writeLock().unlock();
      }
    } finally {
      changing.unlock();
    }
  }

  private static SortedByteMap load(String columnFamily, SnapshotReader reader) {
    SortedByteMap map = new SortedByteMap();
    try (StateIterator rows = reader.rows(columnFamily)) {
      while (rows.next()) {
        Limits.check(rows.key().length(), rows.value().length());
        if (map.put(rows.key().toByteArray(), rows.value().toByteArray()) != null) {
          throw StateStoreException.corrupt(
              "a snapshot gives key "
                  + rows.key()
                  + " of column family '"
                  + columnFamily
                  + "' twice; restore from another version");
        }
      }
    }
    return map;
  }

  @Override
  public Map<String, Long> metrics() {
    checkOpen();
    long rows = 0;
    long uncommitted;
    long memory;
    content.readLock().lock();
    try {
      for (Family family : families.values()) {
        rows += family.working.size();
      }
      uncommitted = uncommittedBytes;
      memory = memoryBytes();
    } finally {
      content.readLock().unlock();
    }
    return Map.of(
        "memory.bytes",
        memory,
        "uncommitted.bytes",
        uncommitted,
        "rows.estimate",
        rows,
        "gets",
        gets.sum(),
        "scans",
        scans.sum(),
        "writes",
        writes.sum());
  }

  /**
   * The version and what was written since. Rows written over again since the last commit count
   * each time, but all of them together no more than the working state as a whole.
   */
  long memoryBytes() {
    content.readLock().lock();
    try {
      long committed = 0;
      long working = 0;
      for (Family family : families.values()) {
        committed += family.committed.bytes();
        working += family.working.bytes();
      }
      return committed + Math.min(uncommittedBytes, working);
    } finally {
      content.readLock().unlock();
    }
  }

  @Override
  public void close() {
    changing.lock();
    try {
      if (state == State.CLOSED) {
        return;
      }
      state = State.CLOSED;
      content.writeLock().lock();
      try {
        for (Family family : families.values()) {
          family.working = new SortedByteMap();
          family.committed = family.working.freeze();
        }
        uncommittedBytes = 0;
      } finally {
        content.writeLock().unlock();
      }
      backend.closed(this, directory);
    } finally {
      changing.unlock();
    }
  }

  private StateStoreException fail(StateStoreException cause) {
    failure = cause;
    state = State.FAILED;
    return cause;
  }

  private void checkOpen() {
    State now = state;
    if (now == State.OPEN) {
      return;
    }
    StateStoreException first = failure;
    if (now == State.FAILED && first != null) {
      throw new StateStoreException(
          first.kind(), "the store of " + directory + " has failed: " + first.getMessage(), first);
    }
    throw StateStoreException.closed("the store of " + directory);
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
              + String.join(", ", families.keySet()));
    }
    return family;
  }

  /** A scan of frozen content that ends with the store. */
  private final class Scan implements StateIterator {
    private final StateIterator rows;

    Scan(StateIterator rows) {
      this.rows = rows;
    }

    @Override
    public boolean next() {
      checkOpen();
      return rows.next();
    }

    @Override
    public ByteView key() {
      return rows.key();
    }

    @Override
    public ByteView value() {
      return rows.value();
    }

    @Override
    public void close() {
      rows.close();
    }
  }
}
