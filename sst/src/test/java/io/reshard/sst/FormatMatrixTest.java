package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.sst.SstWriterOptions.Checksum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/**
 * The matrix of formats: what RocksDB writes is read entry for entry, and RocksDB takes what is
 * written here, for a choice of cells in which every possible pair of values of two options occurs.
 */
class FormatMatrixTest {
  private static final int ENTRIES = 250;

  @TempDir Path directory;

  static List<Cell> rocksCells(int version) {
    return Cell.coverPairs(
        new Random(Entry.seed()), RocksPeer.options(version), RocksPeer::possible);
  }

  /** Options of the writer here. */
  static List<Cell> ourCells(List<String> formatVersions) {
    Map<String, List<String>> options = new LinkedHashMap<>();
    options.put("format_version", formatVersions);
    options.put("compression", names(Compression.values()));
    options.put("checksum", names(Checksum.values()));
    options.put("block_bytes", List.of("256", "4096", "65536"));
    options.put("restart_interval", List.of("1", "3", "16", "1000"));
    options.put("ingestible", List.of("true", "false"));
    return Cell.coverPairs(new Random(Entry.seed()), options, cell -> cell);
  }

  private static List<String> names(Enum<?>[] values) {
    return Stream.of(values).map(Enum::name).toList();
  }

  static SstWriterOptions options(Cell cell) {
    return new SstWriterOptions(
        "default",
        Compression.valueOf(cell.get("compression")),
        cell.number("block_bytes"),
        cell.number("restart_interval"),
        cell.number("format_version"),
        Checksum.valueOf(cell.get("checksum")),
        cell.is("ingestible", "true"));
  }

  /** Reads what RocksDB wrote for a cell and compares. */
  static void checkRead(Cell cell, Path file, List<Entry> expected) {
    long sequence = cell.is(RocksPeer.ORIGIN, "ingested") ? 2 : 0;
    try (SstReader reader = SstReader.open(SstSource.ofFile(file), sequence)) {
      List<Entry> entries = Entry.readAll(reader.cursor());
      if (cell.is(RocksPeer.ORIGIN, "compacted")) {
        // Which sequence numbers a compaction sets to zero is its own affair.
        entries.replaceAll(entry -> Entry.put(entry.key(), 0, entry.value()));
      }
      assertThat(entries).as("seed %s, %s", Entry.seed(), cell).isEqualTo(expected);
    }
  }

  @Test
  void whatRocksWritesIsRead() throws RocksDBException, IOException {
    TreeSet<String> seen = new TreeSet<>();
    List<Cell> cells = rocksCells(1108);
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      List<Entry> entries = RocksPeer.entries(cell, ENTRIES);
      Path file = directory.resolve(i + ".sst");
      RocksPeer.write(cell, entries, file, directory.resolve("database" + i));
      checkRead(cell, file, entries);
      seen.addAll(BlockList.features(Files.readAllBytes(file)));
    }
    assertThat(cells).hasSizeBetween(30, 200);
    // The options must have had an effect, or this test would prove nothing of them.
    assertThat(seen)
        .contains(
            "NoCompression in data block",
            "Snappy in data block",
            "Zlib in data block",
            "LZ4 in data block",
            "LZ4HC in data block",
            "ZSTD in data block",
            "dictionary",
            "hash index in data block",
            "values apart in data block",
            "hash index and values apart in data block",
            "partitioned index",
            "hint in index block",
            "gap between data blocks",
            "fullfilter.rocksdb.BuiltinBloomFilter",
            "partitionedfilter.rocksdb.BuiltinBloomFilter",
            "rocksdb.hashindex.prefixes")
        .anyMatch(
            feature ->
                feature.endsWith(" in index block")
                    && !feature.startsWith("NoCompression")
                    && !feature.startsWith("hint"));
  }

  @Test
  void rocksTakesWhatIsWritten() throws RocksDBException {
    List<Cell> cells = ourCells(List.of("5", "6", "7"));
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      List<Entry> rows = RocksPeer.entries(cell, ENTRIES);
      Path file = Entry.write(directory.resolve(i + ".sst"), options(cell), rows);
      RocksPeer.check(file, rows, cell.is("ingestible", "true"), directory.resolve("database" + i));
      assertThat(Entry.readAll(file)).as("seed %s, %s", Entry.seed(), cell).isEqualTo(rows);
    }
    assertThat(cells).hasSizeBetween(20, 100);
  }
}
