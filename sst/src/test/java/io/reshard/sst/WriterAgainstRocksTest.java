package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.sst.SstWriterOptions.Checksum;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompressionType;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.Statistics;
import org.rocksdb.TableProperties;
import org.rocksdb.TickerType;

/** What the writer writes, RocksDB reads, verifies and ingests. */
class WriterAgainstRocksTest {
  @TempDir Path directory;

  static Stream<SstWriterOptions> everyOption() {
    List<SstWriterOptions> all = new ArrayList<>();
    for (Compression compression : Compression.values()) {
      for (int version : new int[] {5, 6, 7}) {
        for (Checksum checksum : Checksum.values()) {
          for (int blockBytes : new int[] {256, 4096}) {
            all.add(
                new SstWriterOptions(
                    "default", compression, blockBytes, 16, version, checksum, true));
          }
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("everyOption")
  void readVerifiedAndIngested(SstWriterOptions options) throws RocksDBException {
    Random random = new Random(Entry.seed());
    List<Entry> rows = Entry.randomRows(random, 1000);
    Path file = Entry.write(directory.resolve("a.sst"), options, rows);

    assertThat(Rocks.readSst(file)).as("seed %s", Entry.seed()).isEqualTo(rows);
    try (Options open =
            Rocks.options(Rocks.table(5, ChecksumType.kXXH3), CompressionType.NO_COMPRESSION);
        IngestExternalFileOptions ingest = new IngestExternalFileOptions();
        RocksDB database = RocksDB.open(open, directory.resolve("db").toString())) {
      database.put(Entry.bytes(rows.get(7).key()), Entry.bytes("older"));
      database.ingestExternalFile(List.of(file.toString()), ingest);
      database.verifyChecksum();
      assertThat(Rocks.rows(database.newIterator())).isEqualTo(rows);
      for (Entry row : rows) {
        assertThat(database.get(Entry.bytes(row.key()))).isEqualTo(Entry.bytes(row.value()));
      }
      database.compactRange();
      assertThat(Rocks.rows(database.newIterator())).isEqualTo(rows);
    }
  }

  @Test
  void entriesWithHistoryShowTheirNewest() throws RocksDBException {
    Random random = new Random(Entry.seed());
    List<Entry> entries =
        Entry.randomEntries(
            random, 1500, EntryType.PUT, EntryType.PUT, EntryType.DELETE, EntryType.SINGLE_DELETE);
    for (int version : new int[] {5, 6, 7}) {
      SstWriterOptions options =
          new SstWriterOptions("default", Compression.LZ4, 512, 3, version, Checksum.XXH3, false);
      Path file = Entry.write(directory.resolve("b.sst"), options, entries);
      assertThat(Rocks.readSst(file)).isEqualTo(Entry.rowsOf(entries));
    }
  }

  @Test
  void emptyAndTinyAndLargeFiles() throws RocksDBException {
    Path file = directory.resolve("c.sst");
    SstWriterOptions options = SstWriterOptions.defaults("default");
    byte[] large = new byte[1 << 20];
    new Random(1).nextBytes(large);
    List<List<Entry>> files =
        List.of(
            List.of(),
            List.of(Entry.put("", 0, "")),
            List.of(Entry.put("a", 0, Entry.text(large)), Entry.put("k".repeat(1 << 20), 0, "v")),
            IntStream.range(0, 300).mapToObj(i -> Entry.put("a".repeat(i), 0, "")).toList());
    for (List<Entry> rows : files) {
      Entry.write(file, options, rows);
      assertThat(Rocks.readSst(file)).isEqualTo(rows);
    }
  }

  @Test
  void propertiesAreWhatRocksExpects() throws RocksDBException {
    List<Entry> entries =
        Entry.randomEntries(new Random(Entry.seed()), 500, EntryType.PUT, EntryType.DELETE);
    Path file =
        Entry.write(directory.resolve("d.sst"), SstWriterOptions.defaults("orders"), entries);
    try (Options options = new Options();
        SstFileReader reader = new SstFileReader(options)) {
      reader.open(file.toString());
      TableProperties properties = reader.getTableProperties();
      assertThat(properties.getNumEntries()).isEqualTo(entries.size());
      assertThat(properties.getNumDeletions())
          .isEqualTo(entries.stream().filter(e -> e.type() == EntryType.DELETE).count());
      assertThat(new String(properties.getColumnFamilyName(), StandardCharsets.UTF_8))
          .isEqualTo("orders");
      assertThat(properties.getComparatorName()).isEqualTo("leveldb.BytewiseComparator");
      assertThat(properties.getCompressionName()).isEqualTo("LZ4");
      assertThat(properties.getFilterPolicyName()).isEqualTo("rocksdb.BuiltinBloomFilter");
      assertThat(properties.getRawKeySize())
          .isEqualTo(entries.stream().mapToLong(e -> e.key().length() + 8).sum());
      assertThat(properties.getFilterSize()).isPositive();
      assertThat(properties.getNumDataBlocks()).isGreaterThan(1);
    }
  }

  /** Keys of every length class of the hash, so that a wrong one shows. */
  @Test
  void filterIsTheOneRocksWouldWrite() throws RocksDBException, IOException {
    Random random = new Random(Entry.seed());
    Set<String> keys = new HashSet<>();
    for (int length = 0; length < 2200; length += length < 300 ? 1 : 37) {
      for (int i = 0; i < 3; i++) {
        byte[] key = new byte[length];
        random.nextBytes(key);
        keys.add(Entry.text(key));
      }
    }
    List<Entry> rows = keys.stream().sorted().map(key -> Entry.put(key, 0, "v")).toList();
    Path ours = Entry.write(directory.resolve("ours.sst"), SstWriterOptions.defaults("x"), rows);
    Path theirs = directory.resolve("theirs.sst");
    try (Options options =
        Rocks.options(Rocks.table(5, ChecksumType.kXXH3), CompressionType.LZ4_COMPRESSION)) {
      Rocks.writeSst(theirs, options, rows);
    }

    assertThat(filter(ours)).as("seed %s", Entry.seed()).isEqualTo(filter(theirs));
  }

  private static byte[] filter(Path file) throws IOException {
    try (SstSource source = SstSource.ofBytes(file.toString(), Files.readAllBytes(file))) {
      Footer footer = Footer.read(source);
      try (BlockFetcher fetcher = new BlockFetcher(source, footer)) {
        BlockHandle handle = footer.metaindex();
        fetcher.fetch(handle.offset(), handle.size(), "metaindex", 1 << 20);
        Map<String, byte[]> blocks =
            MetaBlock.read("test", 0, fetcher.array(), fetcher.start(), fetcher.limit());
        byte[] value = Objects.requireNonNull(blocks.get("fullfilter.rocksdb.BuiltinBloomFilter"));
        handle = new ByteInput("test", 0, value, 0, value.length).handle("filter");
        fetcher.fetch(handle.offset(), handle.size(), "filter", 1 << 20);
        return Arrays.copyOfRange(fetcher.array(), fetcher.start(), fetcher.limit());
      }
    }
  }

  @Test
  void filterIsUsed() throws RocksDBException {
    List<Entry> rows =
        IntStream.range(0, 20_000)
            .mapToObj(i -> Entry.put(String.format("key%07d", 2 * i), 0, "v"))
            .toList();
    SstWriterOptions ingestible =
        new SstWriterOptions("default", Compression.LZ4, 4096, 16, 5, Checksum.XXH3, true);
    Path file = Entry.write(directory.resolve("e.sst"), ingestible, rows);
    try (Statistics statistics = new Statistics();
        Options open =
            Rocks.options(Rocks.table(5, ChecksumType.kXXH3), CompressionType.LZ4_COMPRESSION)
                .setStatistics(statistics);
        IngestExternalFileOptions ingest = new IngestExternalFileOptions();
        RocksDB database = RocksDB.open(open, directory.resolve("db2").toString())) {
      database.ingestExternalFile(List.of(file.toString()), ingest);
      for (int i = 0; i < 20_000; i++) {
        assertThat(database.get(Entry.bytes(String.format("key%07d", 2 * i)))).isNotNull();
      }
      assertThat(statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL)).isZero();
      for (int i = 0; i < 20_000; i++) {
        assertThat(database.get(Entry.bytes(String.format("key%07d", 2 * i + 1)))).isNull();
      }
      assertThat(statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL)).isGreaterThan(19_600);
    }
  }
}
