package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BuiltinComparator;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompressionOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.FlushOptions;
import org.rocksdb.IndexShorteningMode;
import org.rocksdb.IndexType;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Snapshot;

/** What RocksDB writes, the reader reads. */
class ReaderAgainstRocksTest {
  @TempDir Path directory;

  record Written(int version, CompressionType compression, ChecksumType checksum) {}

  static Stream<Written> everyFormat() {
    List<Written> all = new ArrayList<>();
    for (int version = 2; version <= 7; version++) {
      for (CompressionType compression :
          new CompressionType[] {
            CompressionType.NO_COMPRESSION,
            CompressionType.SNAPPY_COMPRESSION,
            CompressionType.LZ4_COMPRESSION,
            CompressionType.LZ4HC_COMPRESSION,
            CompressionType.ZLIB_COMPRESSION,
            CompressionType.ZSTD_COMPRESSION
          }) {
        for (ChecksumType checksum : ChecksumType.values()) {
          all.add(new Written(version, compression, checksum));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("everyFormat")
  void externalFiles(Written written) throws RocksDBException {
    List<Entry> entries = rows(400);
    try (Options options =
        Rocks.options(Rocks.table(written.version, written.checksum), written.compression)) {
      Path file = Rocks.writeSst(directory.resolve("a.sst"), options, entries);

      assertThat(Entry.readAll(file)).as("seed %s", Entry.seed()).isEqualTo(entries);
      try (SstReader reader = SstReader.open(SstSource.ofFile(file))) {
        assertThat(reader.properties().formatVersion()).isEqualTo(written.version);
        assertThat(reader.properties().entries()).isEqualTo(entries.size());
        assertThat(reader.properties().compression()).isEqualTo(name(written.compression));
      }
    }
  }

  private static String name(CompressionType compression) {
    return switch (compression) {
      case SNAPPY_COMPRESSION -> "Snappy";
      case LZ4_COMPRESSION -> "LZ4";
      case LZ4HC_COMPRESSION -> "LZ4HC";
      case ZLIB_COMPRESSION -> "Zlib";
      case ZSTD_COMPRESSION -> "ZSTD";
      default -> "NoCompression";
    };
  }

  private static List<Entry> rows(int count) {
    return Entry.randomRows(new Random(Entry.seed()), count);
  }

  static Stream<String> everyLayout() {
    return LAYOUTS.keySet().stream();
  }

  private static final Map<String, UnaryOperator<BlockBasedTableConfig>> LAYOUTS =
      Map.ofEntries(
          Map.entry("index restarts", t -> t.setIndexBlockRestartInterval(16)),
          Map.entry("index restarts, many", t -> t.setIndexBlockRestartInterval(1000)),
          Map.entry("one restart", t -> t.setBlockRestartInterval(1)),
          Map.entry("wide restarts", t -> t.setBlockRestartInterval(100)),
          Map.entry("no delta encoding", t -> t.setUseDeltaEncoding(false)),
          Map.entry(
              "hash index in blocks",
              t ->
                  t.setDataBlockIndexType(DataBlockIndexType.kDataBlockBinaryAndHash)
                      .setDataBlockHashTableUtilRatio(0.5)),
          Map.entry("aligned blocks", t -> t.setBlockAlign(true)),
          Map.entry(
              "aligned super blocks",
              t -> t.setSuperBlockAlignmentSize(16384).setSuperBlockAlignmentSpaceOverheadRatio(4)),
          Map.entry("plain index", t -> t.setEnableIndexCompression(false)),
          Map.entry(
              "even keys", t -> t.setUniformCvThreshold(1000).setIndexBlockRestartInterval(1)),
          Map.entry("first keys", t -> t.setIndexType(IndexType.kBinarySearchWithFirstKey)),
          Map.entry(
              "first keys and restarts",
              t ->
                  t.setIndexType(IndexType.kBinarySearchWithFirstKey)
                      .setIndexBlockRestartInterval(8)),
          Map.entry("no shortening", t -> t.setIndexShortening(IndexShorteningMode.kNoShortening)),
          Map.entry(
              "shortened to the end",
              t -> t.setIndexShortening(IndexShorteningMode.kShortenSeparatorsAndSuccessor)),
          Map.entry(
              "partitions",
              t -> t.setIndexType(IndexType.kTwoLevelIndexSearch).setMetadataBlockSize(256)),
          Map.entry(
              "partitions and filters",
              t ->
                  t.setIndexType(IndexType.kTwoLevelIndexSearch)
                      .setMetadataBlockSize(256)
                      .setPartitionFilters(true)
                      .setIndexBlockRestartInterval(4)),
          Map.entry("values apart", t -> t.setSeparateKeyValueInDataBlock(true)),
          Map.entry(
              "values apart and hash index",
              t ->
                  t.setSeparateKeyValueInDataBlock(true)
                      .setBlockRestartInterval(3)
                      .setDataBlockIndexType(DataBlockIndexType.kDataBlockBinaryAndHash)
                      .setDataBlockHashTableUtilRatio(0.75)),
          Map.entry("no filter", t -> t.setFilterPolicy(null)));

  @ParameterizedTest
  @MethodSource("everyLayout")
  void layouts(String layout) throws RocksDBException {
    List<Entry> entries = rows(3000);
    for (int version = 2; version <= 7; version++) {
      BlockBasedTableConfig table =
          Objects.requireNonNull(LAYOUTS.get(layout))
              .apply(Rocks.table(version, ChecksumType.kXXH3));
      CompressionType compression =
          layout.equals("aligned blocks")
              ? CompressionType.NO_COMPRESSION
              : CompressionType.LZ4_COMPRESSION;
      try (Options options = Rocks.options(table, compression)) {
        Path file = Rocks.writeSst(directory.resolve("b.sst"), options, entries);
        assertThat(Entry.readAll(file)).as("%s, version %s", layout, version).isEqualTo(entries);
        checkRanges(file, entries);
      }
    }
  }

  private static void checkRanges(Path file, List<Entry> entries) {
    try (SstReader reader = SstReader.open(SstSource.ofFile(file))) {
      for (int i = 0; i < entries.size(); i += 317) {
        int end = Math.min(entries.size(), i + 400);
        byte[] from = Entry.bytes(entries.get(i).key());
        byte[] to = end == entries.size() ? null : Entry.bytes(entries.get(end).key());
        assertThat(Entry.readAll(reader.cursor(from, to))).isEqualTo(entries.subList(i, end));
      }
    }
  }

  @Test
  void hashIndex() throws RocksDBException {
    List<Entry> entries = rows(2000).stream().filter(e -> e.key().length() >= 4).toList();
    BlockBasedTableConfig table =
        Rocks.table(5, ChecksumType.kXXH3).setIndexType(IndexType.kHashSearch);
    try (Options options =
        Rocks.options(table, CompressionType.LZ4_COMPRESSION).useFixedLengthPrefixExtractor(4)) {
      Path file = Rocks.writeSst(directory.resolve("h.sst"), options, entries);
      assertThat(Entry.readAll(file)).isEqualTo(entries);
      checkRanges(file, entries);
    }
  }

  @Test
  void flushedHistoryEntryForEntry() throws RocksDBException {
    Random random = new Random(Entry.seed());
    for (int version = 2; version <= 7; version++) {
      Path database = directory.resolve("history" + version);
      List<Entry> log = new ArrayList<>();
      List<Snapshot> snapshots = new ArrayList<>();
      try (Options options =
              Rocks.options(
                  Rocks.table(version, ChecksumType.kXXH3).setBlockSize(256),
                  CompressionType.LZ4_COMPRESSION);
          FlushOptions flush = new FlushOptions();
          RocksDB db = RocksDB.open(options, database.toString())) {
        for (int i = 1; i <= 800; i++) {
          String key = "key" + random.nextInt(60);
          int action = random.nextInt(4);
          // A snapshot after each write keeps every version through the flush.
          if (action == 0) {
            db.delete(Entry.bytes(key));
            log.add(Entry.delete(key, i));
          } else {
            String value = Entry.randomValue(random);
            db.put(Entry.bytes(key), Entry.bytes(value));
            log.add(Entry.put(key, i, value));
          }
          snapshots.add(db.getSnapshot());
        }
        db.flush(flush);
        List<Path> files = Rocks.sstFiles(database);
        assertThat(files).hasSize(1);
        List<Entry> sorted = new ArrayList<>(log);
        sorted.sort(Entry.ORDER);
        assertThat(Entry.readAll(files.get(0)))
            .as("seed %s, version %s", Entry.seed(), version)
            .isEqualTo(sorted);
        snapshots.forEach(db::releaseSnapshot);
      }
    }
  }

  @Test
  void severalFilesOfADatabaseGiveItsRows() throws RocksDBException {
    Random random = new Random(Entry.seed());
    Path database = directory.resolve("levels");
    try (Options options =
            Rocks.options(Rocks.table(7, ChecksumType.kXXH3), CompressionType.ZSTD_COMPRESSION)
                .setTargetFileSizeBase(20_000);
        FlushOptions flush = new FlushOptions();
        RocksDB db = RocksDB.open(options, database.toString())) {
      for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 500; i++) {
          byte[] key = Entry.bytes("key" + random.nextInt(1500));
          switch (random.nextInt(5)) {
            case 0 -> db.delete(key);
            case 1 -> db.singleDelete(Entry.bytes("never put " + random.nextInt(50)));
            default -> db.put(key, Entry.bytes(Entry.randomValue(random)));
          }
        }
        db.flush(flush);
        if (round == 2) {
          db.compactRange();
        }
      }
      List<EntryCursor> cursors = new ArrayList<>();
      for (Path file : Rocks.sstFiles(database)) {
        cursors.add(SstReader.open(SstSource.ofFile(file)).cursor());
      }
      assertThat(cursors).hasSizeGreaterThan(4);
      assertThat(Entry.readRows(Cursors.rows(Cursors.merge(cursors))))
          .as("seed %s", Entry.seed())
          .isEqualTo(Rocks.rows(db.newIterator()));
    }
  }

  @Test
  void externalFilesOfDeletesAndMerges() throws RocksDBException {
    List<Entry> entries =
        IntStream.range(0, 500)
            .mapToObj(
                i ->
                    switch (i % 3) {
                      case 0 -> Entry.put(String.format("k%05d", i), 0, "v" + i);
                      case 1 -> Entry.delete(String.format("k%05d", i), 0);
                      default -> new Entry(String.format("k%05d", i), 0, EntryType.MERGE, "m" + i);
                    })
            .toList();
    try (Options options =
        Rocks.options(Rocks.table(6, ChecksumType.kCRC32c), CompressionType.LZ4_COMPRESSION)) {
      Path file = Rocks.writeSst(directory.resolve("m.sst"), options, entries);
      assertThat(Entry.readAll(file)).isEqualTo(entries);
      try (SstReader reader = SstReader.open(SstSource.ofFile(file))) {
        assertThat(reader.properties().deletions()).isEqualTo(167);
        assertThat(reader.properties().mergeOperands()).isEqualTo(166);
        assertThatThrownBy(() -> Entry.readRows(Cursors.rows(reader.cursor())))
            .isInstanceOfSatisfying(
                StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INCOMPATIBLE))
            .hasMessageContaining("merge operand")
            .hasMessageContaining("k00002");
      }
    }
  }

  @Test
  void largeValuesAndKeys() throws RocksDBException {
    byte[] value = new byte[3 << 20];
    new Random(1).nextBytes(value);
    List<Entry> entries =
        List.of(
            Entry.put("", 0, Entry.text(value)),
            Entry.put("a".repeat(1 << 20), 0, ""),
            Entry.put("b", 0, Entry.text(value)));
    for (CompressionType compression :
        List.of(CompressionType.NO_COMPRESSION, CompressionType.ZSTD_COMPRESSION)) {
      try (Options options = Rocks.options(Rocks.table(7, ChecksumType.kXXH3), compression)) {
        Path file = Rocks.writeSst(directory.resolve("l.sst"), options, entries);
        assertThat(Entry.readAll(file)).isEqualTo(entries);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void sequenceNumberOfIngestionIsApplied(boolean writtenIntoTheFile) throws RocksDBException {
    List<Entry> rows = rows(200);
    Path database = directory.resolve("ingested");
    try (Options options =
            Rocks.options(Rocks.table(5, ChecksumType.kXXH3), CompressionType.LZ4_COMPRESSION);
        IngestExternalFileOptions ingest =
            new IngestExternalFileOptions().setWriteGlobalSeqno(writtenIntoTheFile);
        RocksDB db = RocksDB.open(options, database.toString())) {
      Path file = Rocks.writeSst(directory.resolve("x.sst"), options, rows);
      db.put(Entry.bytes(rows.get(0).key()), Entry.bytes("older"));
      db.ingestExternalFile(List.of(file.toString()), ingest);

      LiveFileMetaData ingested =
          db.getLiveFilesMetaData().stream()
              .max(Comparator.comparingLong(LiveFileMetaData::size))
              .orElseThrow();
      Path path = Path.of(ingested.path() + ingested.fileName());
      long sequence = ingested.largestSeqno();
      List<Entry> expected =
          rows.stream().map(e -> Entry.put(e.key(), sequence, e.value())).toList();
      assertThat(sequence).isPositive();
      try (SstReader reader = SstReader.open(SstSource.ofFile(path), sequence)) {
        assertThat(Entry.readAll(reader.cursor())).isEqualTo(expected);
      }
      if (writtenIntoTheFile) {
        assertIncompatible(path, "rocksdb.external_sst_file.global_seqno");
      }
    }
  }

  private static void assertIncompatible(Path file, String named) {
    assertThatThrownBy(() -> Entry.readAll(file))
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INCOMPATIBLE))
        .hasMessageContaining(named)
        .hasMessageContaining(file.getFileName().toString());
  }

  @Test
  void otherComparatorsAreRefused() throws RocksDBException {
    try (Options options =
        Rocks.options(Rocks.table(5, ChecksumType.kXXH3), CompressionType.NO_COMPRESSION)
            .setComparator(BuiltinComparator.REVERSE_BYTEWISE_COMPARATOR)) {
      Path file =
          Rocks.writeSst(directory.resolve("o.sst"), options, List.of(Entry.put("a", 0, "b")));
      assertIncompatible(file, "rocksdb.comparator");
    }
  }

  @Test
  void entriesAloneAreRefusedWhereThereAreRangeDeletions() throws RocksDBException {
    Path database = directory.resolve("ranges");
    try (Options options =
            Rocks.options(Rocks.table(5, ChecksumType.kXXH3), CompressionType.NO_COMPRESSION);
        FlushOptions flush = new FlushOptions();
        RocksDB db = RocksDB.open(options, database.toString())) {
      db.put(Entry.bytes("x"), Entry.bytes("y"));
      db.deleteRange(Entry.bytes("a"), Entry.bytes("b"));
      db.flush(flush);
      assertIncompatible(Rocks.sstFiles(database).get(0), "rocksdb.num.range-deletions");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = CompressionType.class,
      mode = Mode.EXCLUDE,
      names = {"BZLIB2_COMPRESSION", "XPRESS_COMPRESSION", "DISABLE_COMPRESSION_OPTION"})
  void compressionDictionaries(CompressionType type) throws RocksDBException {
    Random random = new Random(Entry.seed());
    List<Entry> rows =
        IntStream.range(0, 3000)
            .mapToObj(
                i ->
                    Entry.put(
                        String.format("k%05d", i),
                        0,
                        "a value like others " + i + Entry.randomValue(random)))
            .toList();
    for (int[] bytes : new int[][] {{4096, 0}, {4096, 100_000}, {100_000, 0}, {3, 0}}) {
      for (int version : new int[] {2, 5, 7}) {
        try (CompressionOptions compression =
                new CompressionOptions().setMaxDictBytes(bytes[0]).setZStdMaxTrainBytes(bytes[1]);
            Options options =
                Rocks.options(Rocks.table(version, ChecksumType.kXXH3), type)
                    .setCompressionOptions(compression)) {
          Path file = Rocks.writeSst(directory.resolve("d.sst"), options, rows);
          assertThat(Entry.readAll(file)).as("%s, %s", bytes[0], bytes[1]).isEqualTo(rows);
        }
      }
    }
  }

  @Test
  void otherCompressionsAreRefused() throws RocksDBException {
    try (Options options =
        Rocks.options(Rocks.table(5, ChecksumType.kXXH3), CompressionType.BZLIB2_COMPRESSION)) {
      Path file = Rocks.writeSst(directory.resolve("z.sst"), options, rows(500));
      assertIncompatible(file, "BZip2 (compression type 3)");
    }
  }
}
