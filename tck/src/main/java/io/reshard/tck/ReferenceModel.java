package io.reshard.tck;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ByteView;
import io.reshard.spi.Capability;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.Limits;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreProvider;
import io.reshard.spi.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The SPI in as little code as shows it to be right: what other backends are compared with, what
 * portable snapshots are exchanged with, and what the kit itself is tested on. Not for use.
 *
 * <p>A column family is a {@link TreeMap} that is copied by the first write after somebody else
 * (the last version, a scan) holds on to it. Every method holds the store's lock. That makes every
 * rule about isolation and exclusion true by looking at it, and is as slow as it sounds.
 */
final class ReferenceModel implements StateStoreProvider {
  /** Its name. */
  static final String NAME = "reference-model";

  private final Set<Capability> capabilities;

  /** A model that can do all that state in memory can. */
  ReferenceModel() {
    this(Set.of(Capability.REVERSE_SCAN, Capability.DELETE_RANGE));
  }

  /** A model that can do less. */
  ReferenceModel(Set<Capability> capabilities) {
    this.capabilities = Set.copyOf(capabilities);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int spiVersion() {
    return SPI_VERSION;
  }

  @Override
  public Set<Capability> capabilities() {
    return capabilities;
  }

  @Override
  public String description() {
    return "the kit's own model: sorted maps in memory, for comparison only";
  }

  @Override
  public Backend start(BackendOptions options) {
    if (!options.options().isEmpty()) {
      throw StateStoreException.invalid(
          "option '" + options.options().keySet().iterator().next() + "'; there are none");
    }
    return new ModelBackend(capabilities);
  }

  private static final class ModelBackend implements Backend {
    private final Set<Capability> capabilities;
    private final Map<Path, ModelStore> stores = new ConcurrentHashMap<>();
    private boolean closed;

    ModelBackend(Set<Capability> capabilities) {
      this.capabilities = capabilities;
    }

    @Override
    public synchronized ShardStore open(ShardOptions options) {
      if (closed) {
        throw StateStoreException.closed("backend '" + NAME + "'");
      }
      Path directory = options.directory().toAbsolutePath().normalize();
      if (stores.containsKey(directory)) {
        throw StateStoreException.invalid(directory + " is open already; close it first");
      }
      try {
        Files.createDirectories(directory);
      } catch (IOException e) {
        throw StateStoreException.unavailable(directory + " cannot be made: " + e, e);
      }
      ModelStore store = new ModelStore(options, capabilities, () -> stores.remove(directory));
      stores.put(directory, store);
      return store;
    }

    @Override
    public long memoryUsed() {
      return stores.values().stream().mapToLong(ModelStore::memory).sum();
    }

    @Override
    public void close() {
      synchronized (this) {
        closed = true;
      }
      stores.values().forEach(ModelStore::close);
    }
  }

  /** A sorted map that others may hold on to. */
  private static final class Table {
    private NavigableMap<byte[], byte[]> rows;
    private boolean shared;

    Table(NavigableMap<byte[], byte[]> rows, boolean shared) {
      this.rows = rows;
      this.shared = shared;
    }

    static Table empty() {
      return new Table(new TreeMap<>(Arrays::compareUnsigned), false);
    }

    NavigableMap<byte[], byte[]> share() {
      shared = true;
      return rows;
    }

    NavigableMap<byte[], byte[]> toWrite() {
      if (shared) {
        rows = new TreeMap<>(rows);
        shared = false;
      }
      return rows;
    }
  }

  private static final class ModelStore implements ShardStore {
    private final Set<Capability> capabilities;
    private final Runnable onClose;
    private final Path directory;
    private Map<String, Table> working = new LinkedHashMap<>();
    private Map<String, NavigableMap<byte[], byte[]>> committed = new HashMap<>();
    private volatile State state = State.OPEN;
    private long version;
    private long uncommittedBytes;
    private long gets;
    private long scans;
    private long writes;

    ModelStore(ShardOptions options, Set<Capability> capabilities, Runnable onClose) {
      this.capabilities = capabilities;
      this.onClose = onClose;
      this.directory = options.directory();
      for (ColumnFamily columnFamily : options.columnFamilies()) {
        working.put(columnFamily.name(), Table.empty());
      }
      keep();
    }

    /** Makes the working state the last version. */
    private void keep() {
      Map<String, NavigableMap<byte[], byte[]>> kept = new HashMap<>();
      working.forEach((name, table) -> kept.put(name, table.share()));
      committed = kept;
      uncommittedBytes = 0;
    }

    private void checkOpen() {
      if (state != State.OPEN) {
        throw StateStoreException.closed("shard " + directory);
      }
    }

    private Table table(String columnFamily) {
      Table table = working.get(columnFamily);
      if (table == null) {
        throw StateStoreException.invalid(
            "no column family '"
                + columnFamily
                + "'; there are: "
                + String.join(", ", working.keySet()));
      }
      return table;
    }

    private void checkDeclared(Capability capability) {
      if (!capabilities.contains(capability)) {
        throw StateStoreException.unsupported(NAME, capability);
      }
    }

    @Override
    public State state() {
      return state;
    }

    @Override
    public synchronized long version() {
      checkOpen();
      return version;
    }

    @Override
    public synchronized byte @Nullable [] get(String columnFamily, byte[] key) {
      checkOpen();
      Limits.check(key.length, 0);
      gets++;
      byte[] value = table(columnFamily).rows.get(key);
      return value == null ? null : value.clone();
    }

    @Override
    public synchronized byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
      checkOpen();
      table(columnFamily);
      byte[][] values = new byte[keys.length][];
      for (int i = 0; i < keys.length; i++) {
        byte[] value = get(columnFamily, keys[i]);
        if (value != null) {
          values[i] = value;
        }
      }
      return values;
    }

    @Override
    public synchronized StateIterator scan(String columnFamily, ScanRange range) {
      checkOpen();
      Table table = table(columnFamily);
      if (range.direction() == ScanRange.Direction.REVERSE) {
        checkDeclared(Capability.REVERSE_SCAN);
      }
      scans++;
      return new ModelIterator(this, within(table.share(), range));
    }

    private static NavigableMap<byte[], byte[]> within(
        NavigableMap<byte[], byte[]> rows, ScanRange range) {
      if (range.isEmpty()) {
        return new TreeMap<>(Arrays::compareUnsigned);
      }
      NavigableMap<byte[], byte[]> part = rows;
      if (range.from() != null) {
        part = part.tailMap(range.from(), true);
      }
      if (range.to() != null) {
        part = part.headMap(range.to(), false);
      }
      return range.direction() == ScanRange.Direction.REVERSE ? part.descendingMap() : part;
    }

    @Override
    public synchronized void write(WriteBatch batch) {
      checkOpen();
      batch.columnFamilies().forEach(this::table);
      if (batch.hasDeleteRange()) {
        checkDeclared(Capability.DELETE_RANGE);
      }
      batch.forEach(
          new WriteBatch.Handler() {
            @Override
            public void put(String columnFamily, ByteView key, ByteView value) {
              table(columnFamily).toWrite().put(key.toByteArray(), value.toByteArray());
            }

            @Override
            public void delete(String columnFamily, ByteView key) {
              table(columnFamily).toWrite().remove(key.toByteArray());
            }

            @Override
            public void deleteRange(String columnFamily, ByteView from, ByteView to) {
              within(
                      table(columnFamily).toWrite(),
                      ScanRange.between(from.toByteArray(), to.toByteArray()))
                  .clear();
            }
          });
      writes += batch.count();
      uncommittedBytes += batch.byteSize();
    }

    @Override
    public synchronized void commit(long version) {
      checkOpen();
      if (version <= this.version) {
        throw StateStoreException.invalid(
            "commit of version "
                + version
                + " after version "
                + this.version
                + "; versions must count up");
      }
      keep();
      this.version = version;
    }

    @Override
    public synchronized void rollback() {
      checkOpen();
      working.replaceAll((name, table) -> new Table(rowsOf(name), true));
      uncommittedBytes = 0;
    }

    private NavigableMap<byte[], byte[]> rowsOf(String columnFamily) {
      return Objects.requireNonNull(committed.get(columnFamily));
    }

    @Override
    public synchronized void exportSnapshot(SnapshotWriter writer) {
      checkOpen();
      for (String name : working.keySet()) {
        NavigableMap<byte[], byte[]> rows = rowsOf(name);
        if (!rows.isEmpty()) {
          try (StateIterator iterator = new ModelIterator(this, rows)) {
            writer.addRows(name, iterator);
          }
        }
      }
    }

    @Override
    public synchronized void importSnapshot(SnapshotReader reader) {
      checkOpen();
      Map<String, Table> imported = new LinkedHashMap<>();
      for (String name : working.keySet()) {
        Table table = Table.empty();
        try (StateIterator rows = reader.rows(name)) {
          while (rows.next()) {
            table.rows.put(rows.key().toByteArray(), rows.value().toByteArray());
          }
        }
        imported.put(name, table);
      }
      long importedVersion = reader.version();
      working = imported;
      version = importedVersion;
      keep();
    }

    @Override
    public synchronized Map<String, Long> metrics() {
      checkOpen();
      long rows = working.values().stream().mapToLong(table -> table.rows.size()).sum();
      return Map.of(
          "memory.bytes",
          memory(),
          "uncommitted.bytes",
          uncommittedBytes,
          "rows.estimate",
          rows,
          "gets",
          gets,
          "scans",
          scans,
          "writes",
          writes);
    }

    private synchronized long memory() {
      long bytes = 0;
      for (Table table : working.values()) {
        for (Map.Entry<byte[], byte[]> row : table.rows.entrySet()) {
          bytes += row.getKey().length + row.getValue().length;
        }
      }
      return bytes;
    }

    @Override
    public void close() {
      synchronized (this) {
        if (state == State.CLOSED) {
          return;
        }
        state = State.CLOSED;
        working.replaceAll((name, table) -> Table.empty());
        committed.clear();
      }
      onClose.run();
    }
  }

  private static final class ModelIterator implements StateIterator {
    private final ModelStore store;
    private final Iterator<Map.Entry<byte[], byte[]>> rows;
    private final ByteView key = new ByteView();
    private final ByteView value = new ByteView();
    private boolean onRow;
    private boolean closed;

    ModelIterator(ModelStore store, Map<byte[], byte[]> rows) {
      this.store = store;
      this.rows = rows.entrySet().iterator();
    }

    @Override
    public boolean next() {
      if (closed) {
        throw StateStoreException.closed("iterator");
      }
      store.checkOpen();
      onRow = rows.hasNext();
      if (onRow) {
        // Copies, because whoever has a view has the array behind it.
        Map.Entry<byte[], byte[]> row = rows.next();
        key.set(row.getKey().clone(), 0, row.getKey().length);
        value.set(row.getValue().clone(), 0, row.getValue().length);
      }
      return onRow;
    }

    @Override
    public ByteView key() {
      checkOnRow();
      return key;
    }

    @Override
    public ByteView value() {
      checkOnRow();
      return value;
    }

    private void checkOnRow() {
      if (!onRow || closed) {
        throw StateStoreException.invalid("no current row; call next() until it returns false");
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
