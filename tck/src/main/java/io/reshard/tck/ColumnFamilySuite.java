package io.reshard.tck;

import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.TWO;
import static io.reshard.tck.Fixture.assertFails;
import static io.reshard.tck.Fixture.delete;
import static io.reshard.tck.Fixture.get;
import static io.reshard.tck.Fixture.put;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Column families: apart from one another, and refused where they are not declared. */
interface ColumnFamilySuite extends Suite {
  @Test
  default void required_S106_an_undeclared_column_family_is_refused() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    List<StateStoreException> failures =
        List.of(
            assertFails("get", Kind.INVALID, () -> store.get("three", bytes("k"))),
            assertFails(
                "multiGet", Kind.INVALID, () -> store.multiGet("three", new byte[][] {bytes("k")})),
            assertFails("scan", Kind.INVALID, () -> store.scan("three", ScanRange.all()).close()),
            assertFails("write", Kind.INVALID, () -> put(store, "three", "k", "v")));
    for (StateStoreException e : failures) {
      assertThat(e).hasMessageContainingAll("three", ONE, TWO);
    }
  }

  @Test
  default void required_S202_a_batch_with_an_undeclared_column_family_is_refused_wholly() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    WriteBatch batch =
        new WriteBatch()
            .put(ONE, bytes("a"), bytes("1"))
            .delete(ONE, bytes("k"))
            .put("three", bytes("b"), bytes("2"))
            .put(TWO, bytes("c"), bytes("3"));
    assertFails("write", Kind.INVALID, () -> store.write(batch));
    assertThat(Rows.all(store, ONE)).containsExactly(Row.of(bytes("k"), bytes("v")));
    assertThat(Rows.all(store, TWO)).isEmpty();
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
    put(store, ONE, "k", "w");
    assertThat(get(store, ONE, "k")).isEqualTo("w");
  }

  @Test
  default void required_S201_column_families_are_apart() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "of one");
    put(store, TWO, "k", "of two");
    put(store, TWO, "only two", "x");
    for (int version = 1; version <= 2; version++) {
      assertThat(get(store, ONE, "k")).isEqualTo("of one");
      assertThat(get(store, TWO, "k")).isEqualTo("of two");
      assertThat(get(store, ONE, "only two")).isNull();
      assertThat(Rows.all(store, ONE)).hasSize(1);
      assertThat(Rows.all(store, TWO)).hasSize(2);
      store.commit(version);
    }
    delete(store, ONE, "k");
    assertThat(get(store, ONE, "k")).isNull();
    assertThat(get(store, TWO, "k")).isEqualTo("of two");
    assertThat(Rows.all(store, ONE)).isEmpty();
    assertThat(Rows.all(store, TWO)).hasSize(2);
  }

  @Test
  default void required_S106_as_many_column_families_as_a_store_may_have() {
    List<ColumnFamily> columnFamilies = new ArrayList<>();
    for (int i = 0; i < ColumnFamily.MAX_COUNT; i++) {
      columnFamilies.add(
          i % 2 == 0 ? ColumnFamily.hashed("cf-" + i) : ColumnFamily.ordered("cf-" + i));
    }
    ShardStore store =
        fixture().backend().open(new ShardOptions(fixture().newDirectory(), columnFamilies));
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < columnFamilies.size(); i++) {
      batch.put("cf-" + i, bytes("k"), bytes(i));
    }
    store.write(batch);
    store.commit(1);
    for (int i = 0; i < columnFamilies.size(); i++) {
      assertThat(Rows.all(store, "cf-" + i))
          .as("column family %s", i)
          .containsExactly(Row.of(bytes("k"), bytes(i)));
    }
  }

  @Test
  default void required_S106_names_of_any_allowed_form() {
    List<String> names = List.of("a", "default", "a_b-c9", "x".repeat(64));
    ShardStore store =
        fixture()
            .backend()
            .open(
                new ShardOptions(
                    fixture().newDirectory(), names.stream().map(ColumnFamily::hashed).toList()));
    names.forEach(name -> put(store, name, "k", name));
    store.commit(1);
    names.forEach(name -> assertThat(get(store, name, "k")).isEqualTo(name));
  }
}
