package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.KeyedStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.rocksdb.RocksDbStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * A shard is split, one half goes on and is united with the other. A file of the half that still
 * held rows of the other half would bring them back, or hide newer ones, once both lie in one
 * database: which of two entries of a key counts is then decided by their sequence numbers, and
 * those of different shards say nothing about one another.
 */
class UnitedShardsTest {
  private static final String ROWS = "rows";
  private static final int KEYS = 4_000;

  @TempDir Path directory;
  private final Map<String, String> model = new TreeMap<>();

  private KeyedStore open(CheckpointStore versions, Backend backend) {
    Path local = directory.resolve("local");
    String name = RocksDbStateStoreProvider.NAME;
    return versions.latestVersion() == 0
        ? KeyedStore.create(
            versions, backend, name, local, Layout.slots(1), List.of(ColumnFamily.hashed(ROWS)))
        : KeyedStore.open(versions, backend, name, local, versions.latestVersion());
  }

  private void put(KeyedStore store, int key, String value) {
    store.put(ROWS, bytes("key" + key), bytes(value));
    model.put("key" + key, value);
  }

  private void delete(KeyedStore store, int key) {
    store.delete(ROWS, bytes("key" + key));
    model.remove("key" + key);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void theOtherHalfNeitherComesBackNorIsHidden() throws IOException, RocksDBException {
    try (Backend backend = new RocksDbStateStoreProvider().start(BackendOptions.defaults());
        CheckpointStore versions =
            CheckpointStore.create(ObjectStores.open(directory.resolve("store")))) {
      try (KeyedStore store = open(versions, backend)) {
        for (int i = 0; i < KEYS; i++) {
          put(store, i, "of the whole");
        }
        store.commit(Map.of());
        // Newer files over older ones, with rows and deletes of both halves.
        for (int i = 0; i < KEYS; i += 3) {
          put(store, i, "second");
          delete(store, i + 1);
        }
        store.commit(Map.of());
      }
      resize(versions, 2);
      // One half writes much and its sequence numbers run ahead; the other writes little.
      for (int half : new int[] {0, 1}) {
        try (KeyedStore store = open(versions, backend)) {
          for (int round = 0; round < 3 - 2 * half; round++) {
            for (int i = 0; i < KEYS; i++) {
              if (store.shardOf(ROWS, bytes("key" + i)) != half) {
                continue;
              }
              if (i % 4 == round) {
                delete(store, i);
              } else if (i % (half + 2) == 0) {
                put(store, i, "half " + half + " round " + round);
              }
            }
            store.commit(Map.of());
          }
          check(store);
        }
      }
      checkBounds(versions, 2);
      resize(versions, 1);
      checkBounds(versions, 1);
      try (KeyedStore store = open(versions, backend)) {
        check(store);
        delete(store, 0);
        put(store, 1, "united");
        store.commit(Map.of());
        check(store);
      }
    }
    checkDatabase();
  }

  private static void resize(CheckpointStore versions, int shards) {
    RepartitionPlan plan = Repartitioner.plan(versions, versions.latestVersion(), shards);
    Repartitioner.execute(
        versions, plan, new RepartitionOptions(2, 16 << 20), ProgressListener.NONE, () -> false);
  }

  /** No file holds a key outside its shard. */
  private static void checkBounds(CheckpointStore versions, int shards) {
    Manifest manifest = versions.manifest(versions.latestVersion());
    assertThat(manifest.shards()).hasSize(shards);
    for (int shard = 0; shard < shards; shard++) {
      for (FileRef file : versions.files(manifest, shard)) {
        assertThat(file.firstSlot()).isGreaterThanOrEqualTo(manifest.layout().firstSlot(shard));
        assertThat(file.lastSlot()).isLessThan(manifest.layout().firstSlot(shard + 1));
      }
    }
  }

  private void check(KeyedStore store) {
    for (int i = 0; i < KEYS; i++) {
      String expected = model.get("key" + i);
      assertThat(store.get(ROWS, bytes("key" + i)))
          .as("key%d", i)
          .isEqualTo(expected == null ? null : bytes(expected));
    }
    Map<String, String> found = new TreeMap<>();
    for (int shard = 0; shard < store.layout().shards(); shard++) {
      try (StateIterator rows = store.scan(shard, ROWS, ScanRange.all())) {
        while (rows.next()) {
          found.put(text(rows.key().toByteArray(), 0), text(rows.value().toByteArray(), 0));
        }
      }
    }
    assertThat(found).isEqualTo(model);
  }

  private static String text(byte[] bytes, int from) {
    return new String(bytes, from, bytes.length - from, StandardCharsets.US_ASCII);
  }

  /** RocksDB itself, with its checks on, and after it has merged every file with every other. */
  private void checkDatabase() throws IOException, RocksDBException {
    Path shard = directory.resolve("local/shard-00000");
    Path database;
    try (Stream<Path> entries = Files.list(shard)) {
      database = entries.filter(Files::isDirectory).reduce((a, b) -> b).orElseThrow();
    }
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    try (Options options = new Options()) {
      for (byte[] name : RocksDB.listColumnFamilies(options, database.toString())) {
        descriptors.add(new ColumnFamilyDescriptor(name));
      }
    }
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (DBOptions options = new DBOptions().setParanoidChecks(true);
        RocksDB db = RocksDB.open(options, database.toString(), descriptors, handles)) {
      int rows = 0;
      while (!text(descriptors.get(rows).getName(), 0).equals(ROWS)) {
        rows++;
      }
      db.verifyChecksum();
      assertThat(rows(db, handles.get(rows))).isEqualTo(model);
      db.compactRange(handles.get(rows));
      db.verifyChecksum();
      assertThat(rows(db, handles.get(rows))).isEqualTo(model);
      handles.forEach(ColumnFamilyHandle::close);
    }
  }

  private static Map<String, String> rows(RocksDB db, ColumnFamilyHandle handle)
      throws RocksDBException {
    Map<String, String> rows = new TreeMap<>();
    try (RocksIterator iterator = db.newIterator(handle)) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        rows.put(text(iterator.key(), 2), text(iterator.value(), 0)); // After the slot.
      }
      iterator.status();
    }
    return rows;
  }
}
