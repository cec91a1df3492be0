package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.sst.RocksDirectory.Member;
import io.reshard.sst.SstWriterOptions.Checksum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ChecksumType;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** What RocksDirectory writes, RocksDB opens and works with. */
class RocksDirectoryTest {
  @TempDir Path directory;

  private Member write(String family, long number, int level, List<Entry> entries) {
    SstWriterOptions options =
        new SstWriterOptions(
            family,
            List.of(Compression.values()).get((int) (number % 4)),
            1024,
            16,
            number % 2 == 0 ? 5 : 6,
            number % 3 == 0 ? Checksum.CRC32C : Checksum.XXH3,
            false);
    Path file = Entry.write(directory.resolve(RocksDirectory.fileName(number)), options, entries);
    return Entry.member(file, family, number, level, entries);
  }

  /** An open database and its column families. */
  private static final class Database implements AutoCloseable {
    final RocksDB db;
    final List<ColumnFamilyHandle> families = new ArrayList<>();
    private final DBOptions options =
        new DBOptions().setParanoidChecks(true).setMaxFileOpeningThreads(1);
    private final ColumnFamilyOptions familyOptions =
        new ColumnFamilyOptions()
            .setTableFormatConfig(Rocks.table(5, ChecksumType.kXXH3))
            .setForceConsistencyChecks(true)
            .setParanoidFileChecks(true)
            .setDisableAutoCompactions(true);

    Database(Path directory, List<String> names) throws RocksDBException {
      db =
          RocksDB.open(
              options,
              directory.toString(),
              names.stream()
                  .map(name -> new ColumnFamilyDescriptor(Entry.bytes(name), familyOptions))
                  .toList(),
              families);
    }

    List<Entry> rows(int family) throws RocksDBException {
      return Rocks.rows(db.newIterator(families.get(family)));
    }

    /** Every row by point reads, which stop at the first file that has the key. */
    void checkGets(int family, List<Entry> rows) throws RocksDBException {
      for (Entry row : rows) {
        assertThat(db.get(families.get(family), Entry.bytes(row.key())))
            .as(row.toString())
            .isEqualTo(Entry.bytes(row.value()));
      }
    }

    void flush() throws RocksDBException {
      try (FlushOptions flush = new FlushOptions()) {
        db.flush(flush, families);
      }
    }

    @Override
    public void close() {
      families.forEach(ColumnFamilyHandle::close);
      db.close();
      options.close();
      familyOptions.close();
    }
  }

  @Test
  void severalFamiliesLevelsAndOverlaps() throws RocksDBException {
    Random random = new Random(Entry.seed());
    List<String> families = List.of("default", "orders", "timers");
    List<Member> members = new ArrayList<>();
    List<List<Entry>> written = new ArrayList<>();
    long number = 20;
    for (String family : families) {
      List<Entry> all = new ArrayList<>();
      // The older history lies on levels 6 and 1, in files that do not overlap.
      for (int level : new int[] {6, 1}) {
        List<Entry> entries = history(random, 600, level == 6 ? 0 : 100_000);
        for (List<Entry> part : cut(entries, 3)) {
          members.add(write(family, number--, level, part));
        }
        all.addAll(entries);
      }
      for (int file = 0; file < 3; file++) {
        List<Entry> entries = history(random, 100, 1_000_000L * (file + 1));
        members.add(write(family, number--, 0, entries));
        all.addAll(entries);
        number = number < 12 ? 60 : number;
      }
      written.add(Entry.rowsOf(all));
    }

    RocksDirectory.write(directory, families, members);

    try (Options options = new Options();
        RocksDB readOnly = RocksDB.openReadOnly(options, directory.toString())) {
      assertThat(Rocks.rows(readOnly.newIterator())).isEqualTo(written.get(0));
    }
    try (Database database = new Database(directory, families)) {
      database.db.verifyChecksum();
      for (int i = 0; i < families.size(); i++) {
        assertThat(database.rows(i)).as("seed %s", Entry.seed()).isEqualTo(written.get(i));
        database.checkGets(i, written.get(i));
      }
    }
    List<TreeMap<String, String>> models = new ArrayList<>();
    try (Database database = new Database(directory, families)) {
      for (int i = 0; i < families.size(); i++) {
        TreeMap<String, String> model = new TreeMap<>();
        written.get(i).forEach(row -> model.put(row.key(), row.value()));
        for (int j = 0; j < 200; j++) {
          String key = Entry.randomKey(random);
          database.db.put(database.families.get(i), Entry.bytes(key), Entry.bytes("new" + j));
          model.put(key, "new" + j);
        }
        for (String key : List.copyOf(model.keySet()).subList(0, 50)) {
          database.db.delete(database.families.get(i), Entry.bytes(key));
          model.remove(key);
        }
        models.add(model);
      }
      database.flush();
      for (int i = 0; i < families.size(); i++) {
        assertThat(database.rows(i)).isEqualTo(rows(models.get(i)));
        database.db.compactRange(database.families.get(i));
        assertThat(database.rows(i)).isEqualTo(rows(models.get(i)));
        database.checkGets(i, rows(models.get(i)));
      }
      database.db.verifyChecksum();
    }
    try (Database database = new Database(directory, families)) {
      for (int i = 0; i < families.size(); i++) {
        assertThat(database.rows(i)).isEqualTo(rows(models.get(i)));
      }
    }
  }

