package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.ByteView;
import io.reshard.spi.Limits;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.sst.CursorsTest.ListCursor;
import io.reshard.sst.SstWriterOptions.Checksum;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompactionOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.UInt64AddOperator;

/** Single cases of what {@link LevelRowsAgainstRocksTest} looks for at random. */
class LevelRowsTest {
  @TempDir Path directory;

  private static Entry merge(String key, long sequence, String operand) {
    return new Entry(key, sequence, EntryType.MERGE, operand);
  }

  private static Entry singleDelete(String key, long sequence) {
    return new Entry(key, sequence, EntryType.SINGLE_DELETE, "");
  }

  private static RangeDeletion range(String begin, String end, long sequence) {
    return new RangeDeletion(Entry.bytes(begin), Entry.bytes(end), sequence);
  }

  /** {@code key=value} of every row, with delimiter ",". */
  private static List<String> rows(
      List<Entry> entries, List<RangeDeletion> deletions, long sequence) {
    List<Entry> sorted = new ArrayList<>(entries);
    sorted.sort(Entry.ORDER);
    return Entry.readRows(
            Cursors.rows(new ListCursor(sorted), deletions, StringAppend.comma(), sequence))
        .stream()
        .map(row -> row.key() + "=" + row.value())
        .toList();
  }

  private static List<String> rows(List<Entry> entries, RangeDeletion... deletions) {
    return rows(entries, List.of(deletions), LevelRows.NEWEST);
  }

  @Test
  void theNewestSeenDecides() {
    List<Entry> entries =
        List.of(
            Entry.put("a", 1, "1"),
            Entry.put("a", 5, "5"),
            Entry.delete("a", 9),
            Entry.put("b", 2, "2"),
            singleDelete("b", 6),
            Entry.put("b", 7, "7"));
    assertThat(rows(entries, List.of(), 9)).containsExactly("b=7");
    assertThat(rows(entries, List.of(), 8)).containsExactly("a=5", "b=7");
    assertThat(rows(entries, List.of(), 6)).containsExactly("a=5");
    assertThat(rows(entries, List.of(), 4)).containsExactly("a=1", "b=2");
    assertThat(rows(entries, List.of(), 1)).containsExactly("a=1");
    assertThat(rows(entries, List.of(), 0)).isEmpty();
  }

  @Test
  void rangesDeleteWhatIsOlder() {
    List<Entry> entries =
        IntStream.range(0, 8).mapToObj(i -> Entry.put("" + (char) ('a' + i), 10, "v")).toList();
    assertThat(rows(entries, range("b", "d", 11)))
        .containsExactly("a=v", "d=v", "e=v", "f=v", "g=v", "h=v");
    // An entry of the same sequence number stays: both came with one ingested file.
    assertThat(rows(entries, range("b", "d", 10))).hasSize(8);
    assertThat(rows(entries, range("b", "d", 9), range("", "c", 12), range("g", "\u00ff", 30)))
        .containsExactly("c=v", "d=v", "e=v", "f=v");
    assertThat(rows(entries, range("c", "c", 50), range("d", "c\0", 50))).hasSize(8);
    assertThat(rows(entries, List.of(range("a", "z", 20), range("b", "c", 15)), 17))
        .containsExactly("a=v", "c=v", "d=v", "e=v", "f=v", "g=v", "h=v");
  }

  @Test
  void operandsAreAppendedFromTheOldestToTheNewest() {
    assertThat(
            rows(
                List.of(
                    merge("a", 3, "x"),
                    merge("a", 2, ""),
                    Entry.put("a", 1, "base"),
                    merge("b", 5, "only"),
                    merge("c", 9, "2"),
                    merge("c", 8, "1"),
                    Entry.delete("c", 7),
                    merge("c", 6, "0"),
                    merge("d", 9, "new"),
                    singleDelete("d", 4),
                    Entry.put("d", 3, "old"),
                    merge("e", 9, "y"),
                    Entry.put("e", 8, ""),
                    Entry.delete("f", 9),
                    merge("f", 8, "z"),
                    Entry.put("g", 9, "p"),
                    merge("g", 8, "z"))))
        .containsExactly("a=base,,x", "b=only", "c=1,2", "d=new", "e=,y", "g=p");
  }

