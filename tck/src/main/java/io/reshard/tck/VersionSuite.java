package io.reshard.tck;

import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.TWO;
import static io.reshard.tck.Fixture.assertFails;
import static io.reshard.tck.Fixture.delete;
import static io.reshard.tck.Fixture.get;
import static io.reshard.tck.Fixture.multiGet;
import static io.reshard.tck.Fixture.put;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.Capability;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import org.junit.jupiter.api.Test;

/** Commit, rollback and versions. */
interface VersionSuite extends Suite {
  @Test
  default void required_S211_versions_count_up_and_may_skip() {
    ShardStore store = fixture().open();
    assertThat(store.version()).isZero();
    store.commit(1);
    assertThat(store.version()).isEqualTo(1);
    store.commit(2);
    store.commit(1000);
    store.commit(1L << 40);
    assertThat(store.version()).isEqualTo(1L << 40);
  }

  @Test
  default void required_S211_a_version_that_is_not_greater_is_refused() {
    ShardStore store = fixture().open();
    assertFails("commit(0) of a new shard", Kind.INVALID, () -> store.commit(0));
    assertFails("commit(-1) of a new shard", Kind.INVALID, () -> store.commit(-1));
    store.commit(5);
    for (long version : new long[] {5, 4, 1, 0, -1, Long.MIN_VALUE}) {
      assertFails(
          "commit(" + version + ") after version 5", Kind.INVALID, () -> store.commit(version));
      assertThat(store.version()).isEqualTo(5);
    }
    store.commit(6);
    assertThat(store.version()).isEqualTo(6);
  }

  @Test
  default void required_S212_a_commit_without_writes_is_a_version() {
    ShardStore store = fixture().open();
    store.commit(1);
    put(store, ONE, "k", "v");
    store.commit(2);
    store.commit(3);
    assertThat(store.version()).isEqualTo(3);
    assertThat(get(store, ONE, "k")).isEqualTo("v");
    store.rollback();
    assertThat(store.version()).isEqualTo(3);
    assertThat(get(store, ONE, "k")).isEqualTo("v");
  }

  @Test
  default void required_S221_rollback_drops_every_write_since_the_commit() {
    ShardStore store = fixture().open();
    put(store, ONE, "kept", "1");
    put(store, ONE, "overwritten", "1");
    put(store, ONE, "deleted", "1");
    put(store, TWO, "deleted", "1");
    store.commit(1);
    put(store, ONE, "new", "2");
    put(store, ONE, "overwritten", "2");
    delete(store, ONE, "deleted");
    delete(store, TWO, "deleted");
    put(store, TWO, "new", "2");
    store.rollback();
    assertThat(store.version()).isEqualTo(1);
    assertThat(Rows.all(store, ONE))
        .containsExactly(
            Row.of(bytes("deleted"), bytes("1")),
            Row.of(bytes("kept"), bytes("1")),
            Row.of(bytes("overwritten"), bytes("1")));
    assertThat(Rows.all(store, TWO)).containsExactly(Row.of(bytes("deleted"), bytes("1")));
    assertThat(get(store, ONE, "new")).isNull();
    assertThat(get(store, ONE, "overwritten")).isEqualTo("1");
    assertThat(multiGet(store, ONE, "new", "deleted")).containsExactly(null, "1");
  }

