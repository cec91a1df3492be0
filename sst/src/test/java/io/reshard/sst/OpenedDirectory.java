package io.reshard.sst;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * Opens a directory as a database, compares its rows, works with it and opens it again: a process
 * of its own, so that every release of RocksDB can do it. Needs nothing but this class and
 * RocksDB's own, and calls only what all releases have.
 */
final class OpenedDirectory {
  private static final HexFormat HEX = HexFormat.of();

  private OpenedDirectory() {}

  /** Takes the directory and a file of lines {@code family key value}, keys and values as hex. */
  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    Path directory = Path.of(arguments[0]);
    Map<String, Map<String, String>> expected = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of(arguments[1]))) {
      String[] words = line.split(" ", -1);
      Map<String, String> rows = expected.computeIfAbsent(words[0], name -> new TreeMap<>());
      if (words.length > 1) {
        rows.put(words[1], words[2]);
      }
    }
    List<String> families = new ArrayList<>(expected.keySet());
    families.remove("default");
    families.add(0, "default");
    try (Opened readOnly = new Opened(directory, families, true)) {
      readOnly.compare(expected);
    }
    try (Opened database = new Opened(directory, families, false)) {
      database.compare(expected);
      database.db.verifyChecksum();
      database.change(expected);
      database.compare(expected);
      try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
        database.db.flush(flush, database.handles);
      }
      database.compare(expected);
      for (ColumnFamilyHandle handle : database.handles) {
        database.db.compactRange(handle);
      }
      database.db.verifyChecksum();
      database.compare(expected);
    }
    try (Opened again = new Opened(directory, families, false)) {
      again.compare(expected);
    }
    System.out.println("opened");
  }

  private static final class Opened implements AutoCloseable {
    final RocksDB db;
    final List<String> families;
    final List<ColumnFamilyHandle> handles = new ArrayList<>();
    private final BloomFilter bloom = new BloomFilter(10, false);
    private final ColumnFamilyOptions familyOptions =
        new ColumnFamilyOptions()
            .setTableFormatConfig(
                new BlockBasedTableConfig().setFormatVersion(5).setFilterPolicy(bloom))
            .setForceConsistencyChecks(true)
            .setParanoidFileChecks(true);
    private final DBOptions options =
        new DBOptions().setParanoidChecks(true).setMaxFileOpeningThreads(1);

    Opened(Path directory, List<String> families, boolean readOnly) throws RocksDBException {
      this.families = families;
      List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
      for (String family : families) {
        descriptors.add(
            new ColumnFamilyDescriptor(family.getBytes(StandardCharsets.US_ASCII), familyOptions));
      }
      String path = directory.toString();
      db =
          readOnly
              ? RocksDB.openReadOnly(options, path, descriptors, handles)
              : RocksDB.open(options, path, descriptors, handles);
    }

    /** By a scan, and by point reads, which ask files one by one and stop where one has the key. */
    void compare(Map<String, Map<String, String>> expected) throws RocksDBException, IOException {
      for (int i = 0; i < families.size(); i++) {
        Map<String, String> rows = Objects.requireNonNull(expected.get(families.get(i)));
        Map<String, String> found = new TreeMap<>();
        try (RocksIterator iterator = db.newIterator(handles.get(i))) {
          for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
            found.put(HEX.formatHex(iterator.key()), HEX.formatHex(iterator.value()));
          }
          iterator.status();
        }
        if (!found.equals(rows)) {
          throw new IOException(families.get(i) + ": rows " + found + ", expected " + rows);
        }
        for (Map.Entry<String, String> row : rows.entrySet()) {
          byte[] value = db.get(handles.get(i), HEX.parseHex(row.getKey()));
          if (value == null || !HEX.formatHex(value).equals(row.getValue())) {
            throw new IOException(families.get(i) + ": a point read misses " + row);
          }
          if (db.get(handles.get(i), HEX.parseHex(row.getKey() + "00ff")) != null) {
            throw new IOException(families.get(i) + ": a row too many behind " + row);
          }
        }
      }
    }

    /** Overwrites, deletes and adds rows, in the database and in what is expected of it. */
    void change(Map<String, Map<String, String>> expected) throws RocksDBException {
      for (int i = 0; i < families.size(); i++) {
        Map<String, String> rows = Objects.requireNonNull(expected.get(families.get(i)));
        int n = 0;
        for (String key : List.copyOf(rows.keySet())) {
          if (n % 3 == 0) {
            db.delete(handles.get(i), HEX.parseHex(key));
            rows.remove(key);
          } else if (n % 3 == 1) {
            db.put(handles.get(i), HEX.parseHex(key), new byte[] {1, 2});
            rows.put(key, "0102");
          }
          n++;
        }
        db.put(handles.get(i), new byte[] {0}, new byte[] {7});
        rows.put("00", "07");
      }
    }

    @Override
    public void close() {
      handles.forEach(ColumnFamilyHandle::close);
      db.close();
      options.close();
      familyOptions.close();
      bloom.close();
    }
  }
}
