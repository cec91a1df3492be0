package io.reshard.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.KeyedStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.SetDigest;
import io.reshard.checkpoint.ShardSnapshots;
import io.reshard.checkpoint.StoreVerifier;
import io.reshard.repartition.ProgressListener;
import io.reshard.repartition.RepartitionOptions;
import io.reshard.repartition.RepartitionPlan;
import io.reshard.repartition.Repartitioner;
import io.reshard.spi.Backend;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A keyed store on the backend under test, beside sorted maps with the same rows; it is filled,
 * committed, repartitioned and restored, and after every step every row of every column family is
 * compared: key, value, and the shard it lies in.
 */
final class RoundTrip implements AutoCloseable {
  private static final int PROBE = 500;

  /**
   * Up to so many shards are restored all at once in the backend under test; of more, at the
   * default scale, every eighth is, and all are in the kit's model. Syncing hundreds of directories
   * would take longer than everything else together.
   */
  private static final int ALL_SHARDS = 128;

  private static final int EVERY = 8;

  private final Fixture fixture;
  private final CheckpointStore checkpoints;
  private final Map<String, NavigableMap<ByteView, ByteView>> expected = new HashMap<>();
  private @Nullable KeyedStore store;

  RoundTrip(Fixture fixture, Layout layout, List<ColumnFamily> columnFamilies) {
    this.fixture = fixture;
    this.checkpoints = CheckpointStore.create(fixture.newObjectStore());
    columnFamilies.forEach(columnFamily -> expected.put(columnFamily.name(), Rows.none()));
    try {
      this.store =
          KeyedStore.create(
              checkpoints,
              fixture.backend(),
              fixture.provider().name(),
              fixture.newDirectory(),
              layout,
              columnFamilies);
    } catch (Throwable e) {
      checkpoints.close();
      throw e;
    }
  }

  private KeyedStore store() {
    return Objects.requireNonNull(store);
  }

  private NavigableMap<ByteView, ByteView> rows(String columnFamily) {
    return Objects.requireNonNull(expected.get(columnFamily));
  }

  void put(String columnFamily, byte[] key, byte[] value) {
    store().put(columnFamily, key, value);
    Rows.put(rows(columnFamily), key, value);
  }

  void delete(String columnFamily, byte[] key) {
    store().delete(columnFamily, key);
    rows(columnFamily).remove(new ByteView(key));
  }

  void commit() {
    store().commit(Map.of());
  }

  /** Writes that must not be there in the next version. */
  void rollBack(String columnFamily, byte[] key, byte[] value) {
    store().put(columnFamily, key, value);
    store().rollback();
  }

  /** Repartitions the last version, restores the new one, compares. */
  void repartition(int shards) {
    close(store);
    store = null;
    RepartitionPlan plan = Repartitioner.plan(checkpoints, checkpoints.latestVersion(), shards);
    Repartitioner.execute(
        checkpoints, plan, new RepartitionOptions(2, 64 << 20), ProgressListener.NONE, () -> false);
    verify();
    String when = "after " + plan.source().shards() + " to " + shards + " shards";
    if (shards <= ALL_SHARDS || fixture.scale() == Scale.LARGE) {
      store = open(fixture.backend(), fixture.provider());
      compare(when);
    } else {
      restoreIn(new ReferenceModel());
      for (int shard = 0; shard < shards; shard += EVERY) {
        compareShard(shard, when);
      }
    }
  }

  /** Restores one shard in the backend under test, and compares it with the store that is open. */
  private void compareShard(int shard, String when) {
    Manifest manifest = checkpoints.manifest(checkpoints.latestVersion());
    List<ColumnFamily> columnFamilies = manifest.columnFamilies();
    try (ShardStore restored =
        fixture.backend().open(new ShardOptions(fixture.newDirectory(), columnFamilies))) {
      new ShardSnapshots(checkpoints, manifest.layout(), shard, columnFamilies)
          .restore(restored, checkpoints.files(manifest, shard), manifest.version());
      for (ColumnFamily columnFamily : columnFamilies) {
        int prefix = manifest.keyPrefix(columnFamily);
        String name = columnFamily.name();
        List<Row> rows = new ArrayList<>();
        for (Row row : Rows.all(restored, name)) {
          ByteView stored = row.key();
          rows.add(
              new Row(new ByteView(stored.array(), prefix, stored.length() - prefix), row.value()));
        }
        assertThat(rows)
            .as("'%s' of shard %s %s", name, shard, when)
            .isEqualTo(Rows.drain(store().scan(shard, name, ScanRange.all())));
      }
    }
  }

