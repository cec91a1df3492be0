package io.reshard.tck;

import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.get;
import static io.reshard.tck.Fixture.put;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ByteView;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import io.reshard.spi.WriteBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Whose bytes are whose. */
interface OwnershipSuite extends Suite {
  @Test
  default void required_S101_a_batch_may_be_cleared_and_filled_again() {
    ShardStore store = fixture().open();
    WriteBatch batch = new WriteBatch();
    store.write(batch.put(ONE, bytes("aaaa"), bytes("1111")));
    batch.clear();
    store.write(batch.put(ONE, bytes("bbbb"), bytes("2222")));
    batch.clear();
    batch.put(ONE, bytes("cccc"), bytes("3333"));
    for (int version = 1; version <= 2; version++) {
      assertThat(Rows.all(store, ONE))
          .containsExactly(
              Row.of(bytes("aaaa"), bytes("1111")), Row.of(bytes("bbbb"), bytes("2222")));
      store.commit(version);
    }
  }

  @Test
  default void required_S101_arrays_put_into_a_batch_may_change_afterwards() {
    ShardStore store = fixture().open();
    byte[] key = bytes("key");
    byte[] value = bytes("value");
    store.write(new WriteBatch().put(ONE, key, value));
    Arrays.fill(key, (byte) 'x');
    Arrays.fill(value, (byte) 'x');
    assertThat(Rows.all(store, ONE)).containsExactly(Row.of(bytes("key"), bytes("value")));
    store.commit(1);
    assertThat(get(store, ONE, "key")).isEqualTo("value");
  }

  @Test
  default void required_S101_key_arrays_of_reads_may_change_afterwards() {
    ShardStore store = fixture().open();
    put(store, ONE, "a", "1");
    put(store, ONE, "b", "2");
    byte[] key = bytes("a");
    byte[][] keys = {bytes("a"), bytes("b")};
    byte[] first = store.get(ONE, key);
    byte[][] all = store.multiGet(ONE, keys);
    key[0] = 'b';
    keys[0][0] = 'x';
    keys[1] = bytes("y");
    assertThat(get(store, ONE, "b")).isEqualTo("2");
    assertThat(first).isEqualTo(bytes("1"));
    assertThat(all[0]).isEqualTo(bytes("1"));
    assertThat(all[1]).isEqualTo(bytes("2"));
    assertThat(Rows.keys(Rows.all(store, ONE)))
        .containsExactly(new ByteView(bytes("a")), new ByteView(bytes("b")));
    assertThat(get(store, ONE, "a")).isEqualTo("1");
  }

  @Test
  default void required_S101_scan_bounds_may_change_after_close() {
    ShardStore store = fixture().open();
    put(store, ONE, "a", "1");
    put(store, ONE, "b", "2");
    byte[] from = bytes("a");
    byte[] to = bytes("b");
    assertThat(Rows.drain(store.scan(ONE, ScanRange.between(from, to)))).hasSize(1);
    from[0] = 'z';
    to[0] = 'z';
    assertThat(Rows.all(store, ONE)).hasSize(2);
    assertThat(Rows.drain(store.scan(ONE, ScanRange.between(bytes("a"), bytes("b"))))).hasSize(1);
  }

  @Test
  default void required_S101_arguments_are_not_changed() {
    ShardStore store = fixture().open();
    WriteBatch batch = new WriteBatch().put(ONE, bytes("k"), bytes("v")).delete(ONE, bytes("gone"));
    List<String> before = operations(batch);
    int size = batch.byteSize();
    store.write(batch);
    assertThat(operations(batch)).isEqualTo(before);
    assertThat(batch.byteSize()).isEqualTo(size);
    byte[] key = bytes("k");
    store.get(ONE, key);
    assertThat(key).isEqualTo(bytes("k"));
    byte[][] keys = {bytes("z"), bytes("k"), bytes("a")};
    byte[] second = keys[1];
    store.multiGet(ONE, keys);
    assertThat(keys[0]).isEqualTo(bytes("z"));
    assertThat(keys[1]).isSameAs(second).isEqualTo(bytes("k"));
    assertThat(keys[2]).isEqualTo(bytes("a"));
    byte[] from = bytes("a");
    byte[] to = bytes("z");
    Rows.drain(store.scan(ONE, ScanRange.between(from, to)));
    assertThat(from).isEqualTo(bytes("a"));
    assertThat(to).isEqualTo(bytes("z"));
    store.commit(1);
    store.write(batch);
    assertThat(Rows.all(store, ONE)).containsExactly(Row.of(bytes("k"), bytes("v")));
  }