  @Test
  void rangesDeleteBaseAndOperands() {
    List<Entry> entries =
        List.of(merge("a", 9, "3"), merge("a", 7, "2"), merge("a", 5, "1"), Entry.put("a", 3, "0"));
    assertThat(rows(entries, range("a", "b", 4))).containsExactly("a=1,2,3");
    assertThat(rows(entries, range("a", "b", 6))).containsExactly("a=2,3");
    assertThat(rows(entries, range("a", "b", 9))).containsExactly("a=3");
    assertThat(rows(entries, range("a", "b", 10))).isEmpty();
    assertThat(rows(entries, List.of(range("a", "b", 8)), 7)).containsExactly("a=0,1,2");
  }

  @Test
  void delimitersOfAnyLength() {
    List<Entry> entries = List.of(merge("a", 2, "y"), Entry.put("a", 1, "x"));
    List<String> delimiters = List.of("", ";", "--", "\u00e9");
    List<String> joined = List.of("xy", "x;y", "x--y", "x\u00c3\u00a9y");
    for (int i = 0; i < delimiters.size(); i++) {
      StateIterator rows =
          Cursors.rows(new ListCursor(entries), List.of(), StringAppend.of(delimiters.get(i)), 2);
      assertThat(Entry.readRows(rows)).containsExactly(Entry.put("a", 0, joined.get(i)));
    }
    assertThatThrownBy(() -> StringAppend.of('\u20ac')).hasMessageContaining("as a string");
  }

  @Test
  void mergedValuesAreBounded() {
    String half = "x".repeat(Limits.MAX_VALUE_BYTES / 2);
    List<Entry> entries = List.of(merge("a", 2, half), merge("a", 1, half), merge("b", 1, "y"));
    StateIterator rows = Cursors.rows(new ListCursor(entries), List.of(), StringAppend.comma(), 2);
    assertKind(Kind.INCOMPATIBLE, rows::next);
    assertKind(Kind.INVALID, rows::next);
    assertThat(
            Entry.readRows(
                Cursors.rows(new ListCursor(entries), List.of(), StringAppend.of(""), 2)))
        .hasSize(2);
  }

  @Test
  void rowsKeepTheRulesOfIterators() {
    ListCursor cursor = new ListCursor(List.of(merge("a", 1, "v"), Entry.put("b", 1, "w")));
    StateIterator rows = Cursors.rows(cursor, List.of(), StringAppend.comma(), 5);
    assertKind(Kind.INVALID, rows::key);
    assertThat(rows.next()).isTrue();
    assertThat(Entry.text(rows.key())).isEqualTo("a");
    assertThat(Entry.text(rows.value())).isEqualTo("v");
    assertThat(rows.next()).isTrue();
    assertThat(Entry.text(rows.key())).isEqualTo("b");
    assertThat(rows.next()).isFalse();
    assertThat(rows.next()).isFalse();
    assertKind(Kind.INVALID, rows::value);
    rows.close();
    rows.close();
    assertThat(cursor.closings).isEqualTo(1);
    assertKind(Kind.CLOSED, rows::next);
    StateIterator without =
        Cursors.rows(new ListCursor(List.of(merge("a", 1, "v"))), List.of(), null, 5);
    assertKind(Kind.INCOMPATIBLE, without::next);
  }

  /** Fragments against a look at every deletion. */
  @Test
  void coverOfRandomRanges() {
    Random random = new Random(Entry.seed());
    for (int round = 0; round < 500; round++) {
      List<RangeDeletion> deletions = new ArrayList<>();
      for (int i = random.nextInt(20); i > 0; i--) {
        int from = random.nextInt(40);
        deletions.add(
            range("" + (char) from, "" + (char) (from + random.nextInt(15)), random.nextInt(10)));
      }
      long sequence = random.nextInt(12);
      RangeCover cover = new RangeCover(deletions, sequence);
      for (char key = 0; key < 60; key++) {
        ByteView view = new ByteView(Entry.bytes("" + key));
        long expected =
            deletions.stream()
                .filter(d -> d.sequence() <= sequence)
                .filter(d -> view.compareTo(d.begin()) >= 0 && view.compareTo(d.end()) < 0)
                .mapToLong(RangeDeletion::sequence)
                .max()
                .orElse(RangeCover.NONE);
        assertThat(cover.over(view))
            .as("key %s, round %s, seed %s", (int) key, round, Entry.seed())
            .isEqualTo(expected);
      }
    }
  }