  /** Restores the last version in another backend, compares, and goes on with that one. */
  void restoreIn(StateStoreProvider other) {
    close(store);
    store = null;
    store = open(fixture.start(other), other);
    compare("in " + other.name());
  }

  private KeyedStore open(Backend backend, StateStoreProvider provider) {
    return KeyedStore.open(
        checkpoints, backend, provider.name(), fixture.newDirectory(), checkpoints.latestVersion());
  }

  /** Recomputes what the last version claims, and compares its digest with that of the rows. */
  void verify() {
    Manifest manifest = checkpoints.manifest(checkpoints.latestVersion());
    StoreVerifier.Report report = StoreVerifier.verify(checkpoints, manifest, 2, shard -> {});
    SetDigest digest = new SetDigest();
    expected.forEach(
        (columnFamily, rows) ->
            rows.forEach((key, value) -> digest.add(columnFamily, key, 0, value)));
    assertThat(report.rows())
        .as("digest of all rows of version %s", manifest.version())
        .isEqualTo(digest);
    assertThat(report.shards()).hasSize(manifest.layout().shards());
  }

  /** Compares every row. */
  void compare(String when) {
    expected.forEach((columnFamily, rows) -> compare(columnFamily, rows, when));
  }

  private void compare(String columnFamily, NavigableMap<ByteView, ByteView> rows, String when) {
    Set<ByteView> seen = new HashSet<>(rows.size() * 2);
    for (int shard = 0; shard < store().layout().shards(); shard++) {
      String where = "'" + columnFamily + "' in shard " + shard + " " + when;
      try (StateIterator found = store().scan(shard, columnFamily, ScanRange.all())) {
        while (found.next()) {
          ByteView value = rows.get(found.key());
          if (value == null) {
            throw new AssertionError(where + ": there is a key " + found.key() + ", expected none");
          }
          if (found.value().compareTo(value) != 0) {
            throw new AssertionError(
                where
                    + ": value of key "
                    + found.key()
                    + " is "
                    + found.value()
                    + ", expected "
                    + value);
          }
          byte[] key = found.key().toByteArray();
          if (!seen.add(new ByteView(key))) {
            throw new AssertionError(where + ": key " + found.key() + " is there twice");
          }
          int home = store().shardOf(columnFamily, key);
          if (home != shard) {
            throw new AssertionError(where + ": key " + found.key() + " belongs to shard " + home);
          }
        }
      }
    }
    if (seen.size() != rows.size()) {
      for (ByteView key : rows.keySet()) {
        if (!seen.contains(key)) {
          throw new AssertionError("'" + columnFamily + "' " + when + ": key " + key + " is lost");
        }
      }
    }
    probe(columnFamily, rows, when);
  }

  /** Reads some rows by their keys, as a user would. */
  private void probe(String columnFamily, NavigableMap<ByteView, ByteView> rows, String when) {
    List<byte[]> keys = new ArrayList<>();
    int step = Math.max(1, rows.size() / PROBE);
    int at = 0;
    for (ByteView key : rows.keySet()) {
      if (at++ % step == 0) {
        keys.add(key.toByteArray());
      }
    }
    byte[][] values =
        Objects.requireNonNull(store().multiGet(columnFamily, keys.toArray(new byte[0][])));
    for (int i = 0; i < keys.size(); i++) {
      byte[] value = values[i];
      ByteView wanted = rows.get(new ByteView(keys.get(i)));
      if (value == null || wanted == null || !wanted.contentEquals(value)) {
        throw new AssertionError(
            "'" + columnFamily + "' " + when + ": multiGet of " + new ByteView(keys.get(i)));
      }
    }
  }

  private static void close(@Nullable KeyedStore store) {
    if (store != null) {
      store.close();
    }
  }

  @Override
  public void close() {
    try {
      close(store);
    } finally {
      checkpoints.close();
    }
  }
}
