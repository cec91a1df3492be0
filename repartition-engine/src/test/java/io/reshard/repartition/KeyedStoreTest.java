package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.KeyedStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.checkpoint.StoreVerifier;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreProviders;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A store in use: written to, resized, written to again, in each backend and from one to another.
 */
class KeyedStoreTest {
  private static final int KEYS = 200;

  @TempDir Path directory;

  private final long seed = Seeds.seed();
  private final Random random = Seeds.random(seed);
  private final Map<String, Map<ByteView, byte[]>> model = new HashMap<>();

  static Stream<Arguments> stores() {
    return Stream.of(Layout.slots(1), Layout.modulo(1))
        .flatMap(
            layout ->
                Stream.of(
                    Arguments.of(layout, List.of("memory"), List.of(3, 1, 5, 2)),
                    Arguments.of(layout, List.of("rocksdb"), List.of(4, 2, 3)),
                    Arguments.of(layout, List.of("rocksdb", "memory"), List.of(2, 4, 1))));
  }

  static Stream<Arguments> largeStores() {
    return Stream.of(Layout.slots(1), Layout.modulo(1))
        .flatMap(
            layout ->
                Stream.of(
                    Arguments.of(layout, List.of("memory"), List.of(200, 100, 400, 7)),
                    Arguments.of(layout, List.of("rocksdb"), List.of(1, 30, 1)),
                    Arguments.of(layout, List.of("rocksdb"), List.of(20, 10, 40, 7))));
  }

  @ParameterizedTest
  @MethodSource("stores")
  void goesOnAfterEveryResize(Layout layout, List<String> backends, List<Integer> counts) {
    resizes(layout, backends, counts);
  }

  @ParameterizedTest
  @MethodSource("largeStores")
  @Tag("slow")
  void goesOnWithManyShards(Layout layout, List<String> backends, List<Integer> counts) {
    resizes(layout, backends, counts);
  }

  private void resizes(Layout layout, List<String> backends, List<Integer> counts) {
    try (CheckpointStore versions =
        CheckpointStore.create(ObjectStores.open(directory.resolve("store").toString()))) {
      for (int step = 0; step < counts.size(); step++) {
        String name = backends.get(step % backends.size());
        String description =
            counts.subList(0, step + 1) + " in " + name + ", " + Seeds.replay(seed);
        if (step > 0) {
          resize(versions, counts.get(step));
        }
        try (Backend backend = StateStoreProviders.find(name).start(BackendOptions.defaults())) {
          Path local = directory.resolve("local");
          KeyedStore store =
              step == 0
                  ? KeyedStore.create(
                      versions,
                      backend,
                      name,
                      local,
                      layout.withShards(counts.get(0)),
                      TestStore.COLUMN_FAMILIES)
                  : KeyedStore.open(versions, backend, name, local, versions.latestVersion());
          try (store) {
            check(store, description);
            for (int commit = 0; commit < 3; commit++) {
              write(store);
              Manifest committed = store.commit(Map.of());
              assertThat(committed.layout().shards()).isEqualTo(counts.get(step));
            }
            check(store, description);
          }
        }
        verify(versions, description);
      }
    }
  }

  private static void resize(CheckpointStore versions, int target) {
    RepartitionPlan plan = Repartitioner.plan(versions, versions.latestVersion(), target);
    Manifest published =
        Repartitioner.execute(
                versions,
                plan,
                new RepartitionOptions(2, 16 << 20),
                ProgressListener.NONE,
                () -> false)
            .manifest();
    assertThat(published.layout().shards()).isEqualTo(target);
    StoreVerifier.Report report = StoreVerifier.verify(versions, published, 2, shard -> {});
    assertThat(report.shards()).hasSize(target);
  }

  private void verify(CheckpointStore versions, String description) {
    Manifest newest = versions.manifest(versions.latestVersion());
    long rows = model.values().stream().mapToLong(Map::size).sum();
    assertThat(StoreVerifier.verify(versions, newest, 2, shard -> {}).rows().count())
        .as(description)
        .isEqualTo(rows);
  }

  /** Puts, overwrites and deletes of which most hit a row that is there. */
  private void write(KeyedStore store) {
    for (ColumnFamily columnFamily : TestStore.COLUMN_FAMILIES) {
      String name = columnFamily.name();
      if (name.equals("empty")) {
        continue;
      }
      Map<ByteView, byte[]> rows = model.computeIfAbsent(name, n -> new HashMap<>());
      for (int i = 0; i < KEYS / 3; i++) {
        byte[] key = TestStore.key(random.nextInt(KEYS));
        if (random.nextInt(4) == 0) {
          store.delete(name, key);
          rows.remove(new ByteView(key));
        } else {
          byte[] value = new byte[random.nextInt(50) == 0 ? 100_000 : random.nextInt(40)];
          random.nextBytes(value);
          store.put(name, key, value);
          rows.put(new ByteView(key), value);
        }
      }
    }
  }

  private void check(KeyedStore store, String description) {
    for (ColumnFamily columnFamily : TestStore.COLUMN_FAMILIES) {
      String name = columnFamily.name();
      Map<ByteView, byte[]> rows = model.getOrDefault(name, Map.of());
      for (int i = 0; i < KEYS; i++) {
        byte[] key = TestStore.key(i);
        assertThat(store.get(name, key))
            .as("row %s of %s, %s", new ByteView(key), name, description)
            .isEqualTo(rows.get(new ByteView(key)));
      }
      int seen = 0;
      for (int shard = 0; shard < store.layout().shards(); shard++) {
        try (StateIterator found = store.scan(shard, name, ScanRange.all())) {
          while (found.next()) {
            assertThat(found.value().toByteArray())
                .as(description)
                .isEqualTo(rows.get(found.key()));
            assertThat(store.shardOf(name, found.key().toByteArray())).isEqualTo(shard);
            seen++;
          }
        }
      }
      assertThat(seen).as("rows of %s, %s", name, description).isEqualTo(rows.size());
    }
  }
}