  private static List<String> operations(WriteBatch batch) {
    List<String> operations = new ArrayList<>();
    batch.forEach(
        new WriteBatch.Handler() {
          @Override
          public void put(String columnFamily, ByteView key, ByteView value) {
            operations.add("put " + columnFamily + " " + key + " " + value);
          }

          @Override
          public void delete(String columnFamily, ByteView key) {
            operations.add("delete " + columnFamily + " " + key);
          }

          @Override
          public void deleteRange(String columnFamily, ByteView from, ByteView to) {
            operations.add("delete range " + columnFamily + " " + from + " " + to);
          }
        });
    return operations;
  }

  @Test
  default void required_S102_an_array_from_get_is_the_callers() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "value");
    for (int version = 1; version <= 2; version++) {
      byte[] got = Objects.requireNonNull(store.get(ONE, bytes("k")));
      Arrays.fill(got, (byte) 'x');
      assertThat(get(store, ONE, "k")).isEqualTo("value");
      assertThat(Rows.all(store, ONE)).containsExactly(Row.of(bytes("k"), bytes("value")));
      store.commit(version);
    }
  }

  @Test
  default void required_S102_later_reads_leave_a_returned_array_alone() {
    ShardStore store = fixture().open();
    put(store, ONE, "a", "value of a");
    put(store, ONE, "b", "value of b");
    byte[] a = store.get(ONE, bytes("a"));
    byte[] b = store.get(ONE, bytes("b"));
    byte[][] both = store.multiGet(ONE, new byte[][] {bytes("b"), bytes("a")});
    put(store, ONE, "a", "VALUE OF A");
    store.get(ONE, bytes("a"));
    store.commit(1);
    assertThat(a).isEqualTo(bytes("value of a"));
    assertThat(b).isEqualTo(bytes("value of b"));
    assertThat(both[0]).isEqualTo(bytes("value of b"));
    assertThat(both[1]).isEqualTo(bytes("value of a"));
  }

  @Test
  default void required_S102_arrays_from_multiGet_are_the_callers() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "value");
    store.commit(1);
    byte[][] got = store.multiGet(ONE, new byte[][] {bytes("k"), bytes("k")});
    Arrays.fill(Objects.requireNonNull(got[0]), (byte) 'x');
    assertThat(got[1]).as("the other array for the same key").isEqualTo(bytes("value"));
    assertThat(get(store, ONE, "k")).isEqualTo("value");
  }

  @Test
  default void required_S301_changing_a_view_does_not_change_the_store() {
    ShardStore store = fixture().open();
    put(store, ONE, "a", "1");
    put(store, ONE, "b", "2");
    try (StateIterator rows = store.scan(ONE, ScanRange.all())) {
      assertThat(rows.next()).isTrue();
      byte[] key = rows.key().toByteArray();
      byte[] value = rows.value().toByteArray();
      key[0] = 'x';
      value[0] = 'x';
      assertThat(rows.key()).isEqualTo(new ByteView(bytes("a")));
      assertThat(rows.value()).isEqualTo(new ByteView(bytes("1")));
      assertThat(rows.next()).isTrue();
      assertThat(rows.key()).isEqualTo(new ByteView(bytes("b")));
    }
    assertThat(get(store, ONE, "a")).isEqualTo("1");
  }
}