  private static List<Entry> rows(Map<String, String> model) {
    return model.entrySet().stream().map(e -> Entry.put(e.getKey(), 0, e.getValue())).toList();
  }

  /** Entries with sequence numbers beyond {@code base}. */
  private static List<Entry> history(Random random, int count, long base) {
    return Entry.randomEntries(random, count, EntryType.PUT, EntryType.PUT, EntryType.DELETE)
        .stream()
        .map(e -> new Entry(e.key(), e.sequence() % 90_000 + base, e.type(), e.value()))
        .sorted(Entry.ORDER)
        .toList();
  }

  /** Cuts entries into parts, not within a key. */
  private static List<List<Entry>> cut(List<Entry> entries, int parts) {
    List<List<Entry>> cut = new ArrayList<>();
    int start = 0;
    for (int i = 1; i <= parts; i++) {
      int end = entries.size() * i / parts;
      while (end < entries.size() && entries.get(end).key().equals(entries.get(end - 1).key())) {
        end++;
      }
      cut.add(entries.subList(start, end));
      start = end;
    }
    return cut;
  }

  /** Numbers and order of the list say nothing about which file is the newer one. */
  @Test
  void sequenceNumbersDecideOnLevelZero() throws RocksDBException {
    List<Member> members =
        List.of(
            write("default", 10, 0, List.of(Entry.put("a", 50, "new"), Entry.delete("b", 51))),
            write("default", 30, 0, List.of(Entry.put("a", 20, "old"), Entry.put("b", 21, "old"))),
            write("default", 9, 0, List.of(Entry.put("a", 30, "mid"), Entry.put("c", 31, "mid"))),
            write("default", 40, 0, List.of(Entry.put("c", 7, "oldest"))));

    RocksDirectory.write(directory, List.of("default"), members);

    List<Entry> expected = List.of(Entry.put("a", 0, "new"), Entry.put("c", 0, "mid"));
    try (Database database = new Database(directory, List.of("default"))) {
      assertThat(database.rows(0)).isEqualTo(expected);
      database.checkGets(0, expected);
      assertThat(database.db.get(Entry.bytes("b"))).isNull();
      assertThat(database.db.getLatestSequenceNumber()).isEqualTo(51);
      database.db.put(Entry.bytes("a"), Entry.bytes("newest"));
      assertThat(database.db.get(Entry.bytes("a"))).isEqualTo(Entry.bytes("newest"));
      database.db.compactRange();
      assertThat(database.db.get(Entry.bytes("a"))).isEqualTo(Entry.bytes("newest"));
      assertThat(database.db.get(Entry.bytes("b"))).isNull();
    }
  }

