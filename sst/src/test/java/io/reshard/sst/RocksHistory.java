package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ByteView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.ChecksumType;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompactionOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.ExportImportFilesMetaData;
import org.rocksdb.FlushOptions;
import org.rocksdb.ImportColumnFamilyOptions;
import org.rocksdb.IndexType;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.WriteOptions;

/**
 * A random history of one to three column families of a database: writes of every kind, flushes,
 * compactions of several kinds, ingested files, snapshots. Its rows are compared with those that
 * RocksDB's iterator shows of the same files.
 */
final class RocksHistory {
  /** What came up, to know that a test is worth something. */
  enum Seen {
    HISTORIES,
    COMPARISONS,
    AT_SNAPSHOTS,
    ROWS,
    FILES,
    RANGE_DELETIONS,
    CUT_RANGES,
    MERGE_OPERANDS,
    SINGLE_DELETES,
    INGESTED,
    IMPORTED,
    DEEP_LEVELS
  }

  private final RocksDB db;
  private final Path directory;
  private final Random random;
  private final Map<Seen, Long> seen;
  private final String description;
  private final List<Family> families = new ArrayList<>();
  private final List<Snapshot> snapshots = new ArrayList<>();
  private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
  private final FlushOptions flush = new FlushOptions().setWaitForFlush(true);
  private final int keys;
  private final int valueLength;
  private int files;

  /** One column family, with the merge operator it is opened with. */
  private static final class Family implements AutoCloseable {
    final ColumnFamilyOptions options;
    final @Nullable StringAppendOperator operator;
    final ColumnFamilyHandle handle;
    final @Nullable StringAppend append;
    final String name;

    /** Keys that were put once since they were deleted, and are only deleted singly. */
    final Map<String, Boolean> singles = new HashMap<>();

    Family(RocksDB db, Random random, String name) throws RocksDBException {
      this.name = name;
      String delimiter = List.of(",", "--", "", "\0", ";").get(random.nextInt(5));
      int kind = random.nextInt(4);
      this.operator =
          kind == 0
              ? null
              : delimiter.length() == 1
                  ? new StringAppendOperator(delimiter.charAt(0))
                  : new StringAppendOperator(delimiter);
      this.append =
          kind == 0
              ? null
              : delimiter.length() == 1
                  ? StringAppend.of(delimiter.charAt(0))
                  : StringAppend.of(delimiter);
      this.options =
          new ColumnFamilyOptions()
              .setDisableAutoCompactions(random.nextInt(8) != 0)
              .setLevel0FileNumCompactionTrigger(3)
              .setTargetFileSizeBase(300 + random.nextInt(3000))
              .setMaxBytesForLevelBase(2000L + random.nextInt(8000))
              .setMaxBytesForLevelMultiplier(3)
              .setLevelCompactionDynamicLevelBytes(random.nextBoolean())
              .setCompressionType(
                  random.nextBoolean()
                      ? CompressionType.NO_COMPRESSION
                      : CompressionType.LZ4_COMPRESSION)
              .setTableFormatConfig(
                  Rocks.table(2 + random.nextInt(6), ChecksumType.kXXH3)
                      .setBlockSize(random.nextBoolean() ? 128 : 4096)
                      .setSeparateKeyValueInDataBlock(random.nextInt(4) == 0)
                      .setIndexType(
                          random.nextInt(3) == 0
                              ? IndexType.kTwoLevelIndexSearch
                              : IndexType.kBinarySearch));
      if (operator != null) {
        options.setMergeOperator(operator);
      }
      this.handle = db.createColumnFamily(new ColumnFamilyDescriptor(Entry.bytes(name), options));
    }

    @Override
    public void close() {
      handle.close();
      options.close();
      if (operator != null) {
        operator.close();
      }
    }
  }

