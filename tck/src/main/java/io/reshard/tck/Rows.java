package io.reshard.tck;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.reshard.spi.ByteView;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Bytes and rows as the suites need them. Expected rows are sorted maps of {@link ByteView}, whose
 * order is that of the SPI.
 */
final class Rows {
  private Rows() {}

  /** The bytes of an ASCII text, and more by their unsigned values. */
  static byte[] bytes(String text, int... more) {
    byte[] front = text.getBytes(US_ASCII);
    byte[] all = Arrays.copyOf(front, front.length + more.length);
    System.arraycopy(bytes(more), 0, all, front.length, more.length);
    return all;
  }

  /** Bytes by their unsigned values. */
  static byte[] bytes(int... unsigned) {
    byte[] bytes = new byte[unsigned.length];
    for (int i = 0; i < unsigned.length; i++) {
      bytes[i] = (byte) unsigned[i];
    }
    return bytes;
  }

  /** Random bytes. */
  static byte[] random(RandomGenerator random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /**
   * A random key of up to {@code maxLength} bytes out of few byte values, so that keys repeat and
   * are often prefixes of one another; signed and unsigned order differ on them.
   */
  static byte[] randomKey(RandomGenerator random, int maxLength) {
    byte[] key = new byte[random.nextInt(maxLength + 1)];
    for (int i = 0; i < key.length; i++) {
      key[i] =
          switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> (byte) 0xff;
            case 2 -> (byte) 0x7f;
            case 3 -> (byte) 0x80;
            default -> (byte) ('a' + random.nextInt(3));
          };
    }
    return key;
  }

  /** An empty map in the order of the SPI. */
  static NavigableMap<ByteView, ByteView> none() {
    return new TreeMap<>();
  }

  /** Puts a row into expected rows. */
  static void put(Map<ByteView, ByteView> rows, byte[] key, byte[] value) {
    rows.put(new ByteView(key.clone()), new ByteView(value.clone()));
  }

  /** What a scan shows; closes it. */
  static List<Row> drain(StateIterator iterator) {
    List<Row> rows = new ArrayList<>();
    try (iterator) {
      while (iterator.next()) {
        rows.add(Row.of(iterator.key().toByteArray(), iterator.value().toByteArray()));
      }
    }
    return rows;
  }

  /** Every row of a column family. */
  static List<Row> all(ShardStore store, String columnFamily) {
    return drain(store.scan(columnFamily, ScanRange.all()));
  }

  /** The keys of rows, in their order. */
  static List<ByteView> keys(List<Row> rows) {
    return rows.stream().map(Row::key).toList();
  }

  /** Rows of a map, in its order. */
  static List<Row> list(Map<ByteView, ByteView> rows) {
    List<Row> list = new ArrayList<>(rows.size());
    rows.forEach((key, value) -> list.add(new Row(key, value)));
    return list;
  }

  /** Compares a scan with what is expected, row by row, and names the first that differs. */
  static void assertRows(
      StateIterator actual, NavigableMap<ByteView, ByteView> expected, String what) {
    try (actual) {
      int at = 0;
      for (Iterator<Map.Entry<ByteView, ByteView>> i = expected.entrySet().iterator();
          i.hasNext();
          at++) {
        Map.Entry<ByteView, ByteView> row = i.next();
        if (!actual.next()) {
          throw new AssertionError(
              what + ": ends after " + at + " of " + expected.size() + " rows, before " + row);
        }
        if (actual.key().compareTo(row.getKey()) != 0) {
          throw new AssertionError(
              what
                  + ": row "
                  + at
                  + " has key "
                  + actual.key()
                  + ", expected "
                  + row.getKey()
                  + "; "
                  + (actual.key().compareTo(row.getKey()) > 0
                      ? "the expected one is missing or out of order"
                      : "the one found should not be here"));
        }
        if (actual.value().compareTo(row.getValue()) != 0) {
          throw new AssertionError(
              what
                  + ": row "
                  + at
                  + " with key "
                  + row.getKey()
                  + " has value "
                  + actual.value()
                  + ", expected "
                  + row.getValue());
        }
      }
      if (actual.next()) {
        throw new AssertionError(
            what + ": goes on after " + at + " rows with key " + actual.key() + ", expected none");
      }
    }
  }

  /** Compares a whole column family with what is expected. */
  static void assertRows(
      ShardStore store, String columnFamily, NavigableMap<ByteView, ByteView> expected) {
    assertRows(store.scan(columnFamily, ScanRange.all()), expected, "'" + columnFamily + "'");
  }

  /** The part of expected rows that a range covers; null bounds are none. */
  static NavigableMap<ByteView, ByteView> between(
      NavigableMap<ByteView, ByteView> rows, byte @Nullable [] from, byte @Nullable [] to) {
    NavigableMap<ByteView, ByteView> part = none();
    rows.forEach(
        (key, value) -> {
          if ((from == null || key.compareTo(from) >= 0) && (to == null || key.compareTo(to) < 0)) {
            part.put(key, value);
          }
        });
    return part;
  }
}
