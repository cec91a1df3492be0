package io.reshard.tck;

import static io.reshard.tck.Fixture.COLUMN_FAMILIES;
import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.TWO;
import static io.reshard.tck.Fixture.assertFails;
import static io.reshard.tck.Fixture.delete;
import static io.reshard.tck.Fixture.get;
import static io.reshard.tck.Fixture.put;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ByteView;
import io.reshard.spi.Capability;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import io.reshard.sst.EntryType;
import io.reshard.tck.SnapshotShelf.Entry;
import io.reshard.tck.SnapshotShelf.Snapshot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** Export and import, also from and to other backends. */
interface SnapshotSuite extends Suite {
  private SnapshotShelf shelf() {
    return new SnapshotShelf(fixture().newDirectory());
  }

  /** A shard of the kit's own model. */
  private ShardStore model() {
    return fixture()
        .start(new ReferenceModel())
        .open(new ShardOptions(fixture().newDirectory(), COLUMN_FAMILIES));
  }

  /** Rows that are hard to carry: of every length and byte, some of them overwritten or deleted. */
  private static void fill(ShardStore store, RandomGenerator random) {
    for (int round = 0; round < 4; round++) {
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < 256; i++) {
        batch.put(ONE, bytes(i, round), Rows.random(random, random.nextInt(40)));
        batch.put(TWO, Rows.randomKey(random, 5), Rows.random(random, random.nextInt(40)));
        if (i % 5 == round) {
          batch.delete(ONE, bytes(i, Math.max(0, round - 1)));
          batch.delete(TWO, Rows.randomKey(random, 3));
        }
      }
      batch.put(ONE, bytes(), bytes("of the empty key")).put(TWO, bytes("empty"), bytes());
      batch.put(TWO, Rows.random(random, 1000), Rows.random(random, 1 << 18));
      store.write(batch);
      store.commit(store.version() + 1);
    }
  }

  private static void assertContent(
      ShardStore store, Map<String, NavigableMap<ByteView, ByteView>> expected) {
    expected.forEach((columnFamily, rows) -> Rows.assertRows(store, columnFamily, rows));
  }

  private static void assertContent(
      Snapshot snapshot, Map<String, NavigableMap<ByteView, ByteView>> expected) {
    expected.forEach(
        (columnFamily, rows) ->
            assertThat(Rows.list(snapshot.of(columnFamily)))
                .as("'%s' in the snapshot", columnFamily)
                .isEqualTo(Rows.list(rows)));
  }

  @Test
  default void required_S231_export_holds_the_last_version() {
    fixture()
        .seeded(
            () -> {
              ShardStore store = fixture().open();
              fill(store, fixture().random(40));
              SnapshotShelf shelf = shelf();
              Snapshot snapshot = shelf.export(store);
              assertThat(snapshot.version()).isEqualTo(4);
              assertContent(snapshot, SnapshotShelf.content(store, COLUMN_FAMILIES));
              assertThat(shelf.faults()).isEmpty();
            });
  }

  @Test
  default void required_S231_uncommitted_writes_are_not_exported_and_stay() {
    ShardStore store = fixture().open();
    put(store, ONE, "a", "1");
    put(store, ONE, "b", "1");
    store.commit(1);
    put(store, ONE, "a", "uncommitted");
    delete(store, ONE, "b");
    put(store, TWO, "c", "uncommitted");
    Map<String, NavigableMap<ByteView, ByteView>> working =
        SnapshotShelf.content(store, COLUMN_FAMILIES);
    Snapshot snapshot = shelf().export(store);
    assertThat(Rows.list(snapshot.of(ONE)))
        .containsExactly(Row.of(bytes("a"), bytes("1")), Row.of(bytes("b"), bytes("1")));
    assertThat(snapshot.of(TWO)).isEmpty();
    assertThat(snapshot.version()).isEqualTo(1);
    assertContent(store, working);
    store.rollback();
    assertThat(get(store, ONE, "a")).isEqualTo("1");
    assertThat(get(store, TWO, "c")).isNull();
  }

  @Test
  default void required_S231_export_before_the_first_commit_is_empty() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    Snapshot snapshot = shelf().export(store);
    assertThat(snapshot.of(ONE)).isEmpty();
    assertThat(snapshot.of(TWO)).isEmpty();
    assertThat(get(store, ONE, "k")).isEqualTo("v");
  }

  @Test
  default void required_S231_every_export_is_of_its_moment() {
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(41);
              ShardStore store = fixture().open();
              SnapshotShelf shelf = shelf();
              List<Snapshot> snapshots = new ArrayList<>();
              List<Map<String, NavigableMap<ByteView, ByteView>>> contents = new ArrayList<>();
              for (int round = 1; round <= 6; round++) {
                WriteBatch batch = new WriteBatch();
                for (int i = 0; i < 60; i++) {
                  byte[] key = Rows.randomKey(random, 3);
                  if (random.nextInt(3) == 0) {
                    batch.delete(ONE, key);
                  } else {
                    batch.put(ONE, key, Rows.random(random, 20));
                  }
                }
                store.write(batch);
                store.commit(round);
                snapshots.add(shelf.export(store));
                contents.add(SnapshotShelf.content(store, COLUMN_FAMILIES));
              }
              for (int i = 0; i < snapshots.size(); i++) {
                assertContent(snapshots.get(i), contents.get(i));
              }
            });
  }

  @Test
  default void required_S233_an_export_that_fails_leaves_the_store_as_it_was() {
    fixture()
        .seeded(
            () -> {
              ShardStore store = fixture().open();
              fill(store, fixture().random(42));
              Map<String, NavigableMap<ByteView, ByteView>> committed =
                  SnapshotShelf.content(store, COLUMN_FAMILIES);
              put(store, ONE, "uncommitted", "v");
              StateStoreException e =
                  assertFails(
                      "export to a writer that fails",
                      Kind.UNAVAILABLE,
                      () -> store.exportSnapshot(SnapshotShelf.refusing()));
              assertThat(e).hasMessageContaining("the snapshot store takes no");
              assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
              assertThat(store.version()).isEqualTo(4);
              assertThat(get(store, ONE, "uncommitted")).isEqualTo("v");
              assertContent(shelf().export(store), committed);
              store.rollback();
              assertContent(store, committed);
            });
  }

  @Test
  default void required_S241_import_replaces_everything() {
    fixture()
        .seeded(
            () -> {
              ShardStore source = fixture().open();
              fill(source, fixture().random(43));
              SnapshotShelf shelf = shelf();
              Snapshot snapshot = shelf.export(source);
              ShardStore target = fixture().open();
              put(target, ONE, "old", "of before");
              put(target, TWO, "old", "of before");
              target.commit(77);
              put(target, ONE, "older", "uncommitted");
              target.importSnapshot(shelf.reader(snapshot));
              assertThat(target.version()).as("the version of the snapshot").isEqualTo(4);
              assertContent(target, SnapshotShelf.content(source, COLUMN_FAMILIES));
              assertThat(get(target, ONE, "old")).isNull();
              assertThat(get(target, ONE, "older")).isNull();
              assertThat(get(target, ONE, "")).isEqualTo("of the empty key");
              target.rollback();
              assertContent(target, SnapshotShelf.content(source, COLUMN_FAMILIES));
            });
  }

  @Test
  default void required_S241_an_imported_store_goes_on() {
    ShardStore source = fixture().open();
    put(source, ONE, "a", "1");
    put(source, ONE, "b", "1");
    source.commit(10);
    SnapshotShelf shelf = shelf();
    ShardStore target = fixture().open();
    target.importSnapshot(shelf.reader(shelf.export(source)));
    assertFails("commit of the imported version", Kind.INVALID, () -> target.commit(10));
    put(target, ONE, "a", "2");
    delete(target, ONE, "b");
    target.commit(11);
    put(target, ONE, "c", "rolled back");
    target.rollback();
    assertThat(Rows.all(target, ONE)).containsExactly(Row.of(bytes("a"), bytes("2")));
    Snapshot again = shelf.export(target);
    assertThat(again.version()).isEqualTo(11);
    assertThat(Rows.list(again.of(ONE))).containsExactly(Row.of(bytes("a"), bytes("2")));
    assertThat(Rows.all(source, ONE)).as("the source").hasSize(2);
  }

  @Test
  default void required_S241_import_of_an_earlier_version_goes_back() {
    ShardStore store = fixture().open();
    SnapshotShelf shelf = shelf();
    put(store, ONE, "a", "1");
    store.commit(1);
    Snapshot first = shelf.export(store);
    put(store, ONE, "a", "2");
    put(store, ONE, "b", "2");
    store.commit(2);
    Snapshot second = shelf.export(store);
    store.importSnapshot(shelf.reader(first));
    assertThat(store.version()).isEqualTo(1);
    assertThat(Rows.all(store, ONE)).containsExactly(Row.of(bytes("a"), bytes("1")));
    store.importSnapshot(shelf.reader(second));
    assertThat(store.version()).isEqualTo(2);
    assertThat(Rows.all(store, ONE)).hasSize(2);
    store.importSnapshot(SnapshotShelf.empty(9));
    assertThat(store.version()).isEqualTo(9);
    assertThat(Rows.all(store, ONE)).isEmpty();
    assertThat(Rows.all(store, TWO)).isEmpty();
  }

  @Test
  default void required_S502_a_scan_outlives_an_import() {
    ShardStore store = fixture().open();
    put(store, ONE, "a", "1");
    put(store, ONE, "b", "2");
    store.commit(1);
    try (StateIterator rows = store.scan(ONE, ScanRange.all())) {
      assertThat(rows.next()).isTrue();
      store.importSnapshot(SnapshotShelf.empty(5));
      assertThat(Rows.all(store, ONE)).isEmpty();
      assertThat(rows.key()).isEqualTo(new ByteView(bytes("a")));
      assertThat(Rows.drain(rows)).containsExactly(Row.of(bytes("b"), bytes("2")));
    }
  }

  /** A store that holds two rows, after the import of another state has failed. */
  private ShardStore afterFailedImport(RandomGenerator random, int rowsBefore) {
    ShardStore source = model();
    fill(source, random);
    SnapshotShelf shelf = shelf();
    Snapshot snapshot = shelf.export(source);
    ShardStore store = fixture().open();
    put(store, ONE, "kept", "1");
    store.commit(3);
    put(store, ONE, "uncommitted", "1");
    assertFails(
        "import from a reader that fails",
        Kind.UNAVAILABLE,
        () -> store.importSnapshot(shelf.reader(snapshot, rowsBefore)));
    return store;
  }

  @Test
  default void required_S242_an_import_that_fails_leaves_no_mixture() {
    fixture()
        .seeded(
            () -> {
              for (int rowsBefore : new int[] {0, 1, 300, 1100}) {
                ShardStore store = afterFailedImport(fixture().random(44), rowsBefore);
                if (store.state() == ShardStore.State.OPEN) {
                  assertThat(store.version()).isEqualTo(3);
                  assertThat(get(store, ONE, "kept")).isEqualTo("1");
                  store.rollback();
                  assertThat(Rows.all(store, ONE))
                      .containsExactly(Row.of(bytes("kept"), bytes("1")));
                  assertThat(Rows.all(store, TWO)).isEmpty();
                } else {
                  assertThat(store.state()).isEqualTo(ShardStore.State.FAILED);
                }
              }
            });
  }

  @Test
  default void required_S402_a_FAILED_store_answers_with_its_first_error() {
    ShardStore store = afterFailedImport(fixture().random(45), 100);
    if (store.state() == ShardStore.State.OPEN) {
      throw new TestAbortedException(
          "a failed import leaves this backend's store as it was; nothing else here makes it FAILED");
    }
    assertThat(store.state()).isEqualTo(ShardStore.State.FAILED);
    LifecycleSuite.calls(store).forEach((what, call) -> assertFails(what, Kind.UNAVAILABLE, call));
    store.close();
    assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
    assertFails("get", Kind.CLOSED, () -> store.get(ONE, bytes("k")));
  }

  @Test
  default void required_S251_another_backend_restores_the_export() {
    fixture()
        .seeded(
            () -> {
              ShardStore source = fixture().open();
              fill(source, fixture().random(46));
              SnapshotShelf shelf = shelf();
              ShardStore target = model();
              target.importSnapshot(shelf.reader(shelf.export(source)));
              assertThat(target.version()).isEqualTo(4);
              assertContent(target, SnapshotShelf.content(source, COLUMN_FAMILIES));
            });
  }

  @Test
  default void required_S251_the_export_of_another_backend_is_restored() {
    fixture()
        .seeded(
            () -> {
              ShardStore source = model();
              fill(source, fixture().random(47));
              SnapshotShelf shelf = shelf();
              ShardStore target = fixture().open();
              target.importSnapshot(shelf.reader(shelf.export(source)));
              assertThat(target.version()).isEqualTo(4);
              assertContent(target, SnapshotShelf.content(source, COLUMN_FAMILIES));
            });
  }

  @Test
  default void required_S251_files_with_overwrites_and_deletes_are_restored() {
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(48);
              SnapshotShelf shelf = shelf();
              NavigableMap<ByteView, ByteView> expected = Rows.none();
              List<SnapshotFile> files = new ArrayList<>();
              long sequence = 1;
              for (int number = 0; number < 4; number++) {
                NavigableMap<ByteView, Entry> entries = new TreeMap<>();
                for (int i = 0; i < 200; i++) {
                  ByteView key = new ByteView(Rows.randomKey(random, 3));
                  boolean isDelete = number > 0 && random.nextInt(3) == 0;
                  ByteView value = new ByteView(isDelete ? new byte[0] : Rows.random(random, 30));
                  entries.put(
                      key,
                      new Entry(
                          key, sequence++, isDelete ? EntryType.DELETE : EntryType.PUT, value));
                }
                entries.forEach(
                    (key, entry) -> {
                      if (entry.type() == EntryType.DELETE) {
                        expected.remove(key);
                      } else {
                        expected.put(key, entry.value());
                      }
                    });
                // The oldest lies below the others, as after a compaction.
                files.add(shelf.file(ONE, number == 0 ? 6 : 0, new ArrayList<>(entries.values())));
              }
              ShardStore store = fixture().open();
              store.importSnapshot(shelf.reader(SnapshotShelf.ofFiles(12, files)));
              assertThat(store.version()).isEqualTo(12);
              Rows.assertRows(store, ONE, expected);
              assertThat(Rows.all(store, TWO)).isEmpty();
              put(store, ONE, "new", "v");
              put(store, TWO, "new", "v");
              store.commit(13);
              assertThat(get(store, ONE, "new")).isEqualTo("v");
              Snapshot snapshot = shelf.export(store);
              expected.put(new ByteView(bytes("new")), new ByteView(bytes("v")));
              assertContent(snapshot, Map.of(ONE, expected));
            });
  }

  @Test
  default void required_S251_a_snapshot_goes_from_hand_to_hand() {
    fixture()
        .seeded(
            () -> {
              SnapshotShelf shelf = shelf();
              ShardStore store = fixture().open();
              fill(store, fixture().random(49));
              for (int hand = 0; hand < 6; hand++) {
                Map<String, NavigableMap<ByteView, ByteView>> content =
                    SnapshotShelf.content(store, COLUMN_FAMILIES);
                ShardStore next = hand % 3 == 2 ? model() : fixture().open();
                next.importSnapshot(shelf.reader(shelf.export(store)));
                assertThat(next.version()).isEqualTo(4 + hand);
                assertContent(next, content);
                put(next, ONE, "hand", "hand " + hand);
                delete(next, TWO, "empty");
                next.commit(5 + hand);
                store = next;
              }
              assertThat(shelf.faults()).isEmpty();
            });
  }

  @Test
  default void required_S234_a_file_id_never_means_other_bytes() {
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(50);
              SnapshotShelf shelf = shelf();
              ShardStore first = fixture().open();
              fill(first, random);
              Snapshot snapshot = shelf.export(first);
              ShardStore second = fixture().open();
              second.importSnapshot(shelf.reader(snapshot));
              ShardStore third = fixture().open();
              for (ShardStore store : List.of(first, second, third)) {
                fill(store, random);
                Map<String, NavigableMap<ByteView, ByteView>> content =
                    SnapshotShelf.content(store, COLUMN_FAMILIES);
                assertContent(shelf.export(store), content);
              }
              assertThat(shelf.faults()).noneMatch(fault -> fault.contains("other bytes"));
            });
  }

  @Test
  default void optional_S232_every_file_is_offered_and_none_added_twice_INCREMENTAL_EXPORT() {
    fixture().requires(Capability.INCREMENTAL_EXPORT);
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(51);
              SnapshotShelf shelf = shelf();
              ShardStore store = fixture().open();
              Map<String, Set<String>> addedBy = new HashMap<>();
              for (int round = 1; round <= 12; round++) {
                WriteBatch batch = new WriteBatch();
                for (int i = 0; i < 200; i++) {
                  byte[] key = Rows.randomKey(random, 6);
                  String columnFamily = random.nextBoolean() ? ONE : TWO;
                  if (random.nextInt(4) == 0) {
                    batch.delete(columnFamily, key);
                  } else {
                    batch.put(columnFamily, key, Rows.random(random, 100));
                  }
                }
                store.write(batch);
                store.commit(round);
                Snapshot snapshot = shelf.export(store);
                assertContent(snapshot, SnapshotShelf.content(store, COLUMN_FAMILIES));
                assertThat(snapshot.rows()).as("column families given as rows").isEmpty();
                addedBy.put("export " + round, new HashSet<>(snapshot.added()));
              }
              assertThat(shelf.faults()).isEmpty();
              assertThat(addedBy.get("export 1")).isNotEmpty();
            });
  }

  @Test
  default void optional_S232_an_export_costs_what_changed_INCREMENTAL_EXPORT() {
    fixture().requires(Capability.INCREMENTAL_EXPORT);
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(52);
              SnapshotShelf shelf = shelf();
              ShardStore store = fixture().open();
              WriteBatch batch = new WriteBatch();
              for (int i = 0; i < 2000; i++) {
                batch.put(ONE, Rows.random(random, 20), Rows.random(random, 500));
              }
              store.write(batch);
              store.commit(1);
              Snapshot full = shelf.export(store);
              Snapshot same = shelf.export(store);
              assertThat(same.added()).as("files added though nothing changed").isEmpty();
              put(store, ONE, "k", "v");
              store.commit(2);
              Snapshot little = shelf.export(store);
              assertThat(little.addedBytes())
                  .as("bytes added for one row, %s in all", full.addedBytes())
                  .isLessThan(full.addedBytes() / 4);
              assertThat(little.of(ONE)).hasSize(2001);
            });
  }

  @Test
  default void optional_S232_what_the_snapshot_store_lost_is_added_again_INCREMENTAL_EXPORT() {
    fixture().requires(Capability.INCREMENTAL_EXPORT);
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    store.commit(1);
    SnapshotShelf shelf = shelf();
    Snapshot before = shelf.export(store);
    shelf.forget();
    Snapshot after = shelf.export(store);
    assertThat(after.added()).isEqualTo(before.added()).isNotEmpty();
    assertThat(Rows.list(after.of(ONE))).containsExactly(Row.of(bytes("k"), bytes("v")));
  }

  @Test
  default void optional_S213_an_imported_version_is_there_after_reopen_PERSISTENT() {
    fixture().requires(Capability.PERSISTENT);
    fixture()
        .seeded(
            () -> {
              ShardStore source = fixture().open();
              fill(source, fixture().random(53));
              SnapshotShelf shelf = shelf();
              Path directory = fixture().newDirectory();
              ShardStore target = fixture().open(directory);
              put(target, ONE, "old", "v");
              target.commit(1);
              target.importSnapshot(shelf.reader(shelf.export(source)));
              target.close();
              ShardStore again = fixture().open(directory);
              assertThat(again.version()).isEqualTo(4);
              assertContent(again, SnapshotShelf.content(source, COLUMN_FAMILIES));
            });
  }
}
