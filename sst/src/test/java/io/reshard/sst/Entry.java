package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** An entry as a value, for models and comparisons. */
record Entry(String key, long sequence, EntryType type, String value) {
  /** The order of entries in a file; strings are Latin-1, so chars order as bytes do. */
  static final Comparator<Entry> ORDER =
      Comparator.comparing(Entry::key)
          .thenComparing(Comparator.comparingLong(Entry::sequence).reversed());

  static Entry put(String key, long sequence, String value) {
    return new Entry(key, sequence, EntryType.PUT, value);
  }

  static Entry delete(String key, long sequence) {
    return new Entry(key, sequence, EntryType.DELETE, "");
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String text(ByteView view) {
    return new String(view.array(), view.offset(), view.length(), StandardCharsets.ISO_8859_1);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Reads a cursor to its end and closes it. */
  static List<Entry> readAll(EntryCursor cursor) {
    try (cursor) {
      List<Entry> entries = new ArrayList<>();
      while (cursor.next()) {
        entries.add(
            new Entry(text(cursor.key()), cursor.sequence(), cursor.type(), text(cursor.value())));
      }
      return entries;
    }
  }

  static List<Entry> readAll(SstSource source) {
    try (SstReader reader = SstReader.open(source)) {
      return readAll(reader.cursor());
    }
  }

  static List<Entry> readAll(Path file) {
    return readAll(SstSource.ofFile(file));
  }

  /** Rows as put entries of sequence number 0. */
  static List<Entry> readRows(StateIterator rows) {
    return readAll(Cursors.entries(rows));
  }

  /** The rows that entries mean, as put entries of sequence number 0: the model. */
  static List<Entry> rowsOf(List<Entry> entries) {
    List<Entry> sorted = new ArrayList<>(entries);
    sorted.sort(ORDER);
    List<Entry> rows = new ArrayList<>();
    String previous = null;
    for (Entry entry : sorted) {
      if (!entry.key.equals(previous) && entry.type == EntryType.PUT) {
        rows.add(put(entry.key, 0, entry.value));
      }
      previous = entry.key;
    }
    return rows;
  }

  /** What a directory is told of a file with these entries. */
  static RocksDirectory.Member member(
      Path file, String family, long number, int level, List<Entry> entries) {
    return new RocksDirectory.Member(
        family,
        number,
        file.toFile().length(),
        level,
        bytes(entries.get(0).key),
        bytes(entries.get(entries.size() - 1).key),
        entries.stream().mapToLong(Entry::sequence).min().orElseThrow(),
        entries.stream().mapToLong(Entry::sequence).max().orElseThrow());
  }

  /** The bytes of a file with these entries. */
  static byte[] write(SstWriterOptions options, List<Entry> entries) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (SstWriter writer = SstWriter.create("written by test", out, options)) {
      for (Entry entry : entries) {
        writer.add(
            new ByteView(bytes(entry.key)),
            entry.sequence,
            entry.type,
            new ByteView(bytes(entry.value)));
      }
      long length = writer.finish();
      if (length != out.size()) {
        throw new AssertionError("finish() said " + length + ", the file has " + out.size());
      }
    }
    return out.toByteArray();
  }

  static Path write(Path file, SstWriterOptions options, List<Entry> entries) {
    try {
      return Files.write(file, write(options, entries));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Distinct random keys with puts of sequence number 0, in order. */
  static List<Entry> randomRows(Random random, int count) {
    return random
        .ints(count * 2L)
        .mapToObj(unused -> randomKey(random))
        .distinct()
        .limit(count)
        .map(key -> put(key, 0, randomValue(random)))
        .sorted(ORDER)
        .toList();
  }

  /** Random keys, each with one to four versions of any type that {@code types} has. */
  static List<Entry> randomEntries(Random random, int count, EntryType... types) {
    List<Entry> entries = new ArrayList<>();
    long sequence = 1;
    for (Entry row : randomRows(random, count)) {
      int versions = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 1;
      for (int i = 0; i < versions; i++) {
        sequence += 1 + random.nextInt(300);
        EntryType type = types[random.nextInt(types.length)];
        String value = type.hasValue() ? randomValue(random) : "";
        entries.add(new Entry(row.key, sequence, type, value));
      }
    }
    entries.sort(ORDER);
    return entries;
  }

  static String randomKey(Random random) {
    byte[] key = new byte[random.nextInt(40)];
    random.nextBytes(key);
    // Few different bytes at the start, so that keys share prefixes and are prefixes of each other.
    for (int i = 0; i < key.length && i < 8; i++) {
      key[i] = (byte) (random.nextInt(3) * 127);
    }
    return text(key);
  }

  /** Half random, half zeros: compresses, but not to nothing. */
  static String randomValue(Random random) {
    byte[] value = new byte[random.nextInt(200)];
    random.nextBytes(value);
    Arrays.fill(value, value.length / 2, value.length, (byte) 0);
    return text(value);
  }

  /** The seed of a random test: given by {@code -Dreshard.seed}, else always the same. */
  static long seed() {
    return Long.getLong("reshard.seed", 42);
  }

  @Override
  public String toString() {
    return type + " " + shown(key) + "@" + sequence + " = " + shown(value);
  }

  private static String shown(String text) {
    String cut = text.length() > 24 ? text.substring(0, 24) : text;
    return HexFormat.of().formatHex(bytes(cut)) + (cut.length() < text.length() ? "…" : "");
  }
}
