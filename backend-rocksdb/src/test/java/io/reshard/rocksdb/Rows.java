package io.reshard.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Rows as text, and other small things that tests share. */
final class Rows {
  private Rows() {}

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static void put(ShardStore store, String columnFamily, String key, String value) {
    store.write(new WriteBatch().put(columnFamily, bytes(key), bytes(value)));
  }

  static List<String> all(ShardStore store, String columnFamily) {
    return of(store.scan(columnFamily, ScanRange.all()));
  }

  /** What a scan shows; closes it. */
  static List<String> of(StateIterator rows) {
    List<String> text = new ArrayList<>();
    try (rows) {
      while (rows.next()) {
        text.add(text(rows.key().toByteArray(), rows.value().toByteArray()));
      }
    }
    return text;
  }

  static List<String> of(Map<byte[], byte[]> rows) {
    List<String> text = new ArrayList<>();
    rows.forEach((key, value) -> text.add(text(key, value)));
    return text;
  }

  private static String text(byte[] key, byte[] value) {
    return HexFormat.of().formatHex(key) + "=" + HexFormat.of().formatHex(value);
  }

  static NavigableMap<byte[], byte[]> none() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  static void assertKind(Kind kind, Runnable call, String... words) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> {
              assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind);
              for (String word : words) {
                assertThat(e.getMessage()).contains(word);
              }
            });
  }
}
