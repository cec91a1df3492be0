package io.reshard.tck;

import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.TWO;
import static io.reshard.tck.Fixture.assertFails;
import static io.reshard.tck.Fixture.delete;
import static io.reshard.tck.Fixture.put;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ByteView;
import io.reshard.spi.Capability;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Scans and their iterators. */
interface IterationSuite extends Suite {
  /** A shard with the one-letter rows a, c, e, g, i, some committed, some not. */
  private ShardStore letters() {
    ShardStore store = fixture().open();
    for (String key : List.of("g", "a", "e")) {
      put(store, ONE, key, "value of " + key);
    }
    store.commit(1);
    put(store, ONE, "i", "value of i");
    put(store, ONE, "c", "value of c");
    return store;
  }

  private static String shown(ShardStore store, ScanRange range) {
    StringBuilder keys = new StringBuilder();
    for (Row row : Rows.drain(store.scan(ONE, range))) {
      keys.append((char) row.key().get(0));
    }
    return keys.toString();
  }

  /** A range over the letters, and what it shows. */
  record Bounds(@Nullable String from, @Nullable String to, String shown) {
    ScanRange range() {
      return ScanRange.between(bytesOrNull(from), bytesOrNull(to));
    }

    private static byte @Nullable [] bytesOrNull(@Nullable String text) {
      return text == null ? null : bytes(text);
    }
  }

  /** Bounds on rows, between rows, beyond them, equal, crossed, empty and missing. */
  List<Bounds> BOUNDS =
      List.of(
          new Bounds(null, null, "acegi"),
          new Bounds("c", null, "cegi"),
          new Bounds("b", null, "cegi"),
          new Bounds(null, "e", "ac"),
          new Bounds(null, "f", "ace"),
          new Bounds("c", "g", "ce"),
          new Bounds("b", "h", "ceg"),
          new Bounds("a", "i", "aceg"),
          new Bounds("a", "ia", "acegi"),
          new Bounds("c", "c", ""),
          new Bounds("d", "e", ""),
          new Bounds("g", "c", ""),
          new Bounds("j", null, ""),
          new Bounds(null, "a", ""),
          new Bounds("", null, "acegi"),
          new Bounds("", "", ""),
          new Bounds(null, "", ""),
          new Bounds("", "b", "a"));

  @Test
  default void required_S311_from_is_inclusive_and_to_exclusive() {
    ShardStore store = letters();
    for (Bounds bounds : BOUNDS) {
      assertThat(shown(store, bounds.range())).as("%s", bounds).isEqualTo(bounds.shown());
    }
  }

  @Test
  default void optional_S311_bounds_mean_the_same_in_reverse_REVERSE_SCAN() {
    fixture().requires(Capability.REVERSE_SCAN);
    ShardStore store = letters();
    for (Bounds bounds : BOUNDS) {
      assertThat(shown(store, bounds.range().reversed()))
          .as("%s in reverse", bounds)
          .isEqualTo(new StringBuilder(bounds.shown()).reverse().toString());
    }
  }

  @Test
  default void required_S003_a_reverse_scan_is_refused_where_it_is_not_declared() {
    fixture().requiresNot(Capability.REVERSE_SCAN);
    ShardStore store = letters();
    fixture()
        .assertUnsupported(
            "a reverse scan",
            Capability.REVERSE_SCAN,
            () -> store.scan(ONE, ScanRange.all().reversed()).close());
  }

