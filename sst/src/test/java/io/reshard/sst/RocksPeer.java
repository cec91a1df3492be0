package io.reshard.sst;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Random;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.TickerType;

/**
 * RocksDB as the other side of a matrix of formats: writes files of each cell, and reads files that
 * were written here. Options are given as text, which reaches more of them than setters do, and
 * reaches those that not every version has. Nothing here is newer than rocksdbjni 8.3, so that a
 * process of its own can run it with any version ({@link #main}).
 */
final class RocksPeer {
  static final String ORIGIN = "origin";
  static final String DICTIONARY = "dictionary";
  static final String COMPRESSION = "compression";

  /** The files of cells, their names and order. */
  static final String CELLS_FILE = "cells";

  private RocksPeer() {}

  /**
   * What RocksDB can be asked to write, as far as it shows in files.
   *
   * @param version major and minor version as one number, such as 1108
   */
  static Map<String, List<String>> options(int version) {
    Map<String, List<String>> options = new LinkedHashMap<>();
    List<String> formats = new ArrayList<>(List.of("2", "3", "4", "5"));
    if (version >= 806) {
      formats.add("6");
    }
    if (version >= 1004) {
      formats.add("7");
    }
    options.put("format_version", formats);
    options.put(
        COMPRESSION,
        List.of(
            "kNoCompression",
            "kSnappyCompression",
            "kZlibCompression",
            "kLZ4Compression",
            "kLZ4HCCompression",
            "kZSTD"));
    options.put(DICTIONARY, List.of("none", "raw", "trained"));
    options.put("checksum", List.of("kNoChecksum", "kCRC32c", "kxxHash", "kxxHash64", "kXXH3"));
    options.put(
        "index_type",
        List.of(
            "kBinarySearch", "kHashSearch", "kTwoLevelIndexSearch", "kBinarySearchWithFirstKey"));
    options.put("index_block_restart_interval", List.of("1", "3", "16"));
    options.put("block_restart_interval", List.of("1", "4", "16"));
    options.put(
        "data_block_index_type", List.of("kDataBlockBinarySearch", "kDataBlockBinaryAndHash"));
    options.put("block_align", List.of("false", "true"));
    options.put("filter_policy", List.of("nullptr", "bloomfilter:10:false", "ribbonfilter:10"));
    options.put("partition_filters", List.of("false", "true"));
    options.put(
        "index_shortening",
        List.of("kNoShortening", "kShortenSeparators", "kShortenSeparatorsAndSuccessor"));
    options.put("enable_index_compression", List.of("true", "false"));
    options.put("block_size", List.of("256", "1024", "16384"));
    options.put("metadata_block_size", List.of("128", "4096"));
    options.put(ORIGIN, List.of("external", "flush", "ingested", "compacted"));
    if (version >= 908) {
      options.put("use_delta_encoding", List.of("true", "false"));
    }
    if (version >= 1010) {
      options.put("super_block_alignment_size", List.of("0", "16384"));
    }
    if (version >= 1101) {
      options.put("separate_key_value_in_data_block", List.of("false", "true"));
      options.put("uniform_cv_threshold", List.of("-1", "1000"));
    }
    return options;
  }

  /**
   * Blocks are aligned only where they are not compressed. Partitioned filters need a partitioned
   * index; without, RocksDB dies.
   */
  static Cell possible(Cell cell) {
    Cell possible = cell;
    if (!cell.is("index_type", "kTwoLevelIndexSearch")) {
      possible = possible.with("partition_filters", "false");
    }
    if (cell.is("block_align", "true")) {
      possible = possible.with(COMPRESSION, "kNoCompression");
      if (cell.values().containsKey("super_block_alignment_size")) {
        possible = possible.with("super_block_alignment_size", "0");
      }
      if (cell.number("block_size") > 4096) {
        possible = possible.with("block_size", "1024");
      }
    }
    return possible;
  }

  /** The entries that a file of the cell is to give, in order. */
  static List<Entry> entries(Cell cell, int count) {
    Random random = new Random(cell.toString().hashCode());
    List<Entry> rows = new ArrayList<>();
    for (Entry row : Entry.randomRows(random, count)) {
      String common = random.nextInt(4) == 0 ? "" : "what many values have in common, ".repeat(2);
      String more = random.nextInt(100) == 0 ? Entry.randomValue(random).repeat(100) : "";
      rows.add(Entry.put(row.key(), 0, common + row.value() + more));
    }
    if (cell.is(ORIGIN, "flush")) {
      return history(random, rows);
    }
    if (cell.is(ORIGIN, "ingested")) {
      // The entry put before the ingestion has sequence number 1.
      rows.replaceAll(row -> Entry.put(row.key(), 2, row.value()));
    }
    return rows;
  }

