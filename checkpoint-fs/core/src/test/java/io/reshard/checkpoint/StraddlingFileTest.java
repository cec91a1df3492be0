package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.rocksdb.RocksDbStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A file that holds keys of two shards, of which one is to have it as it is. United with the other
 * shard's files later it would bring back rows that were deleted there and hide newer ones, so it
 * neither gets into a version nor out of one.
 */
@NullUnmarked
class StraddlingFileTest {
  private static final List<ColumnFamily> FAMILIES = List.of(ColumnFamily.hashed("default"));
  private static final Layout HALVES = Layout.slots(2);

  @TempDir Path directory;
  private CheckpointStore versions;
  private Backend backend;
  private Manifest whole;

  @BeforeEach
  void start() {
    versions = CheckpointStore.create(ObjectStores.open(directory.resolve("store")));
    backend = new RocksDbStateStoreProvider().start(BackendOptions.defaults());
    try (KeyedStore store =
        KeyedStore.create(
            versions, backend, "rocksdb", directory.resolve("work"), Layout.slots(1), FAMILIES)) {
      for (int i = 0; i < 20; i++) {
        store.put("default", bytes("key" + i), bytes("value"));
      }
      whole = store.commit(Map.of());
    }
    FileRef file = versions.files(whole, 0).get(0);
    assertThat(HALVES.shardOfSlot(file.firstSlot())).isZero();
    assertThat(HALVES.shardOfSlot(file.lastSlot())).isOne();
  }

  @AfterEach
  void stop() {
    backend.close();
    versions.close();
  }

  @Test
  void isNotPublished() {
    List<FileHandle> files = versions.files(whole, 0).stream().map(FileHandle::existing).toList();
    try (Upload upload = versions.upload(whole)) {
      for (List<List<FileHandle>> shards :
          List.of(List.of(files, List.<FileHandle>of()), List.of(files, files))) {
        assertRefused(
            Kind.INVALID,
            () ->
                versions.publish(
                    upload,
                    whole,
                    Manifest.Operation.REPARTITION,
                    "rocksdb",
                    HALVES,
                    shards,
                    Map.of()));
      }
    }
    assertThat(versions.latestVersion()).isEqualTo(whole.version());
  }

  @Test
  void isNotRestored() {
    try (ShardStore store = backend.open(new ShardOptions(directory.resolve("shard"), FAMILIES))) {
      store.write(new WriteBatch().put("default", bytes("a"), bytes("before")));
      store.commit(1);
      for (int shard = 0; shard < 2; shard++) {
        ShardSnapshots snapshots = new ShardSnapshots(versions, HALVES, shard, FAMILIES);
        assertRefused(Kind.CORRUPT, () -> snapshots.restore(store, versions.files(whole, 0), 5));
      }
      assertThat(store.version()).isEqualTo(1);
      assertThat(store.get("default", bytes("a"))).isEqualTo(bytes("before"));
    }
  }

  private static void assertRefused(Kind kind, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(kind))
        .hasMessageContaining("holds keys outside the shard's slots");
  }
}