  @Test
  default void required_S311_a_prefix_shows_what_starts_with_it() {
    ShardStore store = fixture().open();
    byte[][] keys = {
      bytes(),
      bytes("a"),
      bytes("ab"),
      bytes("ab", 0),
      bytes("ab", 0xff),
      bytes("ab", 0xff, 0xff),
      bytes("ac"),
      bytes(0xff),
      bytes(0xff, 0),
      bytes(0xff, 0xff),
      bytes(0xff, 0xff, 1)
    };
    for (byte[] key : keys) {
      put(store, TWO, key, key);
    }
    byte[][] prefixes = {
      bytes(),
      bytes("a"),
      bytes("ab"),
      bytes("ab", 0xff),
      bytes(0xff),
      bytes(0xff, 0xff),
      bytes("b")
    };
    for (byte[] prefix : prefixes) {
      List<ByteView> expected = new ArrayList<>();
      for (byte[] key : keys) {
        if (key.length >= prefix.length
            && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)) {
          expected.add(new ByteView(key));
        }
      }
      assertThat(Rows.keys(Rows.drain(store.scan(TWO, ScanRange.prefix(prefix)))))
          .as("prefix %s", new ByteView(prefix))
          .isEqualTo(expected);
    }
  }

  private void randomRanges(boolean reverse) {
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(20);
              ShardStore store = fixture().open();
              NavigableMap<ByteView, ByteView> expected = Rows.none();
              for (int i = 0; i < 300; i++) {
                byte[] key = Rows.randomKey(random, 4);
                byte[] value = Rows.random(random, 6);
                if (random.nextInt(4) == 0) {
                  store.write(new WriteBatch().delete(ONE, key));
                  expected.remove(new ByteView(key));
                } else {
                  put(store, ONE, key, value);
                  Rows.put(expected, key, value);
                }
                if (i % 100 == 50) {
                  store.commit(i);
                }
              }
              for (int i = 0; i < 300; i++) {
                byte[] from = random.nextInt(5) == 0 ? null : Rows.randomKey(random, 4);
                byte[] to = random.nextInt(5) == 0 ? null : Rows.randomKey(random, 4);
                ScanRange range = ScanRange.between(from, to);
                NavigableMap<ByteView, ByteView> part = Rows.between(expected, from, to);
                String what =
                    "scan from "
                        + (from == null ? "the start" : new ByteView(from))
                        + " to "
                        + (to == null ? "the end" : new ByteView(to));
                Rows.assertRows(
                    store.scan(ONE, reverse ? range.reversed() : range),
                    reverse ? part.descendingMap() : part,
                    what);
              }
            });
  }

  @Test
  default void required_S311_random_ranges() {
    randomRanges(false);
  }

  @Test
  default void optional_S311_random_ranges_in_reverse_REVERSE_SCAN() {
    fixture().requires(Capability.REVERSE_SCAN);
    randomRanges(true);
  }

  @Test
  default void required_S301_the_same_views_are_reused() {
    ShardStore store = letters();
    try (StateIterator rows = store.scan(ONE, ScanRange.all())) {
      assertThat(rows.next()).isTrue();
      ByteView key = rows.key();
      ByteView value = rows.value();
      assertThat(rows.next()).isTrue();
      assertThat(rows.key()).isSameAs(key);
      assertThat(rows.value()).isSameAs(value);
      assertThat(key).isEqualTo(new ByteView(bytes("c")));
      assertThat(value).isEqualTo(new ByteView(bytes("value of c")));
    }
  }

  @Test
  default void required_S301_views_hold_until_the_next_step() {
    ShardStore store = letters();
    try (StateIterator rows = store.scan(ONE, ScanRange.all());
        StateIterator others = store.scan(ONE, ScanRange.between(bytes("e"), null))) {
      assertThat(rows.next()).isTrue();
      ByteView key = rows.key();
      ByteView value = rows.value();
      assertThat(others.next()).isTrue();
      assertThat(store.get(ONE, bytes("g"))).isEqualTo(bytes("value of g"));
      put(store, ONE, "a", "changed");
      delete(store, ONE, "c");
      store.commit(7);
      assertThat(key).isEqualTo(new ByteView(bytes("a")));
      assertThat(value).isEqualTo(new ByteView(bytes("value of a")));
      assertThat(rows.key()).isEqualTo(new ByteView(bytes("a")));
      assertThat(rows.value()).isEqualTo(new ByteView(bytes("value of a")));
      assertThat(others.key()).isEqualTo(new ByteView(bytes("e")));
    }
  }

  @Test
  default void required_S301_copied_bytes_stay() {
    ShardStore store = letters();
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    try (StateIterator rows = store.scan(ONE, ScanRange.all())) {
      while (rows.next()) {
        keys.add(rows.key().toByteArray());
        values.add(rows.value().toByteArray());
      }
    }
    assertThat(keys).containsExactly(bytes("a"), bytes("c"), bytes("e"), bytes("g"), bytes("i"));
    assertThat(values.get(0)).isEqualTo(bytes("value of a"));
    assertThat(values.get(4)).isEqualTo(bytes("value of i"));
  }

  @Test
  default void required_S302_the_end_is_the_end_for_ever() {
    ShardStore store = letters();
    try (StateIterator rows = store.scan(ONE, ScanRange.between(bytes("g"), null))) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.next()).isTrue();
      for (int i = 0; i < 10; i++) {
        assertThat(rows.next()).as("next() after the end, call %s", i).isFalse();
        put(store, ONE, "z" + i, "later");
      }
      store.commit(9);
      assertThat(rows.next()).isFalse();
    }
    try (StateIterator rows = store.scan(TWO, ScanRange.all())) {
      for (int i = 0; i < 3; i++) {
        assertThat(rows.next()).as("next() of an empty scan, call %s", i).isFalse();
      }
    }
  }

  @Test
  default void required_S303_key_and_value_need_a_current_row() {
    ShardStore store = letters();
    try (StateIterator rows = store.scan(ONE, ScanRange.between(bytes("i"), null))) {
      assertFails("key() before next()", Kind.INVALID, rows::key);
      assertFails("value() before next()", Kind.INVALID, rows::value);
      assertThat(rows.next()).isTrue();
      assertThat(rows.key()).isEqualTo(new ByteView(bytes("i")));
      assertThat(rows.next()).isFalse();
      assertFails("key() after the end", Kind.INVALID, rows::key);
      assertFails("value() after the end", Kind.INVALID, rows::value);
    }
  }

  @Test
  default void required_S304_a_closed_iterator_is_CLOSED() {
    ShardStore store = letters();
    StateIterator rows = store.scan(ONE, ScanRange.all());
    assertThat(rows.next()).isTrue();
    rows.close();
    rows.close();
    assertFails("next() after close()", Kind.CLOSED, rows::next);
    StateIterator fresh = store.scan(ONE, ScanRange.all());
    fresh.close();
    assertFails("next() after close()", Kind.CLOSED, fresh::next);
    assertThat(shown(store, ScanRange.all())).isEqualTo("acegi");
  }

  @Test
  default void required_S304_an_iterator_ends_with_its_store() {
    ShardStore store = letters();
    StateIterator fresh = store.scan(ONE, ScanRange.all());
    StateIterator rows = store.scan(ONE, ScanRange.all());
    assertThat(rows.next()).isTrue();
    StateIterator ended = store.scan(ONE, ScanRange.between(bytes("x"), null));
    assertThat(ended.next()).isFalse();
    store.close();
    assertFails("next() after the store was closed", Kind.CLOSED, rows::next);
    assertFails("first next() after the store was closed", Kind.CLOSED, fresh::next);
    for (StateIterator iterator : List.of(rows, fresh, ended)) {
      iterator.close();
      iterator.close();
    }
    assertFails("next() after both were closed", Kind.CLOSED, rows::next);
  }

  @Test
  default void required_S304_key_after_close_fails_in_order() {
    ShardStore store = letters();
    StateIterator rows = store.scan(ONE, ScanRange.all());
    assertThat(rows.next()).isTrue();
    store.close();
    rows.close();
    for (Fixture.Call call : List.<Fixture.Call>of(rows::key, rows::value)) {
      try {
        call.run();
      } catch (StateStoreException e) {
        assertThat(e.kind()).isIn(Kind.INVALID, Kind.CLOSED);
        continue;
      } catch (Exception e) {
        throw new AssertionError("key() or value() after close(): " + e, e);
      }
      throw new AssertionError("key() or value() after close() succeeded");
    }
  }

  private void isolation(boolean reverse, Fixture.Change change) {
    ShardStore store = letters();
    ScanRange range = reverse ? ScanRange.all().reversed() : ScanRange.all();
    List<Row> before = Rows.drain(store.scan(ONE, range));
    try (StateIterator started = store.scan(ONE, range);
        StateIterator fresh = store.scan(ONE, range)) {
      assertThat(started.next()).isTrue();
      List<Row> seen = new ArrayList<>();
      seen.add(Row.of(started.key().toByteArray(), started.value().toByteArray()));
      change.run(store);
      seen.addAll(Rows.drain(started));
      assertThat(seen).as("a scan that had started").isEqualTo(before);
      assertThat(Rows.drain(fresh)).as("a scan that had not started").isEqualTo(before);
    }
  }

  private static void changeEverything(ShardStore store) {
    store.write(
        new WriteBatch()
            .put(ONE, bytes("a"), bytes("changed"))
            .put(ONE, bytes("b"), bytes("new"))
            .delete(ONE, bytes("c"))
            .put(ONE, bytes("e"), bytes("changed"))
            .delete(ONE, bytes("g"))
            .put(ONE, bytes("z"), bytes("new"))
            .put(ONE, bytes(), bytes("new")));
  }

  @Test
  default void required_S502_a_scan_does_not_see_later_writes() {
    isolation(false, IterationSuite::changeEverything);
  }

  @Test
  default void optional_S502_a_reverse_scan_does_not_see_later_writes_REVERSE_SCAN() {
    fixture().requires(Capability.REVERSE_SCAN);
    isolation(true, IterationSuite::changeEverything);
  }

  @Test
  default void required_S502_a_scan_does_not_see_a_later_commit() {
    isolation(
        false,
        store -> {
          changeEverything(store);
          store.commit(2);
          put(store, ONE, "d", "later still");
          store.commit(3);
        });
  }

  @Test
  default void required_S502_a_scan_outlives_a_rollback() {
    isolation(
        false,
        store -> {
          store.rollback();
          assertThat(shown(store, ScanRange.all())).isEqualTo("aeg");
        });
  }

  @Test
  default void optional_S502_a_scan_does_not_see_a_range_delete_DELETE_RANGE() {
    fixture().requires(Capability.DELETE_RANGE);
    isolation(
        false,
        store -> {
          store.write(new WriteBatch().deleteRange(ONE, bytes("b"), bytes("h")));
          assertThat(shown(store, ScanRange.all())).isEqualTo("ai");
        });
  }

  @Test
  default void required_S502_scans_of_different_moments_run_side_by_side() {
    ShardStore store = fixture().open();
    List<StateIterator> scans = new ArrayList<>();
    List<List<Row>> moments = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      put(store, ONE, "k" + (i % 7), "v" + i);
      if (i % 3 == 0) {
        delete(store, ONE, "k" + (i % 5));
      }
      if (i % 4 == 0) {
        store.commit(i + 1);
      }
      moments.add(Rows.all(store, ONE));
      scans.add(store.scan(ONE, ScanRange.all()));
    }
    for (int i = scans.size() - 1; i >= 0; i--) {
      assertThat(Rows.drain(scans.get(i))).as("scan of moment %s", i).isEqualTo(moments.get(i));
    }
  }
}