  /** Each key changed once, in random order; sequence numbers count. */
  private static List<Entry> history(Random random, List<Entry> rows) {
    List<Entry> shuffled = new ArrayList<>(rows);
    Collections.shuffle(shuffled, random);
    EntryType[] types = EntryType.values();
    for (int i = 0; i < shuffled.size(); i++) {
      Entry row = shuffled.get(i);
      EntryType type = random.nextBoolean() ? EntryType.PUT : types[random.nextInt(types.length)];
      shuffled.set(i, new Entry(row.key(), i + 1, type, type.hasValue() ? row.value() : ""));
    }
    shuffled.sort(Entry.ORDER);
    return shuffled;
  }

  /**
   * Writes a file of a cell: with RocksDB's defaults where it has nothing but an origin.
   *
   * @param directory empty; the database goes there
   */
  static void write(Cell cell, List<Entry> entries, Path file, Path directory)
      throws RocksDBException, IOException {
    try (DBOptions database = new DBOptions().setCreateIfMissing(true).setMaxFileOpeningThreads(1);
        ColumnFamilyOptions family = columnFamily(cell);
        StringAppendOperator append = new StringAppendOperator(',')) {
      family.setDisableAutoCompactions(true).setMergeOperator(append);
      try (Options options = new Options(database, family)) {
        switch (cell.get(ORIGIN)) {
          case "external" -> {
            Path unused = Rocks.writeSst(file, options, entries);
          }
          case "flush" -> flush(options, entries, file, directory);
          case "compacted" -> compact(options, entries, file, directory);
          default -> ingest(options, entries, file, directory);
        }
      }
    }
  }