  @Test
  default void required_S221_rollback_before_the_first_commit_leaves_an_empty_shard() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    put(store, TWO, "k", "v");
    store.rollback();
    assertThat(store.version()).isZero();
    assertThat(Rows.all(store, ONE)).isEmpty();
    assertThat(Rows.all(store, TWO)).isEmpty();
    store.rollback();
    put(store, ONE, "k", "w");
    store.commit(1);
    assertThat(get(store, ONE, "k")).isEqualTo("w");
  }

  @Test
  default void required_S221_what_was_rolled_back_does_not_come_with_the_next_commit() {
    ShardStore store = fixture().open();
    put(store, ONE, "a", "1");
    store.commit(1);
    put(store, ONE, "b", "2");
    delete(store, ONE, "a");
    store.rollback();
    put(store, ONE, "c", "3");
    store.commit(2);
    store.rollback();
    assertThat(Rows.all(store, ONE))
        .containsExactly(Row.of(bytes("a"), bytes("1")), Row.of(bytes("c"), bytes("3")));
  }

  @Test
  default void required_S221_rollback_and_writes_in_turns() {
    ShardStore store = fixture().open();
    for (int i = 1; i <= 20; i++) {
      put(store, ONE, "k", "v" + i);
      put(store, ONE, "k" + i, "v");
      if (i % 2 == 0) {
        store.commit(i);
      } else {
        store.rollback();
      }
    }
    assertThat(get(store, ONE, "k")).isEqualTo("v20");
    assertThat(Rows.all(store, ONE)).hasSize(11);
  }

  @Test
  default void required_S403_a_refused_commit_changes_nothing() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "1");
    store.commit(5);
    put(store, ONE, "k", "2");
    assertFails("commit(5)", Kind.INVALID, () -> store.commit(5));
    assertThat(get(store, ONE, "k")).as("the working state").isEqualTo("2");
    store.rollback();
    assertThat(get(store, ONE, "k")).as("the last version").isEqualTo("1");
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
  }

  @Test
  default void required_S003_a_range_delete_is_refused_where_it_is_not_declared() {
    fixture().requiresNot(Capability.DELETE_RANGE);
    ShardStore store = fixture().open();
    put(store, ONE, "b", "v");
    fixture()
        .assertUnsupported(
            "a range delete",
            Capability.DELETE_RANGE,
            () ->
                store.write(
                    new WriteBatch()
                        .put(ONE, bytes("x"), bytes("y"))
                        .deleteRange(ONE, bytes("a"), bytes("c"))));
    assertThat(Rows.all(store, ONE)).containsExactly(Row.of(bytes("b"), bytes("v")));
  }

  @Test
  default void optional_S203_a_range_delete_removes_from_inclusive_to_exclusive_DELETE_RANGE() {
    fixture().requires(Capability.DELETE_RANGE);
    ShardStore store = fixture().open();
    for (String key : new String[] {"a", "b", "bb", "c", "d"}) {
      put(store, ONE, key, "v");
      put(store, TWO, key, "v");
    }
    store.commit(1);
    put(store, ONE, "ba", "uncommitted");
    store.write(new WriteBatch().deleteRange(ONE, bytes("b"), bytes("c")));
    for (int version = 2; version <= 3; version++) {
      assertThat(Rows.all(store, ONE))
          .containsExactly(
              Row.of(bytes("a"), bytes("v")),
              Row.of(bytes("c"), bytes("v")),
              Row.of(bytes("d"), bytes("v")));
      assertThat(get(store, ONE, "b")).isNull();
      assertThat(Rows.all(store, TWO)).hasSize(5);
      store.commit(version);
    }
  }

  @Test
  default void optional_S203_a_range_delete_has_its_place_in_the_batch_DELETE_RANGE() {
    fixture().requires(Capability.DELETE_RANGE);
    ShardStore store = fixture().open();
    store.write(
        new WriteBatch()
            .put(ONE, bytes("b"), bytes("before"))
            .put(ONE, bytes("c"), bytes("before"))
            .deleteRange(ONE, bytes("a"), bytes("z"))
            .put(ONE, bytes("c"), bytes("after")));
    assertThat(Rows.all(store, ONE)).containsExactly(Row.of(bytes("c"), bytes("after")));
    assertThat(get(store, ONE, "b")).isNull();
    assertThat(get(store, ONE, "c")).isEqualTo("after");
  }

  @Test
  default void optional_S203_an_empty_range_deletes_nothing_DELETE_RANGE() {
    fixture().requires(Capability.DELETE_RANGE);
    ShardStore store = fixture().open();
    put(store, ONE, "b", "v");
    store.write(new WriteBatch().deleteRange(ONE, bytes("b"), bytes("b")));
    store.write(new WriteBatch().deleteRange(ONE, bytes("c"), bytes("a")));
    store.write(new WriteBatch().deleteRange(ONE, bytes(), bytes()));
    assertThat(Rows.all(store, ONE)).hasSize(1);
  }

  @Test
  default void optional_S221_rollback_brings_back_a_deleted_range_DELETE_RANGE() {
    fixture().requires(Capability.DELETE_RANGE);
    ShardStore store = fixture().open();
    put(store, ONE, "b", "v");
    store.commit(1);
    store.write(new WriteBatch().deleteRange(ONE, bytes("a"), bytes("c")));
    assertThat(Rows.all(store, ONE)).isEmpty();
    store.rollback();
    assertThat(Rows.all(store, ONE)).containsExactly(Row.of(bytes("b"), bytes("v")));
  }
}
