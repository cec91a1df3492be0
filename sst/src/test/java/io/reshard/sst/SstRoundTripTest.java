package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.ByteView;
import io.reshard.spi.Limits;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.sst.SstWriterOptions.Checksum;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the writer writes, the reader reads. */
class SstRoundTripTest {
  private static final SstWriterOptions DEFAULTS = SstWriterOptions.defaults("default");

  static Stream<SstWriterOptions> everyOption() {
    List<SstWriterOptions> all = new ArrayList<>();
    for (Compression compression : Compression.values()) {
      for (int version : new int[] {5, 6}) {
        for (Checksum checksum : Checksum.values()) {
          for (int restartInterval : new int[] {1, 16}) {
            for (int blockBytes : new int[] {256, 4096}) {
              all.add(
                  new SstWriterOptions(
                      "orders",
                      compression,
                      blockBytes,
                      restartInterval,
                      version,
                      checksum,
                      false));
            }
          }
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("everyOption")
  void whatIsWrittenIsRead(SstWriterOptions options) {
    Random random = new Random(Entry.seed());
    List<Entry> entries = Entry.randomEntries(random, 1500, EntryType.values());

    byte[] file = Entry.write(options, entries);

    assertThat(Entry.readAll(SstSource.ofBytes("memory", file)))
        .as("seed %s", Entry.seed())
        .isEqualTo(entries);
    try (SstReader reader = SstReader.open(SstSource.ofBytes("memory", file))) {
      SstProperties properties = reader.properties();
      assertThat(properties.formatVersion()).isEqualTo(options.formatVersion());
      assertThat(properties.columnFamily()).isEqualTo("orders");
      assertThat(properties.comparator()).isEqualTo("leveldb.BytewiseComparator");
      assertThat(properties.entries()).isEqualTo(entries.size());
      assertThat(properties.mergeOperands()).isEqualTo(count(entries, EntryType.MERGE));
      assertThat(properties.deletions())
          .isEqualTo(count(entries, EntryType.DELETE) + count(entries, EntryType.SINGLE_DELETE));
      assertThat(properties.rangeDeletions()).isZero();
      assertThat(properties.rawKeyBytes())
          .isEqualTo(entries.stream().mapToLong(e -> e.key().length() + 8).sum());
      assertThat(properties.rawValueBytes())
          .isEqualTo(entries.stream().mapToLong(e -> e.value().length()).sum());
    }
  }

  private static long count(List<Entry> entries, EntryType type) {
    return entries.stream().filter(e -> e.type() == type).count();
  }

  @Test
  void sameEntriesGiveTheSameBytes() {
    List<Entry> entries = Entry.randomRows(new Random(1), 500);

    assertThat(Entry.write(DEFAULTS, entries)).isEqualTo(Entry.write(DEFAULTS, entries));
  }

  @Test
  void emptyFile() {
    byte[] file = Entry.write(DEFAULTS, List.of());

    assertThat(Entry.readAll(SstSource.ofBytes("empty", file))).isEmpty();
  }

  @Test
  void oneEntryWithEmptyKeyAndValue() {
    List<Entry> entries = List.of(Entry.put("", 7, ""));

    assertThat(Entry.readAll(SstSource.ofBytes("one", Entry.write(DEFAULTS, entries))))
        .isEqualTo(entries);
  }

  @Test
  void keysThatArePrefixesOfEachOther() {
    List<Entry> entries =
        IntStream.range(0, 600)
            .mapToObj(length -> Entry.put("\u0000".repeat(length), 0, "v" + length))
            .toList();

    assertThat(Entry.readAll(SstSource.ofBytes("prefixes", Entry.write(DEFAULTS, entries))))
        .isEqualTo(entries);
  }

  @Test
  void everyByteInEveryPlace() {
    List<Entry> entries = new ArrayList<>();
    for (int first = 0; first < 256; first++) {
      entries.add(Entry.put("" + (char) first, 0, "" + (char) (255 - first)));
      for (int second = 0; second < 256; second += 15) {
        entries.add(Entry.put("" + (char) first + (char) second, 0, "x"));
      }
    }
    SstWriterOptions small =
        new SstWriterOptions("default", Compression.NONE, 256, 4, 6, Checksum.CRC32C, false);

    assertThat(Entry.readAll(SstSource.ofBytes("bytes", Entry.write(small, entries))))
        .isEqualTo(entries);
  }

  @Test
  void manyVersionsOfOneKeyFillBlocks() {
    List<Entry> entries =
        IntStream.range(0, 2000).mapToObj(i -> Entry.put("key", 5000 - i, "value " + i)).toList();

    assertThat(Entry.readAll(SstSource.ofBytes("versions", Entry.write(DEFAULTS, entries))))
        .isEqualTo(entries);
  }

  @Test
  void largestKeyAndLargeValues() {
    Random random = new Random(3);
    byte[] value = new byte[1 << 20];
    random.nextBytes(value);
    String longKey = "k".repeat(Limits.MAX_KEY_BYTES);
    List<Entry> entries =
        List.of(
            Entry.put("a", 1, Entry.text(value)),
            Entry.put("b", 1, ""),
            Entry.put(longKey.substring(1), 2, "x"),
            Entry.put(longKey, 1, Entry.text(value)),
            Entry.put("l", 1, "y".repeat(3 << 20)));

    for (Compression compression : Compression.values()) {
      SstWriterOptions options =
          new SstWriterOptions("default", compression, 4096, 16, 5, Checksum.XXH3, false);
      assertThat(Entry.readAll(SstSource.ofBytes("large", Entry.write(options, entries))))
          .isEqualTo(entries);
    }
  }

  @Test
  void largestValue() {
    byte[] value = new byte[Limits.MAX_VALUE_BYTES];
    value[12345] = 1;
    byte[] file = Entry.write(DEFAULTS, List.of(Entry.put("k", 1, Entry.text(value))));

    try (SstReader reader = SstReader.open(SstSource.ofBytes("large", file));
        EntryCursor cursor = reader.cursor()) {
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.value().contentEquals(value)).isTrue();
      assertThat(cursor.next()).isFalse();
    }
  }

  @Test
  void rangesShowWhatIsWithin() {
    Random random = new Random(Entry.seed());
    List<Entry> entries = Entry.randomEntries(random, 2000, EntryType.values());
    SstWriterOptions small =
        new SstWriterOptions("default", Compression.LZ4, 512, 16, 5, Checksum.XXH3, false);
    byte[] file = Entry.write(small, entries);

    try (SstReader reader = SstReader.open(SstSource.ofBytes("ranges", file))) {
      for (int i = 0; i < 300; i++) {
        String from = i % 7 == 0 ? null : bound(random, entries);
        String to = i % 5 == 0 ? null : bound(random, entries);
        List<Entry> expected =
            entries.stream()
                .filter(e -> from == null || e.key().compareTo(from) >= 0)
                .filter(e -> to == null || e.key().compareTo(to) < 0)
                .toList();
        assertThat(
                Entry.readAll(
                    reader.cursor(
                        from == null ? null : Entry.bytes(from),
                        to == null ? null : Entry.bytes(to))))
            .as("seed %s, range %s", Entry.seed(), i)
            .isEqualTo(expected);
      }
    }
  }

  private static String bound(Random random, List<Entry> entries) {
    return random.nextBoolean()
        ? entries.get(random.nextInt(entries.size())).key()
        : Entry.randomKey(random);
  }

  @Test
  void oneReaderForManyThreads(@TempDir Path directory) throws Exception {
    List<Entry> entries = Entry.randomEntries(new Random(6), 5000, EntryType.values());
    Path file = Entry.write(directory.resolve("a.sst"), DEFAULTS, entries);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (SstReader reader = SstReader.open(SstSource.ofFile(file))) {
      List<Future<List<Entry>>> scans = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        scans.add(threads.submit(() -> Entry.readAll(reader.cursor())));
      }
      for (Future<List<Entry>> scan : scans) {
        assertThat(scan.get()).isEqualTo(entries);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void filesOnDisk(@TempDir Path directory) {
    List<Entry> entries = Entry.randomEntries(new Random(5), 20_000, EntryType.values());
    Path file = Entry.write(directory.resolve("a.sst"), DEFAULTS, entries);

    assertThat(Entry.readAll(file)).isEqualTo(entries);
  }

  @Test
  void writerRefusesDisorder() {
    try (SstWriter writer = SstWriter.create("w", OutputStream.nullOutputStream(), DEFAULTS)) {
      add(writer, "b", 5);
      assertKind(Kind.INVALID, () -> add(writer, "a", 9));
      assertKind(Kind.INVALID, () -> add(writer, "", 9));
      assertKind(Kind.INVALID, () -> add(writer, "b", 5));
      assertKind(Kind.INVALID, () -> add(writer, "b", 6));
      add(writer, "b", 4);
      add(writer, "ba", 4);
      assertKind(Kind.INVALID, () -> add(writer, "b", 3));
      assertThat(writer.entries()).isEqualTo(3);
    }
  }

  @Test
  void writerRefusesWhatIsOutOfBounds() {
    SstWriterOptions ingestible =
        new SstWriterOptions("default", Compression.NONE, 4096, 16, 5, Checksum.XXH3, true);
    try (SstWriter writer = SstWriter.create("w", OutputStream.nullOutputStream(), ingestible)) {
      assertKind(Kind.INVALID, () -> add(writer, "a", 1));
      assertKind(Kind.INVALID, () -> add(writer, "k".repeat(Limits.MAX_KEY_BYTES + 1), 0));
      assertKind(
          Kind.INVALID,
          () -> writer.add(view("a"), 0, EntryType.DELETE, new ByteView(new byte[1])));
    }
    try (SstWriter writer = SstWriter.create("w", OutputStream.nullOutputStream(), DEFAULTS)) {
      assertKind(Kind.INVALID, () -> add(writer, "a", -1));
      assertKind(Kind.INVALID, () -> add(writer, "a", 1L << 56));
      add(writer, "a", (1L << 56) - 1);
    }
  }

  @Test
  void writerEndsOnce() {
    SstWriter writer = SstWriter.create("w", OutputStream.nullOutputStream(), DEFAULTS);
    add(writer, "a", 1);
    assertThat(writer.estimatedBytes()).isPositive();
    writer.finish();
    writer.close();
    assertKind(Kind.CLOSED, writer::finish);
    assertKind(Kind.CLOSED, () -> add(writer, "b", 1));
  }

  @Test
  void failingStreamIsUnavailable() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("no space");
          }
        };
    try (SstWriter writer = SstWriter.create("w", full, DEFAULTS)) {
      add(writer, "a", 1);
      assertThatThrownBy(writer::finish)
          .isInstanceOfSatisfying(
              StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE))
          .hasMessageContaining("no space");
      assertKind(Kind.UNAVAILABLE, writer::finish);
    }
  }

  @Test
  void writesInLargePieces() {
    int[] calls = new int[1];
    long[] bytes = new long[1];
    OutputStream counting =
        new OutputStream() {
          @Override
          public void write(int b) {
            throw new AssertionError("one byte at a time");
          }

          @Override
          public void write(byte[] b, int offset, int length) {
            calls[0]++;
            bytes[0] += length;
          }
        };
    try (SstWriter writer = SstWriter.create("w", counting, DEFAULTS)) {
      byte[] value = new byte[1000];
      Random random = new Random(1);
      for (int i = 0; i < 5000; i++) {
        random.nextBytes(value);
        writer.add(view(String.format("%08d", i)), 1, EntryType.PUT, new ByteView(value));
      }
      long length = writer.finish();
      assertThat(length).isEqualTo(bytes[0]).isGreaterThan(5_000_000);
    }
    assertThat(calls[0]).isLessThan(25);
  }

  @Test
  void closedReaderAndCursor(@TempDir Path directory) {
    Path file =
        Entry.write(directory.resolve("a.sst"), DEFAULTS, Entry.randomRows(new Random(2), 3000));
    SstReader reader = SstReader.open(SstSource.ofFile(file));
    EntryCursor open = reader.cursor();
    EntryCursor closed = reader.cursor();
    assertThat(open.next()).isTrue();
    assertThat(closed.next()).isTrue();
    closed.close();
    closed.close();
    assertKind(Kind.CLOSED, closed::next);
    reader.close();
    reader.close();
    assertKind(Kind.CLOSED, reader::cursor);
    assertKind(Kind.CLOSED, () -> Entry.readAll(open));
  }

  @Test
  void missingFileIsUnavailable(@TempDir Path directory) {
    assertThatThrownBy(() -> SstSource.ofFile(directory.resolve("none.sst")))
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE))
        .hasMessageContaining("none.sst");
  }

  @Test
  void growingOrShrinkingFileIsCorrupt(@TempDir Path directory) throws IOException {
    List<Entry> entries = Entry.randomRows(new Random(2), 3000);
    Path file = Entry.write(directory.resolve("a.sst"), DEFAULTS, entries);
    try (SstReader reader = SstReader.open(SstSource.ofFile(file))) {
      Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 1000));
      assertKind(Kind.CORRUPT, () -> Entry.readAll(reader.cursor()));
    }
  }

  private static ByteView view(String text) {
    return new ByteView(Entry.bytes(text));
  }

  private static void add(SstWriter writer, String key, long sequence) {
    writer.add(view(key), sequence, EntryType.PUT, new ByteView());
  }

  private static void assertKind(Kind kind, ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }
}