  private static ColumnFamilyOptions columnFamily(Cell cell) {
    if (cell.values().size() == 1) {
      return new ColumnFamilyOptions();
    }
    StringBuilder table = new StringBuilder("{data_block_hash_table_util_ratio=0.75;");
    cell.values()
        .forEach(
            (name, value) -> {
              if (!List.of(ORIGIN, DICTIONARY, COMPRESSION).contains(name)) {
                table.append(name).append('=').append(value).append(';');
              }
            });
    Properties properties = new Properties();
    properties.setProperty("block_based_table_factory", table.append('}').toString());
    properties.setProperty("compression", cell.get(COMPRESSION));
    properties.setProperty("prefix_extractor", "rocksdb.CappedPrefix.4");
    if (!cell.is(DICTIONARY, "none")) {
      properties.setProperty(
          "compression_opts",
          "{max_dict_bytes=2048;zstd_max_train_bytes="
              + (cell.is(DICTIONARY, "trained") ? 65_536 : 0)
              + "}");
    }
    return Objects.requireNonNull(
        ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties), cell.toString());
  }

  private static void flush(Options options, List<Entry> entries, Path file, Path directory)
      throws RocksDBException, IOException {
    List<Entry> byAge = new ArrayList<>(entries);
    byAge.sort((left, right) -> Long.compare(left.sequence(), right.sequence()));
    try (RocksDB database = RocksDB.open(options, directory.toString());
        FlushOptions flush = new FlushOptions()) {
      for (Entry entry : byAge) {
        byte[] key = Entry.bytes(entry.key());
        byte[] value = Entry.bytes(entry.value());
        switch (entry.type()) {
          case PUT -> database.put(key, value);
          case MERGE -> database.merge(key, value);
          case DELETE -> database.delete(key);
          case SINGLE_DELETE -> database.singleDelete(key);
        }
      }
      database.flush(flush);
      takeOnlyFile(directory, file);
    }
  }

  private static void compact(Options options, List<Entry> entries, Path file, Path directory)
      throws RocksDBException, IOException {
    try (RocksDB database = RocksDB.open(options, directory.toString());
        FlushOptions flush = new FlushOptions()) {
      for (String value : new String[] {"older", ""}) {
        for (Entry entry : entries) {
          database.put(
              Entry.bytes(entry.key()), Entry.bytes(value.isEmpty() ? entry.value() : value));
        }
        database.flush(flush);
      }
      database.compactRange();
      takeOnlyFile(directory, file);
    }
  }

  private static void ingest(Options options, List<Entry> entries, Path file, Path directory)
      throws RocksDBException, IOException {
    Path external = Rocks.writeSst(file.resolveSibling("external"), options, entries);
    try (RocksDB database = RocksDB.open(options, directory.toString());
        IngestExternalFileOptions ingest = new IngestExternalFileOptions()) {
      database.put(Entry.bytes(entries.get(0).key()), Entry.bytes("older"));
      database.ingestExternalFile(List.of(external.toString()), ingest);
      for (LiveFileMetaData ingested : database.getLiveFilesMetaData()) {
        if (ingested.largestSeqno() == 2) {
          Files.copy(Path.of(ingested.path() + ingested.fileName()), file);
        }
      }
    }
    Files.delete(external);
  }

  private static void takeOnlyFile(Path directory, Path file) throws IOException {
    List<Path> files = Rocks.sstFiles(directory);
    if (files.size() != 1) {
      throw new IllegalStateException(files.size() + " files of " + directory);
    }
    Files.copy(files.get(0), file);
  }

  /**
   * Reads a file with every check on, then ingests it into a new database and reads that.
   *
   * @param rows puts of sequence number 0
   */
  static void check(Path file, List<Entry> rows, boolean ingestible, Path directory)
      throws RocksDBException {
    equal(Rocks.readSst(file), rows, "as a file");
    if (!ingestible) {
      return;
    }
    try (Statistics statistics = new Statistics();
        Options options =
            new Options()
                .setCreateIfMissing(true)
                .setMaxFileOpeningThreads(1)
                .setParanoidChecks(true)
                .setParanoidFileChecks(true)
                .setForceConsistencyChecks(true)
                .setTableFormatConfig(
                    new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(10)))
                .setStatistics(statistics);
        IngestExternalFileOptions ingest = new IngestExternalFileOptions();
        RocksDB database = RocksDB.open(options, directory.toString())) {
      database.put(Entry.bytes(rows.get(0).key()), Entry.bytes("older"));
      database.ingestExternalFile(List.of(file.toString()), ingest);
      database.verifyChecksum();
      equal(Rocks.rows(database.newIterator()), rows, "ingested");
      for (Entry row : rows) {
        byte[] value = database.get(Entry.bytes(row.key()));
        if (value == null || !Entry.text(value).equals(row.value())) {
          throw new IllegalStateException(row + " is not found in " + file);
        }
      }
      checkFilter(database, statistics, rows, file);
      database.compactRange();
      equal(Rocks.rows(database.newIterator()), rows, "compacted");
    }
  }

  /** Keys that are not there: the filter must keep nearly all from being looked for. */
  private static void checkFilter(
      RocksDB database, Statistics statistics, List<Entry> rows, Path file)
      throws RocksDBException {
    if (statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL) != 0) {
      throw new IllegalStateException("the filter of " + file + " hides keys that are there");
    }
    int asked = 0;
    for (Entry row : rows) {
      asked += database.get(Entry.bytes(row.key() + "-")) == null ? 1 : 0;
    }
    // The last one may lie beyond the file.
    long useful = statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL);
    if (useful < asked * 0.9 - 1) {
      throw new IllegalStateException(
          "the filter of " + file + " was of use for " + useful + " of " + asked + " keys");
    }
  }

  private static void equal(List<Entry> actual, List<Entry> expected, String what) {
    if (!actual.equals(expected)) {
      throw new IllegalStateException(
          what + ": " + actual.size() + " rows instead of " + expected.size() + ", or others");
    }
  }

  /**
   * Writes or checks a file for each line of {@link #CELLS_FILE} in a directory: the n-th is {@code
   * n.sst}. Prints a line for each.
   *
   * @param arguments "write" or "check", the directory, the number of entries
   */
  public static void main(String[] arguments) throws IOException, RocksDBException {
    Path directory = Path.of(arguments[1]);
    int count = Integer.parseInt(arguments[2]);
    List<String> cells = Files.readAllLines(directory.resolve(CELLS_FILE));
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = Cell.parse(cells.get(i));
      Path file = directory.resolve(i + ".sst");
      Path database = directory.resolve("database" + i);
      List<Entry> entries = entries(cell, count);
      try {
        if (arguments[0].equals("write")) {
          write(cell, entries, file, database);
        } else {
          check(file, entries, Boolean.parseBoolean(cell.get("ingestible")), database);
        }
      } catch (RocksDBException | RuntimeException e) {
        throw new IllegalStateException(cell.toString(), e);
      }
      System.out.println("done " + cell);
    }
  }
}