  @Test
  void filesOfRocksDbFindANewHome() throws RocksDBException, IOException {
    Random random = new Random(Entry.seed());
    Path source = directory.resolve("source");
    Path target = Files.createDirectory(directory.resolve("target"));
    List<Entry> expected;
    List<Member> members = new ArrayList<>();
    try (Options options =
            Rocks.options(Rocks.table(7, ChecksumType.kXXH3), CompressionType.LZ4_COMPRESSION);
        FlushOptions flush = new FlushOptions();
        RocksDB db = RocksDB.open(options, source.toString())) {
      for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 500; i++) {
          byte[] key = Entry.bytes("key" + random.nextInt(900));
          if (random.nextInt(4) == 0) {
            db.delete(key);
          } else {
            db.put(key, Entry.bytes(Entry.randomValue(random)));
          }
        }
        db.flush(flush);
        if (round == 1) {
          db.compactRange();
        }
      }
      expected = Rocks.rows(db.newIterator());
      for (LiveFileMetaData file : db.getLiveFilesMetaData()) {
        long number = Long.parseLong(file.fileName().replaceAll("[^0-9]", ""));
        Files.copy(
            source.resolve(RocksDirectory.fileName(number)),
            target.resolve(RocksDirectory.fileName(number)));
        members.add(
            new Member(
                "default",
                number,
                file.size(),
                file.level(),
                file.smallestKey(),
                file.largestKey(),
                file.smallestSeqno(),
                file.largestSeqno()));
      }
    }
    assertThat(members).hasSizeGreaterThan(2);

    RocksDirectory.write(target, List.of("default"), members);

    try (Database database = new Database(target, List.of("default"))) {
      database.db.verifyChecksum();
      assertThat(database.rows(0)).as("seed %s", Entry.seed()).isEqualTo(expected);
      database.checkGets(0, expected);
    }
  }

  @Test
  void missingDefaultIsAddedAndEmptyListsWork() throws RocksDBException {
    Member member = write("orders", 8, 3, List.of(Entry.put("a", 0, "v")));

    RocksDirectory.write(directory, List.of("orders", "others"), List.of(member));

    try (Database database = new Database(directory, List.of("default", "orders", "others"))) {
      assertThat(database.rows(0)).isEmpty();
      assertThat(database.rows(1)).containsExactly(Entry.put("a", 0, "v"));
      assertThat(database.rows(2)).isEmpty();
      assertThat(database.families.get(1).getID()).isEqualTo(1);
      assertThat(database.families.get(2).getID()).isEqualTo(2);
    }
  }

  @Test
  void noFilesAtAll() throws RocksDBException {
    RocksDirectory.write(directory, List.of(), List.of());

    try (Database database = new Database(directory, List.of("default"))) {
      assertThat(database.rows(0)).isEmpty();
    }
  }

  /** Records longer than a block of the log, and ends in every place of a block. */
  @Test
  void longKeysMakeLongRecords() throws RocksDBException {
    List<Member> members = new ArrayList<>();
    List<Entry> rows = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String prefix = String.format("%02d", i);
      Entry low = Entry.put(prefix + "a".repeat(2711 * i), 5, "low");
      Entry high = Entry.put(prefix + "b".repeat(40_000 - i), 5, "high");
      members.add(write("default", 8 + i, 2, List.of(low, high)));
      rows.add(Entry.put(low.key(), 0, "low"));
      rows.add(Entry.put(high.key(), 0, "high"));
    }
    RocksDirectory.write(directory, List.of("default"), members);

    try (Database database = new Database(directory, List.of("default"))) {
      assertThat(database.rows(0)).isEqualTo(rows);
    }
  }

  @Test
  void everyRestOfALogBlock() throws RocksDBException, IOException {
    // The first record takes 63 bytes or so; names of this length end around the block's end.
    for (int length = 32_640; length < 32_700; length += 3) {
      Path target = Files.createDirectory(directory.resolve("log" + length));
      String name = "n".repeat(length);
      RocksDirectory.write(target, List.of("default", name, "last"), List.of());
      try (Options options = new Options()) {
        assertThat(RocksDB.listColumnFamilies(options, target.toString()))
            .containsExactly(Entry.bytes("default"), Entry.bytes(name), Entry.bytes("last"));
      }
    }
  }

  @Test
  void overlapAboveLevelZeroIsInvalid() {
    Member left = write("default", 8, 1, List.of(Entry.put("a", 1, ""), Entry.put("m", 2, "")));
    Member right = write("default", 9, 1, List.of(Entry.put("m", 5, ""), Entry.put("z", 6, "")));
    assertInvalid(List.of(right, left), "000008.sst", "000009.sst", "level 1", "\"m\"");
  }

  @Test
  void neighboursMayShareAKeyWhereTheFirstIsTheNewer() throws RocksDBException {
    Entry newer = Entry.put("m", 9, "newer");
    Entry older = Entry.put("m", 3, "older");
    Member left = write("default", 9, 6, List.of(Entry.put("a", 8, ""), newer));
    Member right = write("default", 8, 6, List.of(older, Entry.put("z", 2, "")));
    RocksDirectory.write(directory, List.of("default"), List.of(right, left));
    try (Database database = new Database(directory, List.of("default"))) {
      List<Entry> rows = List.of(Entry.put("a", 8, ""), newer, Entry.put("z", 2, ""));
      database.db.verifyChecksum();
      database.checkGets(0, rows);
      assertThat(Rocks.rows(database.db.newIterator())).isEqualTo(Entry.rowsOf(rows));
    }
  }

  /** As a compaction leaves them that ends files between versions which a snapshot wants. */
  @Test
  void neighboursMayShareAKeyThoughTheirSequencesCross() throws RocksDBException {
    Entry newest = Entry.put("m", 30, "newest");
    Entry first = Entry.put("a", 2, "first");
    Entry last = Entry.put("z", 40, "last");
    Member left = write("default", 9, 6, List.of(first, newest));
    Member middle =
        write("default", 10, 6, List.of(Entry.put("m", 20, "older"), Entry.put("m", 10, "old")));
    Member right = write("default", 8, 6, List.of(Entry.put("m", 5, "oldest"), last));
    RocksDirectory.write(directory, List.of("default"), List.of(right, middle, left));
    try (Database database = new Database(directory, List.of("default"))) {
      List<Entry> rows = List.of(first, newest, last);
      database.db.verifyChecksum();
      database.checkGets(0, rows);
      assertThat(Rocks.rows(database.db.newIterator())).isEqualTo(Entry.rowsOf(rows));
      database.db.compactRange();
      assertThat(Rocks.rows(database.db.newIterator())).isEqualTo(Entry.rowsOf(rows));
    }
  }

  @Test
  void neighboursThatShareAKeyInNoOrderAreInvalid() {
    Member left = write("default", 9, 6, List.of(Entry.put("m", 20, ""), Entry.put("m", 5, "")));
    Member right = write("default", 8, 6, List.of(Entry.put("m", 7, ""), Entry.put("z", 9, "")));
    assertInvalid(List.of(left, right), "000008.sst", "000009.sst", "level 6");
  }

  @Test
  void overlapOnLevelZeroOfKeysAndSequencesIsInvalid() {
    Member left = write("default", 8, 0, List.of(Entry.put("b", 1, ""), Entry.put("m", 9, "")));
    Member right = write("default", 9, 0, List.of(Entry.put("b", 5, ""), Entry.put("c", 6, "")));
    assertInvalid(List.of(left, right), "000008.sst", "000009.sst", "level 0");
    Member even = write("default", 9, 0, List.of(Entry.put("a", 5, ""), Entry.put("c", 9, "")));
    assertInvalid(List.of(left, even), "000008.sst", "000009.sst", "level 0");
  }

  /** As an ingestion leaves them beside a memtable that has the key only later. */
  @Test
  void filesOfLevelZeroMayCrossWhereOneHasTheNewerEntries() throws RocksDBException {
    Entry early = Entry.put("a", 1, "early");
    Entry late = Entry.put("m", 9, "late");
    Entry alone = Entry.put("k", 5, "alone");
    Member flushed = write("default", 8, 0, List.of(early, late, Entry.put("m", 7, "before")));
    Member ingested = write("default", 9, 0, List.of(alone, Entry.put("m", 6, "ingested")));
    RocksDirectory.write(directory, List.of("default"), List.of(ingested, flushed));
    try (Database database = new Database(directory, List.of("default"))) {
      List<Entry> rows = List.of(early, alone, late);
      database.checkGets(0, rows);
      assertThat(Rocks.rows(database.db.newIterator())).isEqualTo(Entry.rowsOf(rows));
    }
  }

  @Test
  void membersAreChecked() {
    Member good = write("default", 8, 1, List.of(Entry.put("a", 1, ""), Entry.put("m", 2, "")));
    assertInvalid(List.of(good, good), "given to two files");
    assertInvalid(List.of(member(good, 9, good.size())), "000009.sst", "is not there");
    assertInvalid(List.of(member(good, 8, 17)), "expected are 17");
    assertInvalid(List.of(member(good, 7, good.size())), "from 8 on");
    assertInvalid(
        List.of(new Member("none", 8, good.size(), 1, new byte[0], new byte[0], 0, 0)), "none");
    assertInvalid(
        List.of(new Member("default", 8, good.size(), 7, new byte[0], new byte[0], 0, 0)),
        "level 7");
    assertInvalid(
        List.of(new Member("default", 8, good.size(), 1, new byte[1], new byte[0], 0, 0)),
        "smallest key");
    assertInvalid(
        List.of(new Member("default", 8, good.size(), 1, new byte[0], new byte[0], 2, 1)),
        "sequence numbers");
  }

  private static Member member(Member like, long number, long size) {
    return new Member(
        like.columnFamily(),
        number,
        size,
        like.level(),
        like.smallestKey(),
        like.largestKey(),
        like.smallestSequence(),
        like.largestSequence());
  }

  @Test
  void existingDatabasesAreLeftAlone() throws IOException {
    RocksDirectory.write(directory, List.of("default"), List.of());
    byte[] manifest = Files.readAllBytes(directory.resolve("MANIFEST-000001"));
    assertThatThrownBy(() -> RocksDirectory.write(directory, List.of("other"), List.of()))
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INVALID))
        .hasMessageContaining("database already");
    assertThat(Files.readAllBytes(directory.resolve("MANIFEST-000001"))).isEqualTo(manifest);
  }

  @Test
  void familiesAreChecked() {
    assertThatThrownBy(() -> RocksDirectory.write(directory, List.of("a", "default"), List.of()))
        .hasMessageContaining("'default' first");
    assertThatThrownBy(() -> RocksDirectory.write(directory, List.of("a", "a"), List.of()))
        .hasMessageContaining("twice");
  }

  private void assertInvalid(List<Member> members, String... named) {
    assertThatThrownBy(() -> RocksDirectory.write(directory, List.of("default"), members))
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INVALID))
        .satisfies(e -> assertThat(e.getMessage()).contains(named));
    assertThat(directory.resolve("CURRENT")).doesNotExist();
  }
}