  private RocksHistory(
      RocksDB db, Path directory, long seed, Map<Seen, Long> seen, String description)
      throws RocksDBException {
    this.db = db;
    this.directory = directory;
    this.random = new Random(seed);
    this.seen = seen;
    this.description = description;
    this.keys = 4 + random.nextInt(random.nextInt(4) == 0 ? 300 : 30);
    this.valueLength = 1 + random.nextInt(120);
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      families.add(new Family(db, random, "history " + seed + " family " + i));
    }
  }

  /**
   * Runs histories with seeds from {@code firstSeed} on, some in one database.
   *
   * @return how often came up what
   */
  static Map<Seen, Long> run(Path directory, long firstSeed, int count)
      throws RocksDBException, IOException {
    Map<Seen, Long> seen = new EnumMap<>(Seen.class);
    for (int done = 0; done < count; done += 50) {
      Path database = directory.resolve("database-" + done);
      try (Options options =
              new Options()
                  .setCreateIfMissing(true)
                  .setMaxBackgroundJobs(1)
                  .setAvoidFlushDuringShutdown(true)
                  .setMaxFileOpeningThreads(1);
          RocksDB db = RocksDB.open(options, database.toString())) {
        for (int i = done; i < Math.min(count, done + 50); i++) {
          long seed = firstSeed + i;
          String description = "replay with -Dreshard.seed=" + seed;
          try {
            new RocksHistory(db, directory, seed, seen, description).live();
          } catch (RuntimeException e) {
            throw new AssertionError(description, e);
          }
          seen.merge(Seen.HISTORIES, 1L, Long::sum);
        }
      }
      delete(database);
    }
    return seen;
  }

  private static void delete(Path directory) throws IOException {
    try (var paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Collections.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private void count(Seen what, long times) {
    seen.merge(what, times, Long::sum);
  }

  private void live() throws RocksDBException {
    try {
      for (int phase = 1 + random.nextInt(6); phase > 0; phase--) {
        for (int i = random.nextInt(60); i > 0; i--) {
          write(family());
        }
        reshape(family());
        if (random.nextInt(3) == 0) {
          compare();
        }
      }
      compare();
      if (random.nextInt(4) == 0) {
        exportAndImport(family());
      }
    } finally {
      snapshots.forEach(db::releaseSnapshot);
      for (Family family : families) {
        db.dropColumnFamily(family.handle);
        family.close();
      }
      unlogged.close();
      flush.close();
    }
  }

  private Family family() {
    return families.get(random.nextInt(families.size()));
  }

  /** Some are prefixes of others, and some have bytes above 127. */
  private static String key(int number) {
    return switch (number % 7) {
      case 0 -> String.format("k%04d", number / 7);
      case 1 -> String.format("k%04d\0", number / 7);
      case 2 -> String.format("k%04d\u00ff", number / 7);
      default -> String.format("k%04d-%d", number / 7, number % 7);
    };
  }

  private byte[] someKey() {
    return random.nextInt(300) == 0 ? new byte[0] : Entry.bytes(key(random.nextInt(keys)));
  }

  private byte[] value() {
    byte[] value = new byte[random.nextInt(6) == 0 ? 0 : random.nextInt(valueLength)];
    random.nextBytes(value);
    return value;
  }

  private void write(Family family) throws RocksDBException {
    ColumnFamilyHandle handle = family.handle;
    int choice = random.nextInt(100);
    if (choice < 45) {
      db.put(handle, unlogged, someKey(), value());
    } else if (choice < 60) {
      if (family.append == null) {
        db.put(handle, unlogged, someKey(), value());
      } else {
        db.merge(handle, unlogged, someKey(), value());
      }
    } else if (choice < 72) {
      db.delete(handle, unlogged, someKey());
    } else if (choice < 84) {
      writeSingle(family);
    } else if (choice < 92) {
      deleteRange(handle);
    } else if (choice < 95 && snapshots.size() < 4) {
      snapshots.add(db.getSnapshot());
    } else if (choice < 97 && !snapshots.isEmpty()) {
      db.releaseSnapshot(snapshots.remove(random.nextInt(snapshots.size())));
    } else {
      db.flush(flush, handle);
    }
  }

  /**
   * Keys of their own that are put and then deleted singly. Once in a while put twice, or deleted
   * without a put: RocksDB reads that in a defined way too, whatever a compaction made of it.
   */
  private void writeSingle(Family family) throws RocksDBException {
    String key = "k" + String.format("%04d", random.nextInt(keys)) + "!";
    boolean isPut = family.singles.getOrDefault(key, false);
    boolean odd = random.nextInt(10) == 0;
    if (isPut != odd) {
      db.singleDelete(family.handle, unlogged, Entry.bytes(key));
      family.singles.put(key, false);
    } else {
      db.put(family.handle, unlogged, Entry.bytes(key), value());
      family.singles.put(key, true);
    }
  }

  private void deleteRange(ColumnFamilyHandle handle) throws RocksDBException {
    int from = random.nextInt(keys);
    int length = random.nextInt(random.nextInt(5) == 0 ? keys + 10 : 6);
    byte[] begin = random.nextInt(20) == 0 ? new byte[0] : Entry.bytes(key(from));
    byte[] end =
        random.nextInt(20) == 0
            ? Entry.bytes("k\u00ff")
            : Entry.bytes(key(from + length - from % 7));
    if (new ByteView(begin).compareTo(end) <= 0) {
      db.deleteRange(handle, unlogged, begin, end);
    }
  }

  private void reshape(Family family) throws RocksDBException {
    switch (random.nextInt(8)) {
      case 0 -> db.compactRange(family.handle);
      case 1, 2 -> compactRange(family);
      case 3, 4 -> compactFiles(family);
      case 5 -> ingest(family);
      default -> db.flush(flush, family.handle);
    }
  }

  private void compactRange(Family family) throws RocksDBException {
    byte[] from = someKey();
    byte[] to = someKey();
    boolean ordered = new ByteView(from).compareTo(to) <= 0;
    try (CompactRangeOptions options = new CompactRangeOptions()) {
      if (random.nextBoolean()) {
        options.setChangeLevel(true).setTargetLevel(1 + random.nextInt(6));
      }
      db.compactRange(family.handle, ordered ? from : to, ordered ? to : from, options);
    } catch (RocksDBException e) {
      // A level that is not free, or not below: nothing happened.
      assertThat(e.getMessage()).as(description).containsIgnoringCase("level");
    }
  }

  private void compactFiles(Family family) throws RocksDBException {
    db.flush(flush, family.handle);
    List<String> names = new ArrayList<>();
    int deepest = 0;
    for (LiveFileMetaData file : files(family.name)) {
      if (random.nextInt(3) > 0) {
        names.add(file.fileName());
        deepest = Math.max(deepest, file.level());
      }
    }
    if (names.isEmpty()) {
      return;
    }
    int level = Math.max(1, Math.min(6, deepest + random.nextInt(3)));
    try (CompactionOptions options =
        new CompactionOptions().setOutputFileSizeLimit(300 + random.nextInt(2000))) {
      db.compactFiles(options, family.handle, names, level, -1, null);
    } catch (RocksDBException e) {
      assertThat(e.getMessage())
          .as(description)
          .matches("(?s).*(level|compact|running|concurrent|found|Aborted).*");
    }
  }

  /** An external file of this library, as RocksJava cannot put range deletions into one. */
  private void ingest(Family family) throws RocksDBException {
    TreeMap<String, Entry> entries = new TreeMap<>();
    for (int i = random.nextInt(10); i > 0; i--) {
      String key = key(random.nextInt(keys));
      entries.put(
          key,
          switch (random.nextInt(4)) {
            case 0 -> Entry.delete(key, 0);
            case 1 ->
                family.append == null
                    ? Entry.delete(key, 0)
                    : new Entry(key, 0, EntryType.MERGE, Entry.text(value()));
            default -> Entry.put(key, 0, Entry.text(value()));
          });
    }
    SstWriterOptions options =
        new SstWriterOptions("", Compression.LZ4, 256, 16, 5, SstWriterOptions.Checksum.XXH3, true);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (SstWriter writer = SstWriter.create("external", out, options)) {
      for (Entry entry : entries.values()) {
        writer.add(
            new ByteView(Entry.bytes(entry.key())),
            0,
            entry.type(),
            new ByteView(Entry.bytes(entry.value())));
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        int from = random.nextInt(keys);
        byte[] begin = Entry.bytes(key(from));
        byte[] end = Entry.bytes(key(from + 7 + random.nextInt(20)));
        if (new ByteView(begin).compareTo(end) < 0) {
          writer.add(new RangeDeletion(begin, end, 0));
        }
      }
      if (writer.entries() == 0) {
        return;
      }
      writer.finish();
    }
    Path file = directory.resolve("external-" + files++ + ".sst");
    try (IngestExternalFileOptions ingestion =
        new IngestExternalFileOptions()
            .setMoveFiles(true)
            .setWriteGlobalSeqno(random.nextInt(4) == 0)) {
      Files.write(file, out.toByteArray());
      db.ingestExternalFile(family.handle, List.of(file.toString()), ingestion);
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    count(Seen.INGESTED, 1);
  }

  private void exportAndImport(Family family) throws RocksDBException {
    Path exported = directory.resolve("export");
    try (Checkpoint checkpoint = Checkpoint.create(db);
        ExportImportFilesMetaData metadata =
            checkpoint.exportColumnFamily(family.handle, exported.toString());
        ImportColumnFamilyOptions options = new ImportColumnFamilyOptions();
        ColumnFamilyHandle handle =
            files(family.name).isEmpty()
                ? db.createColumnFamily(
                    new ColumnFamilyDescriptor(
                        Entry.bytes(family.name + " imported"), family.options))
                : db.createColumnFamilyWithImport(
                    new ColumnFamilyDescriptor(
                        Entry.bytes(family.name + " imported"), family.options),
                    options,
                    metadata)) {
      compare(family.name + " imported", handle, family.append, null);
      db.dropColumnFamily(handle);
      count(Seen.IMPORTED, 1);
    } catch (RocksDBException e) {
      // RocksDB does not import a file that it wrote a sequence number into.
      assertThat(e.getMessage()).as(description).contains("global seqno");
    }
    try {
      delete(exported);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<LiveFileMetaData> files(String family) {
    return db.getLiveFilesMetaData().stream()
        .filter(file -> Entry.text(file.columnFamilyName()).equals(family))
        .toList();
  }

  private void compare() throws RocksDBException {
    for (Family family : families) {
      db.flush(flush, family.handle);
      compare(family.name, family.handle, family.append, null);
      for (Snapshot snapshot : snapshots) {
        compare(family.name, family.handle, family.append, snapshot);
        count(Seen.AT_SNAPSHOTS, 1);
      }
    }
  }

  private void compare(
      String name,
      ColumnFamilyHandle handle,
      @Nullable StringAppend append,
      @Nullable Snapshot snapshot)
      throws RocksDBException {
    List<Entry> expected;
    try (ReadOptions read = new ReadOptions().setVerifyChecksums(true)) {
      if (snapshot != null) {
        read.setSnapshot(snapshot);
      }
      RocksIterator iterator = db.newIterator(handle, read);
      expected = Rocks.rows(iterator);
    }
    List<SstReader> readers = new ArrayList<>();
    // A compaction may run, and put other files in their place.
    db.disableFileDeletions();
    try {
      List<LevelRows.File> members = new ArrayList<>();
      for (LiveFileMetaData file : files(name)) {
        SstReader reader =
            SstReader.open(
                SstSource.ofFile(Path.of(file.path() + file.fileName())), file.largestSeqno());
        readers.add(reader);
        members.add(
            new LevelRows.File(reader, file.level(), file.smallestKey(), file.largestKey()));
        look(reader, file);
      }
      Collections.shuffle(members, random);
      long sequence = snapshot == null ? LevelRows.NEWEST : snapshot.getSequenceNumber();
      assertThat(Entry.readRows(LevelRows.open(members, append, sequence)))
          .as("%s at %s, %s", name, sequence, description)
          .isEqualTo(expected);
    } finally {
      readers.forEach(SstReader::close);
      db.enableFileDeletions();
    }
    count(Seen.COMPARISONS, 1);
    count(Seen.ROWS, expected.size());
  }

  private void look(SstReader reader, LiveFileMetaData file) {
    count(Seen.FILES, 1);
    count(Seen.DEEP_LEVELS, file.level() > 0 ? 1 : 0);
    count(Seen.RANGE_DELETIONS, reader.properties().rangeDeletions());
    count(Seen.MERGE_OPERANDS, reader.properties().mergeOperands());
    for (RangeDeletion deletion : reader.rangeDeletions()) {
      boolean cut =
          new ByteView(deletion.begin()).compareTo(file.smallestKey()) < 0
              || new ByteView(deletion.end()).compareTo(file.largestKey()) > 0;
      count(Seen.CUT_RANGES, cut ? 1 : 0);
    }
    try (EntryCursor entries = reader.entries()) {
      while (entries.next()) {
        count(Seen.SINGLE_DELETES, entries.type() == EntryType.SINGLE_DELETE ? 1 : 0);
      }
    }
  }
}