  private static byte[] write(
      SstWriterOptions options, List<Entry> entries, List<RangeDeletion> deletions) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (SstWriter writer = SstWriter.create("written by test", out, options)) {
      deletions.forEach(writer::add);
      for (Entry entry : entries) {
        writer.add(
            new ByteView(Entry.bytes(entry.key())),
            entry.sequence(),
            entry.type(),
            new ByteView(Entry.bytes(entry.value())));
      }
      long unused = writer.finish();
    }
    return out.toByteArray();
  }

  private static SstWriterOptions options(int formatVersion, boolean ingestible) {
    return new SstWriterOptions(
        "default", Compression.LZ4, 256, 16, formatVersion, Checksum.XXH3, ingestible);
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 6})
  void rangeDeletionsAreWrittenAndReadBack(int formatVersion) {
    List<Entry> entries = List.of(Entry.put("a", 3, "x"), Entry.put("m", 8, "y"));
    List<RangeDeletion> deletions =
        List.of(range("k", "z", 5), range("", "\u00ff", 1), range("k", "z", 7));
    for (List<Entry> some : List.of(entries, List.<Entry>of())) {
      byte[] file = write(options(formatVersion, false), some, deletions);
      try (SstReader reader = SstReader.open(SstSource.ofBytes("file", file))) {
        assertThat(reader.properties().rangeDeletions()).isEqualTo(3);
        assertThat(reader.properties().entries()).isEqualTo(some.size() + 3);
        assertThat(reader.properties().deletions()).isEqualTo(3);
        assertThat(Entry.readAll(reader.entries())).isEqualTo(some);
        assertThat(reader.rangeDeletions())
            .extracting(RangeDeletion::toString)
            .containsExactly("\"\" to 0xff@1", "\"k\" to \"z\"@7", "\"k\" to \"z\"@5");
        assertKind(Kind.INCOMPATIBLE, reader::cursor);
      }
    }
  }

  @Test
  void writerChecksRangeDeletions() {
    SstWriter writer = SstWriter.create("w", new ByteArrayOutputStream(), options(5, true));
    assertKind(Kind.INVALID, () -> writer.add(range("b", "a", 0)));
    assertKind(Kind.INVALID, () -> writer.add(range("a", "b", 1)));
    assertKind(Kind.INVALID, () -> writer.add(range("a", "b", -1)));
    assertKind(Kind.INVALID, () -> writer.add(range("a", "b".repeat((1 << 20) + 1), 0)));
    writer.close();
    assertKind(Kind.CLOSED, () -> writer.add(range("a", "b", 0)));
  }

  /** What this library writes, RocksDB reads: as files of a database, and compacts away. */
  @ParameterizedTest
  @ValueSource(ints = {5, 6})
  void rangeDeletionsWorkInRocksDb(int formatVersion) throws Exception {
    SstWriterOptions plain = options(formatVersion, false);
    List<Entry> old =
        IntStream.range(0, 200)
            .mapToObj(i -> Entry.put(String.format("%03d", i), 5, "old"))
            .toList();
    List<RocksDirectory.Member> members = new ArrayList<>();
    members.add(member(8, 6, write(plain, old, List.of()), "000", "199", 5, 5));
    members.add(
        member(
            9,
            2,
            write(
                plain,
                List.of(Entry.put("050", 12, "new"), Entry.put("070", 8, "hidden")),
                List.of(range("040", "090", 10), range("060", "160", 9))),
            "040",
            "160",
            8,
            12));
    members.add(
        member(10, 0, write(plain, List.of(), List.of(range("190", "2", 20))), "190", "2", 20, 20));
    RocksDirectory.write(directory, List.of("default"), members);
    List<Entry> expected = new ArrayList<>();
    for (Entry entry : old) {
      int number = Integer.parseInt(entry.key());
      if (number == 50) {
        expected.add(Entry.put("050", 0, "new"));
      } else if (number < 40 || (number >= 160 && number < 190)) {
        expected.add(Entry.put(entry.key(), 0, "old"));
      }
    }
    try (Options options = new Options().setDisableAutoCompactions(true);
        RocksDB db = RocksDB.open(options, directory.toString())) {
      db.verifyChecksum();
      assertThat(Rocks.rows(db.newIterator())).isEqualTo(expected);
      assertThat(ours(db, null)).isEqualTo(expected);
      assertThat(db.get(Entry.bytes("070"))).isNull();
      db.compactRange();
      assertThat(Rocks.rows(db.newIterator())).isEqualTo(expected);
    }
  }

  private RocksDirectory.Member member(
      long number, int level, byte[] file, String from, String to, long least, long greatest)
      throws Exception {
    java.nio.file.Files.write(directory.resolve(RocksDirectory.fileName(number)), file);
    return new RocksDirectory.Member(
        "default", number, file.length, level, Entry.bytes(from), Entry.bytes(to), least, greatest);
  }

  private static List<Entry> ours(RocksDB db, @Nullable StringAppend append) {
    List<SstReader> readers = new ArrayList<>();
    try {
      List<LevelRows.File> files = new ArrayList<>();
      for (LiveFileMetaData file : db.getLiveFilesMetaData()) {
        SstReader reader =
            SstReader.open(
                SstSource.ofFile(Path.of(file.path() + file.fileName())), file.largestSeqno());
        readers.add(reader);
        files.add(new LevelRows.File(reader, file.level(), file.smallestKey(), file.largestKey()));
      }
      return Entry.readRows(LevelRows.open(files, append, LevelRows.NEWEST));
    } finally {
      readers.forEach(SstReader::close);
    }
  }

  /**
   * A compaction writes a range whole into each of its files. Then one part goes down to the
   * bottom, where a newer row loses its sequence number; the range in another part, uncut, would
   * delete that row.
   */
  @Test
  void aRangeEndsWithItsFile() throws RocksDBException {
    try (Options options =
            Rocks.options(
                    Rocks.table(5, ChecksumType.kXXH3).setBlockSize(128),
                    CompressionType.NO_COMPRESSION)
                .setTargetFileSizeBase(500);
        FlushOptions flush = new FlushOptions();
        CompactionOptions small = new CompactionOptions().setOutputFileSizeLimit(500);
        RocksDB db = RocksDB.open(options, directory.toString())) {
      for (int i = 0; i < 100; i++) {
        db.put(key(i), new byte[10]);
      }
      db.flush(flush);
      db.compactRange();
      for (int i = 0; i < 100; i += 2) {
        db.put(key(i), new byte[50]);
      }
      db.deleteRange(key(1), key(99));
      for (int i = 0; i < 100; i += 5) {
        db.put(key(i), new byte[100]);
      }
      db.flush(flush);
      db.compactFiles(small, names(db, 0), 1, -1, null);
      List<LiveFileMetaData> parts =
          db.getLiveFilesMetaData().stream().filter(file -> file.level() == 1).toList();
      assertThat(parts).hasSizeGreaterThan(2);
      db.compactRange(key(95), key(99));
      assertThat(names(db, 1)).isNotEmpty().hasSizeLessThan(parts.size());

      List<Entry> expected = Rocks.rows(db.newIterator());
      assertThat(ours(db, null)).isEqualTo(expected);
      assertThat(uncut(db)).isNotEqualTo(expected);
    }
  }

  private static byte[] key(int number) {
    return Entry.bytes(String.format("k%04d", number));
  }

  private static List<String> names(RocksDB db, int level) {
    return db.getLiveFilesMetaData().stream()
        .filter(file -> file.level() == level)
        .map(LiveFileMetaData::fileName)
        .toList();
  }

  private static List<Entry> uncut(RocksDB db) {
    List<RangeDeletion> deletions = new ArrayList<>();
    List<EntryCursor> cursors = new ArrayList<>();
    for (LiveFileMetaData file : db.getLiveFilesMetaData()) {
      SstReader reader = SstReader.open(SstSource.ofFile(Path.of(file.path() + file.fileName())));
      deletions.addAll(reader.rangeDeletions());
      cursors.add(reader.entries());
    }
    return Entry.readRows(Cursors.rows(Cursors.merge(cursors), deletions, null, LevelRows.NEWEST));
  }

  @Test
  void boundsThatAreNotTheFilesAreRefused() {
    byte[] file =
        write(
            options(5, false),
            List.of(Entry.put("a", 3, "x"), Entry.put("m", 8, "y")),
            List.of(range("a", "z", 9)));
    try (SstReader reader = SstReader.open(SstSource.ofBytes("file", file))) {
      assertKind(
          Kind.INVALID, () -> LevelRows.rangeDeletions(reader, Entry.bytes("a"), Entry.bytes("c")));
      assertThat(LevelRows.rangeDeletions(reader, Entry.bytes("b"), Entry.bytes("m")))
          .extracting(RangeDeletion::toString)
          .containsExactly("\"b\" to 0x6d00@9");
      assertThat(LevelRows.rangeDeletions(reader, Entry.bytes("b"), Entry.bytes("n")))
          .extracting(RangeDeletion::toString)
          .containsExactly("\"b\" to \"n\"@9");
    }
  }

  @Test
  void otherMergeOperatorsAreRefused() throws RocksDBException {
    try (UInt64AddOperator operator = new UInt64AddOperator();
        Options options =
            Rocks.options(Rocks.table(5, ChecksumType.kXXH3), CompressionType.NO_COMPRESSION)
                .setMergeOperator(operator);
        FlushOptions flush = new FlushOptions();
        RocksDB db = RocksDB.open(options, directory.toString())) {
      db.merge(Entry.bytes("a"), new byte[8]);
      db.merge(Entry.bytes("a"), new byte[8]);
      db.flush(flush);
      assertThatThrownBy(() -> ours(db, StringAppend.comma()))
          .isInstanceOfSatisfying(
              StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INCOMPATIBLE))
          .hasMessageContaining("rocksdb.merge.operator")
          .hasMessageContaining("UInt64AddOperator")
          .hasMessageContaining("compact");
    }
  }

  @Test
  void theDelimiterMustBeGiven() throws RocksDBException {
    try (StringAppendOperator operator = new StringAppendOperator("::");
        Options options =
            Rocks.options(Rocks.table(5, ChecksumType.kXXH3), CompressionType.NO_COMPRESSION)
                .setMergeOperator(operator);
        FlushOptions flush = new FlushOptions();
        RocksDB db = RocksDB.open(options, directory.toString())) {
      db.put(Entry.bytes("a"), Entry.bytes("1"));
      db.flush(flush);
      db.merge(Entry.bytes("a"), Entry.bytes("2"));
      db.flush(flush);
      assertThatThrownBy(() -> ours(db, null))
          .isInstanceOfSatisfying(
              StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INCOMPATIBLE))
          .hasMessageContaining("rocksdb.merge.operator")
          .hasMessageContaining("delimiter");
      assertThat(ours(db, StringAppend.of("::"))).containsExactly(Entry.put("a", 0, "1::2"));
    }
  }

  /** A file without range deletions and operands goes the short way. */
  @Test
  void plainFilesNeedNothingElse() {
    byte[] file = write(options(5, false), List.of(Entry.put("a", 3, "x")), List.of());
    try (SstReader reader = SstReader.open(SstSource.ofBytes("file", file))) {
      List<LevelRows.File> files =
          List.of(new LevelRows.File(reader, 0, Entry.bytes("a"), Entry.bytes("a")));
      assertThat(LevelRows.open(files)).isInstanceOf(RowIterator.class);
      assertThat(LevelRows.open(files, null, 7)).isInstanceOf(ResolvedRows.class);
      assertThat(Entry.readRows(LevelRows.open(List.of()))).isEmpty();
    }
  }

  private static void assertKind(Kind kind, ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }
}
