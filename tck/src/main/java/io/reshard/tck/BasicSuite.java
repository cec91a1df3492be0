package io.reshard.tck;

import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.TWO;
import static io.reshard.tck.Fixture.delete;
import static io.reshard.tck.Fixture.get;
import static io.reshard.tck.Fixture.multiGet;
import static io.reshard.tck.Fixture.put;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ByteView;
import io.reshard.spi.ShardStore;
import io.reshard.spi.WriteBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Reads and writes of rows. */
interface BasicSuite extends Suite {
  @Test
  default void required_S111_get_gives_what_was_put() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    assertThat(get(store, ONE, "k")).isEqualTo("v");
    put(store, ONE, "k", "w");
    assertThat(get(store, ONE, "k")).isEqualTo("w");
  }

  @Test
  default void required_S111_get_of_a_row_that_is_not_there_is_null() {
    ShardStore store = fixture().open();
    assertThat(get(store, ONE, "k")).isNull();
    put(store, ONE, "kk", "v");
    put(store, ONE, "", "v");
    assertThat(get(store, ONE, "k")).isNull();
    assertThat(get(store, ONE, "kkk")).isNull();
    assertThat(get(store, ONE, "z")).isNull();
  }

  @Test
  default void required_S111_get_of_a_deleted_row_is_null() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    put(store, ONE, "l", "v");
    store.commit(1);
    delete(store, ONE, "k");
    assertThat(get(store, ONE, "k")).isNull();
    assertThat(get(store, ONE, "l")).isEqualTo("v");
    store.commit(2);
    assertThat(get(store, ONE, "k")).isNull();
    put(store, ONE, "k", "again");
    assertThat(get(store, ONE, "k")).isEqualTo("again");
  }

  @Test
  default void required_S112_multiGet_gives_what_get_gives_key_by_key() {
    ShardStore store = fixture().open();
    put(store, ONE, "a", "1");
    put(store, ONE, "c", "3");
    put(store, ONE, "", "empty");
    store.commit(1);
    put(store, ONE, "e", "5");
    delete(store, ONE, "c");
    assertThat(multiGet(store, ONE, "e", "a", "b", "a", "", "c", "zz"))
        .containsExactly("5", "1", null, "1", "empty", null, null);
  }

  @Test
  default void required_S112_multiGet_of_no_keys_is_empty() {
    assertThat(multiGet(fixture().open(), ONE)).isEmpty();
  }

  @Test
  default void required_S112_multiGet_of_many_keys() {
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(1);
              ShardStore store = fixture().open();
              NavigableMap<ByteView, ByteView> expected = Rows.none();
              WriteBatch batch = new WriteBatch();
              for (int i = 0; i < 500; i++) {
                byte[] key = Rows.randomKey(random, 6);
                byte[] value = Rows.random(random, random.nextInt(50));
                batch.put(ONE, key, value);
                Rows.put(expected, key, value);
              }
              store.write(batch);
              byte[][] keys = new byte[1000][];
              for (int i = 0; i < keys.length; i++) {
                keys[i] = Rows.randomKey(random, 6);
              }
              byte[][] values = store.multiGet(ONE, keys);
              for (int i = 0; i < keys.length; i++) {
                ByteView value = expected.get(new ByteView(keys[i]));
                assertThat(values[i])
                    .as("value of key %s", new ByteView(keys[i]))
                    .isEqualTo(value == null ? null : value.toByteArray());
              }
            });
  }

  @Test
  default void required_S201_every_read_sees_a_write_at_once() {
    ShardStore store = fixture().open();
    put(store, ONE, "a", "old");
    store.commit(1);
    put(store, ONE, "a", "new");
    put(store, ONE, "b", "2");
    assertThat(get(store, ONE, "a")).isEqualTo("new");
    assertThat(multiGet(store, ONE, "b", "a")).containsExactly("2", "new");
    assertThat(Rows.all(store, ONE))
        .containsExactly(Row.of(bytes("a"), bytes("new")), Row.of(bytes("b"), bytes("2")));
    delete(store, ONE, "a");
    assertThat(get(store, ONE, "a")).isNull();
    assertThat(Rows.all(store, ONE)).containsExactly(Row.of(bytes("b"), bytes("2")));
  }

  @Test
  default void required_S201_deleting_a_row_that_is_not_there_is_no_error() {
    ShardStore store = fixture().open();
    delete(store, ONE, "k");
    store.commit(1);
    delete(store, ONE, "k");
    assertThat(Rows.all(store, ONE)).isEmpty();
  }

  @Test
  default void required_S202_an_empty_batch_changes_nothing() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    store.write(new WriteBatch());
    assertThat(Rows.all(store, ONE)).containsExactly(Row.of(bytes("k"), bytes("v")));
  }

  @Test
  default void required_S203_operations_of_a_batch_apply_in_order() {
    ShardStore store = fixture().open();
    put(store, ONE, "kept", "old");
    store.write(
        new WriteBatch()
            .put(ONE, bytes("a"), bytes("1"))
            .put(ONE, bytes("a"), bytes("2"))
            .put(ONE, bytes("gone"), bytes("x"))
            .delete(ONE, bytes("gone"))
            .delete(ONE, bytes("kept"))
            .put(ONE, bytes("kept"), bytes("new"))
            .put(TWO, bytes("a"), bytes("other")));
    assertThat(Rows.all(store, ONE))
        .containsExactly(Row.of(bytes("a"), bytes("2")), Row.of(bytes("kept"), bytes("new")));
    assertThat(Rows.all(store, TWO)).containsExactly(Row.of(bytes("a"), bytes("other")));
  }

  @Test
  default void required_S203_a_batch_of_many_operations_on_few_keys() {
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(2);
              ShardStore store = fixture().open();
              NavigableMap<ByteView, ByteView> expected = Rows.none();
              for (int round = 0; round < 5; round++) {
                WriteBatch batch = new WriteBatch();
                for (int i = 0; i < 1000; i++) {
                  byte[] key = bytes(random.nextInt(40));
                  if (random.nextInt(3) == 0) {
                    batch.delete(ONE, key);
                    expected.remove(new ByteView(key));
                  } else {
                    byte[] value = Rows.random(random, 5);
                    batch.put(ONE, key, value);
                    Rows.put(expected, key, value);
                  }
                }
                store.write(batch);
                Rows.assertRows(store, ONE, expected);
              }
            });
  }

  @Test
  default void required_S104_empty_key_and_empty_value() {
    ShardStore store = fixture().open();
    put(store, ONE, "", "of the empty key");
    put(store, ONE, "empty value", "");
    put(store, TWO, "", "");
    for (int version = 1; version <= 2; version++) {
      assertThat(get(store, ONE, "")).isEqualTo("of the empty key");
      assertThat(get(store, ONE, "empty value")).isEqualTo("");
      assertThat(get(store, TWO, "")).isEqualTo("");
      assertThat(multiGet(store, ONE, "empty value", "no")).containsExactly("", null);
      assertThat(Rows.all(store, ONE))
          .containsExactly(
              Row.of(bytes(""), bytes("of the empty key")),
              Row.of(bytes("empty value"), bytes("")));
      assertThat(Rows.all(store, TWO)).containsExactly(Row.of(bytes(""), bytes("")));
      store.commit(version);
    }
    delete(store, ONE, "");
    delete(store, ONE, "empty value");
    assertThat(get(store, ONE, "")).isNull();
    assertThat(Rows.all(store, ONE)).isEmpty();
    assertThat(get(store, TWO, "")).isEqualTo("");
  }

  @Test
  default void required_S104_every_byte_value() {
    ShardStore store = fixture().open();
    WriteBatch batch = new WriteBatch();
    List<Row> expected = new ArrayList<>();
    for (int i = 0; i < 256; i++) {
      byte[] value = bytes(i, 0, 255 - i, 0xff, i);
      batch.put(ONE, bytes(i), value);
      expected.add(Row.of(bytes(i), value));
    }
    store.write(batch);
    store.commit(1);
    for (int i = 0; i < 256; i++) {
      assertThat(store.get(ONE, bytes(i))).isEqualTo(bytes(i, 0, 255 - i, 0xff, i));
    }
    assertThat(Rows.all(store, ONE)).isEqualTo(expected);
  }
}
