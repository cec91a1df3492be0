package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.KeyedStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.checkpoint.SetDigest;
import io.reshard.checkpoint.StoreVerifier;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreProviders;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What moves, and what does not, of a store that RocksDB has written and compacted. */
class ReferencePathTest {
  private static final String FAMILY = "default";
  private static final int VALUE_BYTES = 400;

  @TempDir Path directory;
  private final long seed = Seeds.seed();

  /**
   * Puts, overwrites and deletes in several commits, until a compaction has come between: then
   * there are files on several levels.
   */
  private Manifest load(CheckpointStore versions, int shards, int rows) {
    Random random = Seeds.random(seed);
    try (Backend backend =
            StateStoreProviders.find("rocksdb")
                .start(new BackendOptions(32 << 20, Map.of("compression", "none")));
        KeyedStore store =
            KeyedStore.create(
                versions,
                backend,
                "rocksdb",
                directory.resolve("local"),
                Layout.slots(shards),
                List.of(ColumnFamily.hashed(FAMILY)))) {
      byte[] value = new byte[VALUE_BYTES];
      for (int commit = 0; commit < 4 || !isCompacted(versions); commit++) {
        assertThat(commit).as("commits without a compaction").isLessThan(100);
        for (int i = 0; i < rows / 4; i++) {
          random.nextBytes(value);
          store.put(FAMILY, key(random.nextInt(rows)), value);
          if (random.nextInt(10) == 0) {
            store.delete(FAMILY, key(random.nextInt(rows)));
          }
        }
        store.commit(Map.of());
      }
    }
    return versions.manifest(versions.latestVersion());
  }

  private static boolean isCompacted(CheckpointStore versions) {
    return versions.files(versions.manifest(versions.latestVersion())).stream()
        .anyMatch(shard -> shard.stream().anyMatch(file -> file.level() > 0));
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(8).putInt(number * 0x9e3779b1).putInt(number).array();
  }

  private static Manifest repartition(CheckpointStore versions, int shards, boolean free) {
    RepartitionPlan plan = Repartitioner.plan(versions, versions.latestVersion(), shards);
    RepartitionResult result =
        Repartitioner.execute(
            versions,
            plan,
            new RepartitionOptions(2, 16 << 20),
            ProgressListener.NONE,
            () -> false);
    if (free) {
      assertThat(plan.tasks()).isZero();
      assertThat(plan.bytesRewritten()).isZero();
      assertThat(result.bytesRead()).isZero();
      assertThat(result.bytesWritten()).isZero();
    }
    return result.manifest();
  }

  private static Set<String> files(CheckpointStore versions, Manifest manifest) {
    Set<String> files = new HashSet<>();
    for (List<FileRef> shard : versions.files(manifest)) {
      shard.forEach(file -> files.add(file.object() + "+" + file.offset()));
    }
    return files;
  }

  private static SetDigest rows(CheckpointStore versions, Manifest manifest) {
    return StoreVerifier.verify(versions, manifest, 2, shard -> {}).rows();
  }

  @Test
  void aMergeToADivisorAndGrowthAfterItMoveNothing() {
    try (CheckpointStore versions =
        CheckpointStore.create(ObjectStores.open(directory.resolve("store").toString()))) {
      Manifest loaded = load(versions, 12, 12_000);
      Set<String> files = files(versions, loaded);
      SetDigest rows = rows(versions, loaded);
      for (int shards : new int[] {6, 3, 1, 12, 6, 24, 6, 24, 12}) {
        Manifest moved = repartition(versions, shards, true);
        assertThat(files(versions, moved))
            .as("%s shards, %s", shards, Seeds.replay(seed))
            .isEqualTo(files);
        assertThat(moved.digest()).isEqualTo(loaded.digest());
      }
      assertThat(rows(versions, versions.manifest(versions.latestVersion()))).isEqualTo(rows);
    }
  }

  @Test
  void oneMoreShardRewritesLessThanTwoFifths() {
    rewritesLessThanTwoFifths(9, 10);
  }

  @Test
  void halfAsManyAgainRewritesLessThanTwoFifths() {
    rewritesLessThanTwoFifths(10, 15);
  }

  private void rewritesLessThanTwoFifths(int from, int to) {
    try (CheckpointStore versions =
        CheckpointStore.create(ObjectStores.open(directory.resolve("store").toString()))) {
      Manifest loaded = load(versions, from, 4_000 * from);
      SetDigest rows = rows(versions, loaded);
      RepartitionPlan plan = Repartitioner.plan(versions, loaded.version(), to);
      assertThat(plan.bytesRewritten())
          .as("%s of %s bytes, %s", plan.bytesRewritten(), loaded.bytes(), Seeds.replay(seed))
          .isPositive()
          .isLessThan(loaded.bytes() * 2 / 5);
      Manifest moved = repartition(versions, to, false);
      assertThat(rows(versions, moved)).isEqualTo(rows);
      // The first growth cuts what was cut for the old number alone; from then on all is free.
      repartition(versions, 2 * to, false);
      repartition(versions, to, true);
      repartition(versions, 2 * to, true);
    }
  }
}
