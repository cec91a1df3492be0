package io.reshard.tck;

import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstReader;
import io.reshard.sst.SstSource;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the kit puts snapshots: what a snapshot store is, in little. It is a door of its own beside
 * that of {@code reshard-checkpoint-core}, because it notes how a backend behaves at it: which
 * files it offers, adds, adds again, or adds with other bytes under the same id.
 *
 * <p>Files are kept for as long as the shelf, so that several shards and many versions share them.
 */
final class SnapshotShelf {
  /** A file on the shelf. */
  private record Kept(SnapshotFile file, String sha256) {}

  private final Path directory;
  private final Map<String, Kept> files = new HashMap<>();
  private final List<String> faults = new ArrayList<>();
  private int copies;

  SnapshotShelf(Path directory) {
    this.directory = directory;
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * One version of a shard.
   *
   * @param version its number
   * @param rows the column families that were given as rows
   * @param files the files of the others
   * @param added ids of the files that were added for it
   * @param addedBytes their bytes
   */
  record Snapshot(
      long version,
      Map<String, NavigableMap<ByteView, ByteView>> rows,
      List<SnapshotFile> files,
      Set<String> added,
      long addedBytes) {
    /** What the rows of a column family are, deletes and overwrites resolved. */
    NavigableMap<ByteView, ByteView> of(String columnFamily) {
      NavigableMap<ByteView, ByteView> all = Rows.none();
      for (Row row : Rows.drain(SnapshotShelf.rows(this, columnFamily))) {
        all.put(row.key(), row.value());
      }
      return all;
    }
  }

  /** What was done against the rules at this door, so far. */
  List<String> faults() {
    return faults;
  }

  /** Forgets every file, as if the snapshot store had been emptied. */
  void forget() {
    files.clear();
  }

  /** Exports the last version of a shard. */
  Snapshot export(ShardStore store) {
    Writer writer = new Writer();
    store.exportSnapshot(writer);
    return new Snapshot(
        store.version(), writer.rows, writer.files, writer.added, writer.addedBytes);
  }

  private final class Writer implements SnapshotWriter {
    private final Map<String, NavigableMap<ByteView, ByteView>> rows = new LinkedHashMap<>();
    private final List<SnapshotFile> files = new ArrayList<>();
    private final Set<String> offered = new HashSet<>();
    private final Set<String> added = new HashSet<>();
    private long addedBytes;

    @Override
    public boolean reuse(String fileId) {
      offered.add(fileId);
      Kept kept = SnapshotShelf.this.files.get(fileId);
      if (kept == null) {
        return false;
      }
      files.add(kept.file);
      return true;
    }

    @Override
    public void addFile(SnapshotFile file) {
      if (!offered.contains(file.id())) {
        faults.add("file '" + file.id() + "' was added without asking reuse() first");
      }
      Path copy = directory.resolve("file-" + copies++ + ".sst");
      byte[] bytes = read(file.path());
      write(copy, bytes);
      String sha256 = sha256(bytes);
      Kept before = SnapshotShelf.this.files.get(file.id());
      if (before != null) {
        faults.add(
            before.sha256.equals(sha256)
                ? "file '" + file.id() + "' was added again"
                : "file '" + file.id() + "' was added with other bytes than before");
      }
      SnapshotFile own = at(file, copy);
      faults.addAll(differences(own, bytes.length));
      SnapshotShelf.this.files.put(file.id(), new Kept(own, sha256));
      files.add(own);
      added.add(file.id());
      addedBytes += bytes.length;
    }

    @Override
    public void addRows(String columnFamily, StateIterator given) {
      NavigableMap<ByteView, ByteView> taken = Rows.none();
      while (given.next()) {
        ByteView key = new ByteView(given.key().toByteArray());
        if (!taken.isEmpty() && taken.lastKey().compareTo(key) >= 0) {
          throw StateStoreException.invalid(
              "exported key " + key + " after " + taken.lastKey() + "; keys must ascend");
        }
        taken.put(key, new ByteView(given.value().toByteArray()));
      }
      if (rows.put(columnFamily, taken) != null) {
        faults.add("the rows of '" + columnFamily + "' were added twice");
      }
    }
  }

  private static SnapshotFile at(SnapshotFile file, Path path) {
    return new SnapshotFile(
        file.id(),
        file.columnFamily(),
        path,
        file.size(),
        file.level(),
        file.smallestKey(),
        file.largestKey(),
        file.smallestSequence(),
        file.largestSequence());
  }

  /** Where a file is not what was said of it. */
  private static List<String> differences(SnapshotFile file, long size) {
    List<String> differences = new ArrayList<>();
    String what = "file '" + file.id() + "': ";
    if (file.size() != size) {
      differences.add(what + file.size() + " bytes were said, it has " + size);
    }
    byte @Nullable [] first = null;
    byte[] last = new byte[0];
    try (EntryCursor entries = open(file.path())) {
      while (entries.next()) {
        last = entries.key().toByteArray();
        if (first == null) {
          first = last;
        }
        if (entries.sequence() < file.smallestSequence()
            || entries.sequence() > file.largestSequence()) {
          differences.add(
              what
                  + "sequence "
                  + entries.sequence()
                  + " is not within "
                  + file.smallestSequence()
                  + " and "
                  + file.largestSequence());
          break;
        }
      }
    }
    if (first != null && differences.isEmpty()) {
      if (Arrays.compareUnsigned(first, file.smallestKey()) < 0
          || Arrays.compareUnsigned(last, file.largestKey()) > 0) {
        differences.add(
            what
                + "keys go from "
                + new ByteView(first)
                + " to "
                + new ByteView(last)
                + ", said was "
                + new ByteView(file.smallestKey())
                + " to "
                + new ByteView(file.largestKey()));
      }
    }
    return differences;
  }

  /** The entries of a file; closing them closes it. */
  private static EntryCursor open(Path path) {
    SstReader reader = SstReader.open(SstSource.ofFile(path));
    EntryCursor cursor = reader.cursor();
    return new EntryCursor() {
      @Override
      public boolean next() {
        return cursor.next();
      }

      @Override
      public ByteView key() {
        return cursor.key();
      }

      @Override
      public ByteView value() {
        return cursor.value();
      }

      @Override
      public long sequence() {
        return cursor.sequence();
      }

      @Override
      public EntryType type() {
        return cursor.type();
      }

      @Override
      public void close() {
        cursor.close();
        reader.close();
      }
    };
  }

  private static StateIterator rows(Snapshot snapshot, String columnFamily) {
    NavigableMap<ByteView, ByteView> rows = snapshot.rows.get(columnFamily);
    if (rows != null) {
      return new MapIterator(rows);
    }
    List<EntryCursor> cursors = new ArrayList<>();
    for (SnapshotFile file : snapshot.files) {
      if (file.columnFamily().equals(columnFamily)) {
        cursors.add(open(file.path()));
      }
    }
    return Cursors.rows(Cursors.merge(cursors));
  }

  /** Makes a snapshot of rows, given as rows. */
  static Snapshot ofRows(long version, Map<String, NavigableMap<ByteView, ByteView>> rows) {
    return new Snapshot(version, rows, List.of(), Set.of(), 0);
  }

  /** An entry to be written to a file. */
  record Entry(ByteView key, long sequence, EntryType type, ByteView value) {}

  /** Writes a file as some backend would, and puts it on the shelf. */
  SnapshotFile file(String columnFamily, int level, List<Entry> entries) {
    Path path = directory.resolve("file-" + copies++ + ".sst");
    long smallest = Long.MAX_VALUE;
    long largest = 0;
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(path));
        SstWriter writer =
            SstWriter.create(path.toString(), out, SstWriterOptions.defaults(columnFamily))) {
      for (Entry entry : entries) {
        writer.add(entry.key, entry.sequence, entry.type, entry.value);
        smallest = Math.min(smallest, entry.sequence);
        largest = Math.max(largest, entry.sequence);
      }
      writer.finish();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] bytes = read(path);
    SnapshotFile file =
        new SnapshotFile(
            "shelf-" + path.getFileName(),
            columnFamily,
            path,
            bytes.length,
            level,
            entries.get(0).key.toByteArray(),
            entries.get(entries.size() - 1).key.toByteArray(),
            smallest,
            largest);
    files.put(file.id(), new Kept(file, sha256(bytes)));
    return file;
  }

  /** A snapshot of files. */
  static Snapshot ofFiles(long version, List<SnapshotFile> files) {
    return new Snapshot(version, Map.of(), files, Set.of(), 0);
  }

  /** Reads a snapshot back, by rows or by files, as the backend likes. */
  SnapshotReader reader(Snapshot snapshot) {
    return reader(snapshot, Integer.MAX_VALUE);
  }

  /**
   * The same, but it fails with UNAVAILABLE after {@code limit} rows, or where all files are wanted
   * at once.
   */
  SnapshotReader reader(Snapshot snapshot, int limit) {
    return new SnapshotReader() {
      private int shown;

      @Override
      public long version() {
        return snapshot.version;
      }

      @Override
      public StateIterator rows(String columnFamily) {
        return new Limited(SnapshotShelf.rows(snapshot, columnFamily), this::count);
      }

      private void count() {
        if (shown++ >= limit) {
          throw StateStoreException.unavailable("the snapshot store does not answer", null);
        }
      }

      @Override
      public List<SnapshotFile> files(Path target) {
        if (limit != Integer.MAX_VALUE) {
          throw StateStoreException.unavailable("the snapshot store does not answer", null);
        }
        return SnapshotShelf.this.files(snapshot, target);
      }
    };
  }

  private List<SnapshotFile> files(Snapshot snapshot, Path target) {
    List<SnapshotFile> placed = new ArrayList<>();
    List<SnapshotFile> all = new ArrayList<>(snapshot.files);
    snapshot.rows.forEach(
        (columnFamily, rows) -> {
          if (!rows.isEmpty()) {
            List<Entry> entries = new ArrayList<>();
            rows.forEach((key, value) -> entries.add(new Entry(key, 0, EntryType.PUT, value)));
            all.add(file(columnFamily, 1, entries));
          }
        });
    try {
      Files.createDirectories(target);
      for (SnapshotFile file : all) {
        Path link = target.resolve("shelf-" + placed.size() + ".sst");
        Files.createLink(link, file.path());
        placed.add(at(file, link));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return placed;
  }

  /** A writer that takes nothing. */
  static SnapshotWriter refusing() {
    return new SnapshotWriter() {
      @Override
      public boolean reuse(String fileId) {
        return false;
      }

      @Override
      public void addFile(SnapshotFile file) {
        throw StateStoreException.unavailable("the snapshot store takes no file", null);
      }

      @Override
      public void addRows(String columnFamily, StateIterator rows) {
        // Halfway, so that an iterator of the backend is open.
        rows.next();
        throw StateStoreException.unavailable("the snapshot store takes no rows", null);
      }
    };
  }

  /** A version without rows. */
  static SnapshotReader empty(long version) {
    return new SnapshotReader() {
      @Override
      public long version() {
        return version;
      }

      @Override
      public StateIterator rows(String columnFamily) {
        return new MapIterator(Rows.none());
      }

      @Override
      public List<SnapshotFile> files(Path target) {
        return List.of();
      }
    };
  }

  /** Everything a shard holds now, column family by column family. */
  static Map<String, NavigableMap<ByteView, ByteView>> content(
      ShardStore store, List<ColumnFamily> columnFamilies) {
    Map<String, NavigableMap<ByteView, ByteView>> content = new LinkedHashMap<>();
    for (ColumnFamily columnFamily : columnFamilies) {
      NavigableMap<ByteView, ByteView> rows = Rows.none();
      for (Row row : Rows.all(store, columnFamily.name())) {
        rows.put(row.key(), row.value());
      }
      content.put(columnFamily.name(), rows);
    }
    return content;
  }

  private static byte[] read(Path path) {
    try {
      return Files.readAllBytes(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path path, byte[] bytes) {
    try {
      Files.write(path, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Rows of a map. */
  private static final class MapIterator implements StateIterator {
    private final Iterator<Map.Entry<ByteView, ByteView>> rows;
    private final ByteView key = new ByteView();
    private final ByteView value = new ByteView();
    private boolean onRow;

    MapIterator(NavigableMap<ByteView, ByteView> rows) {
      this.rows = rows.entrySet().iterator();
    }

    @Override
    public boolean next() {
      onRow = rows.hasNext();
      if (onRow) {
        Map.Entry<ByteView, ByteView> row = rows.next();
        key.set(row.getKey().array(), row.getKey().offset(), row.getKey().length());
        value.set(row.getValue().array(), row.getValue().offset(), row.getValue().length());
      }
      return onRow;
    }

    @Override
    public ByteView key() {
      return current(key);
    }

    @Override
    public ByteView value() {
      return current(value);
    }

    private ByteView current(ByteView view) {
      if (!onRow) {
        throw StateStoreException.invalid("no current row");
      }
      return view;
    }

    @Override
    public void close() {}
  }

  /** Rows that are counted. */
  private record Limited(StateIterator rows, Runnable count) implements StateIterator {
    @Override
    public boolean next() {
      count.run();
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
