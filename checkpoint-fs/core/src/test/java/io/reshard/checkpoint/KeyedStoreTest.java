package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.testing.FaultyObjectStore;
import io.reshard.checkpoint.testing.FaultyObjectStore.Operation;
import io.reshard.memory.MemoryStateStoreProvider;
import io.reshard.rocksdb.RocksDbStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.Limits;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.StateStoreProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@NullUnmarked
class KeyedStoreTest {
  private static final List<ColumnFamily> FAMILIES =
      List.of(
          ColumnFamily.hashed("default"),
          ColumnFamily.hashed("lists").withPartitionKey(PartitionKey.first(4)),
          ColumnFamily.ordered("timers").withPartitionKey(PartitionKey.lengthPrefixed()));

  @TempDir Path directory;
  private CheckpointStore checkpoints;
  private Backend backend;
  private KeyedStore store;

  private FaultyObjectStore objects;

  @BeforeEach
  void start() {
    objects = new FaultyObjectStore(ObjectStores.open(directory.resolve("store")), 1);
    checkpoints = CheckpointStore.create(objects);
    backend = new MemoryStateStoreProvider().start(BackendOptions.defaults());
  }

  @AfterEach
  void stop() {
    if (store != null) {
      store.close();
    }
    backend.close();
    checkpoints.close();
  }

  private KeyedStore create(Layout layout) {
    store =
        KeyedStore.create(
            checkpoints, backend, "memory", directory.resolve("local"), layout, FAMILIES);
    return store;
  }

  private KeyedStore reopen(long version) {
    store.close();
    store = KeyedStore.open(checkpoints, backend, "memory", directory.resolve("local"), version);
    return store;
  }

  private static byte[] timer(String user, int time) {
    byte[] name = bytes(user);
    byte[] key = new byte[2 + name.length + 4];
    key[1] = (byte) name.length;
    System.arraycopy(name, 0, key, 2, name.length);
    key[key.length - 1] = (byte) time;
    return key;
  }

  @ParameterizedTest
  @EnumSource(Layout.Kind.class)
  void rowsSurviveCommitCloseAndOpen(Layout.Kind kind) {
    create(kind == Layout.Kind.SLOTS ? Layout.slots(5) : Layout.modulo(5));
    Random random = new Random(11);
    Map<String, String> model = new HashMap<>();
    for (int version = 1; version <= 4; version++) {
      for (int i = 0; i < 500; i++) {
        String key = "key" + random.nextInt(700);
        if (random.nextInt(4) == 0) {
          store.delete("default", bytes(key));
          model.remove(key);
        } else {
          store.put("default", bytes(key), bytes("value" + i));
          model.put(key, "value" + i);
        }
      }
      store.put("timers", timer("ann", version), bytes("t"));
      Manifest manifest = store.commit(Map.of("batch", "" + version));
      assertThat(manifest.version()).isEqualTo(version);
      assertThat(manifest.backend()).isEqualTo("memory");
      if (version % 2 == 0) {
        reopen(version);
      }
      for (int k = 0; k < 700; k++) {
        byte[] value = store.get("default", bytes("key" + k));
        assertThat(value == null ? null : new String(value, UTF_8)).isEqualTo(model.get("key" + k));
      }
    }
    assertThat(store.get("timers", timer("ann", 3))).isEqualTo(bytes("t"));
    StoreVerifier.Report report =
        StoreVerifier.verify(checkpoints, checkpoints.manifest(4), 2, shard -> {});
    assertThat(report.rows().count()).isEqualTo(model.size() + 4);
    SetDigest expected = new SetDigest();
    model.forEach(
        (k, v) ->
            expected.add(
                "default",
                new io.reshard.spi.ByteView(bytes(k)),
                0,
                new io.reshard.spi.ByteView(bytes(v))));
    for (int version = 1; version <= 4; version++) {
      expected.add(
          "timers",
          new io.reshard.spi.ByteView(timer("ann", version)),
          0,
          new io.reshard.spi.ByteView(bytes("t")));
    }
    assertThat(report.rows()).isEqualTo(expected);
  }

  @Test
  void readsSeeWritesAtOnce() {
    create(Layout.slots(3));
    store.put("default", bytes("a"), bytes("1"));
    store.put("default", bytes("a"), bytes("2"));
    assertThat(store.get("default", bytes("a"))).isEqualTo(bytes("2"));
    store.delete("default", bytes("a"));
    assertThat(store.get("default", bytes("a"))).isNull();
    store.put("default", bytes("b"), bytes("3"));
    byte[][] keys = {bytes("b"), bytes("a"), bytes("b"), bytes("c")};
    assertThat(Arrays.asList(store.multiGet("default", keys)))
        .usingElementComparator(Arrays::compareUnsigned)
        .containsExactly(bytes("3"), null, bytes("3"), null);
    assertThat(store.multiGet("default", new byte[0][])).isEmpty();
    store.put("default", bytes("c"), bytes("4"));
    assertThat(scanAll("default")).containsOnlyKeys("b", "c");
  }

  private NavigableMap<String, String> scanAll(String columnFamily) {
    NavigableMap<String, String> rows = new TreeMap<>();
    for (int shard = 0; shard < store.layout().shards(); shard++) {
      try (StateIterator iterator = store.scan(shard, columnFamily, ScanRange.all())) {
        while (iterator.next()) {
          String key = new String(iterator.key().toByteArray(), UTF_8);
          assertThat(store.shardOf(columnFamily, bytes(key))).isEqualTo(shard);
          rows.put(key, new String(iterator.value().toByteArray(), UTF_8));
        }
      }
    }
    return rows;
  }

  @Test
  void rollbackDropsWritesSinceTheLastCommit() {
    create(Layout.slots(3));
    store.put("default", bytes("a"), bytes("0"));
    store.rollback();
    assertThat(store.get("default", bytes("a"))).isNull();
    store.put("default", bytes("a"), bytes("1"));
    store.commit(Map.of());
    store.put("default", bytes("a"), bytes("2"));
    store.put("default", bytes("b"), bytes("2"));
    assertThat(store.get("default", bytes("b"))).isNotNull();
    store.rollback();
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "1"));
    store.put("default", bytes("c"), bytes("3"));
    store.commit(Map.of());
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "1", "c", "3"));
    reopen(2);
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "1", "c", "3"));
    reopen(1);
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "1"));
  }

  @Test
  void rowsOfOnePartitionKeyAreScannedByPrefix() {
    create(Layout.slots(4));
    for (String user : List.of("anna", "beth", "carl", "dora")) {
      for (int i = 0; i < 5; i++) {
        store.put("lists", bytes(user + "/" + i), bytes(user + i));
        store.put("timers", timer(user, i), bytes(user + i));
      }
    }
    List<String> found = new ArrayList<>();
    try (StateIterator rows = store.scanPrefix("lists", bytes("beth/"))) {
      while (rows.next()) {
        found.add(new String(rows.key().toByteArray(), UTF_8));
      }
    }
    assertThat(found).containsExactly("beth/0", "beth/1", "beth/2", "beth/3", "beth/4");
    byte[] prefix = Arrays.copyOf(timer("carl", 0), 6);
    int timers = 0;
    try (StateIterator rows = store.scanPrefix("timers", prefix)) {
      while (rows.next()) {
        assertThat(rows.key().get(9)).isEqualTo((byte) timers++);
      }
    }
    assertThat(timers).isEqualTo(5);
    assertKind(Kind.INVALID, () -> store.scanPrefix("lists", bytes("bet")), "first:4");
    assertKind(Kind.INVALID, () -> store.scanPrefix("default", bytes("x")), "whole");
    assertKind(Kind.INVALID, () -> store.scanPrefix("timers", Arrays.copyOf(prefix, 5)), "length");
  }

  @Test
  void aRangeNeedsAnOrder() {
    create(Layout.slots(2));
    assertKind(
        Kind.INVALID,
        () -> store.scan(0, "default", ScanRange.between(bytes("a"), null)),
        "ORDERED");
    int shard = store.shardOf("timers", timer("ann", 0));
    for (int i = 0; i < 10; i++) {
      store.put("timers", timer("ann", i), bytes("x"));
    }
    try (StateIterator rows =
        store.scan(shard, "timers", ScanRange.between(timer("ann", 3), timer("ann", 5)))) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.key().contentEquals(timer("ann", 3))).isTrue();
      assertThat(rows.next()).isTrue();
      assertThat(rows.next()).isFalse();
    }
    assertKind(Kind.INVALID, () -> store.scan(2, "timers", ScanRange.all()), "no shard 2");
  }

  @Test
  void keysMayBeAsLongAsTheSlotLeavesRoom() {
    create(Layout.slots(2));
    byte[] longest = new byte[Limits.MAX_KEY_BYTES - 2];
    store.put("default", longest, bytes("v"));
    assertThat(store.get("default", longest)).isEqualTo(bytes("v"));
    byte[] tooLong = new byte[longest.length + 1];
    assertKind(Kind.INVALID, () -> store.put("default", tooLong, bytes("v")), "longest allowed");
    assertKind(Kind.INVALID, () -> store.get("none", longest), "default, lists, timers");
    store.commit(Map.of());
    reopen(1);
    assertThat(store.get("default", longest)).isEqualTo(bytes("v"));
  }

  @Test
  void aCommitWritesOnlyShardsThatChanged() {
    create(Layout.slots(4));
    for (int i = 0; i < 400; i++) {
      store.put("default", bytes("k" + i), bytes("v"));
    }
    Manifest first = store.commit(Map.of());
    Manifest same = store.commit(Map.of("x", "y"));
    assertThat(same.version()).isEqualTo(2);
    assertThat(same.shards()).isEqualTo(first.shards());
    store.put("default", bytes("k0"), bytes("w"));
    Manifest third = store.commit(Map.of());
    int changed = store.shardOf("default", bytes("k0"));
    for (int shard = 0; shard < 4; shard++) {
      assertThat(third.shards().get(shard).equals(first.shards().get(shard)))
          .isEqualTo(shard != changed);
    }
  }

  /** A first version, and a second whose publish got through while its answers were lost. */
  private void commitWithoutAnAnswer() {
    create(Layout.slots(3));
    store.put("default", bytes("a"), bytes("1"));
    store.commit(Map.of());
    store.put("default", bytes("a"), bytes("2"));
    objects.before(Operation.PUT, "manifests/", () -> objects.lostAnswers(1000));
    assertKind(Kind.UNAVAILABLE, () -> store.commit(Map.of("n", "2")), "may or may not");
    objects.calm();
    assertThat(store.version()).isEqualTo(1);
    assertThat(store.get("default", bytes("a"))).isEqualTo(bytes("2"));
  }

  @Test
  void aCommitThatGotThroughUnknownIsNotMadeAgain() {
    commitWithoutAnAnswer();
    assertThat(store.commit(Map.of("n", "2")).version()).isEqualTo(2);
    assertThat(checkpoints.versions()).containsExactly(1L, 2L);
    store.put("default", bytes("a"), bytes("3"));
    assertThat(store.commit(Map.of()).version()).isEqualTo(3);
    reopen(3);
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "3"));
  }

  @Test
  void writesAfterACommitThatGotThroughUnknownMakeTheNextVersion() {
    commitWithoutAnAnswer();
    store.put("default", bytes("b"), bytes("2"));
    assertThat(store.commit(Map.of("n", "2")).version()).isEqualTo(3);
    reopen(2);
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "2"));
    reopen(3);
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "2", "b", "2"));
  }

  @Test
  void rollbackAfterACommitThatGotThroughUnknownGoesBackToIt() {
    commitWithoutAnAnswer();
    store.put("default", bytes("a"), bytes("3"));
    store.put("default", bytes("b"), bytes("3"));
    store.rollback();
    assertThat(store.version()).isEqualTo(2);
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "2"));
    store.put("default", bytes("c"), bytes("3"));
    store.commit(Map.of());
    reopen(3);
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "2", "c", "3"));
  }

  @Test
  void aFullDiskLosesNothing() {
    create(Layout.slots(3));
    store.put("default", bytes("a"), bytes("1"));
    store.commit(Map.of());
    store.put("default", bytes("a"), bytes("2"));
    store.put("default", bytes("b"), bytes("2"));
    objects.full(true);
    assertKind(Kind.UNAVAILABLE, () -> store.commit(Map.of()), "disk is full");
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "2", "b", "2"));
    assertKind(Kind.UNAVAILABLE, () -> store.commit(Map.of()), "disk is full");
    store.put("default", bytes("c"), bytes("2"));
    objects.full(false);
    assertThat(store.commit(Map.of()).version()).isEqualTo(2);
    assertThat(checkpoints.versions()).containsExactly(1L, 2L);
    reopen(2);
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "2", "b", "2", "c", "2"));
  }

  @Test
  void rollbackAfterACommitThatFailedMidwayRestoresWhatWasPublished() {
    create(Layout.slots(3));
    store.put("default", bytes("a"), bytes("0"));
    objects.full(true);
    assertKind(Kind.UNAVAILABLE, () -> store.commit(Map.of()), "disk is full");
    store.rollback();
    assertThat(scanAll("default")).isEmpty();
    objects.full(false);
    store.put("default", bytes("a"), bytes("1"));
    store.commit(Map.of());
    store.put("default", bytes("a"), bytes("2"));
    objects.full(true);
    assertKind(Kind.UNAVAILABLE, () -> store.commit(Map.of()), "disk is full");
    store.put("default", bytes("b"), bytes("2"));
    store.rollback();
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "1"));
    objects.full(false);
    store.put("default", bytes("c"), bytes("3"));
    store.commit(Map.of());
    reopen(2);
    assertThat(scanAll("default")).isEqualTo(Map.of("a", "1", "c", "3"));
  }

  @Test
  void theSecondWriterIsFencedForGood() {
    create(Layout.slots(2));
    store.put("default", bytes("a"), bytes("1"));
    store.commit(Map.of());
    try (KeyedStore other =
        KeyedStore.open(checkpoints, backend, "memory", directory.resolve("other"), 1)) {
      other.put("default", bytes("a"), bytes("other"));
      other.commit(Map.of());
    }
    store.put("default", bytes("a"), bytes("late"));
    assertKind(Kind.FENCED, () -> store.commit(Map.of()), "another writer");
    assertKind(Kind.FENCED, () -> store.get("default", bytes("a")), "another writer");
    assertKind(Kind.FENCED, () -> store.commit(Map.of()), "another writer");
    reopen(2);
    assertThat(store.get("default", bytes("a"))).isEqualTo(bytes("other"));
  }

  /** Each version changes one shard less, so every pack keeps one living member. */
  @ParameterizedTest
  @ValueSource(strings = {"memory", "rocksdb"})
  void packsThatAreMostlyDeadAreRenewed(String name) {
    backend.close();
    StateStoreProvider provider =
        name.equals("memory") ? new MemoryStateStoreProvider() : new RocksDbStateStoreProvider();
    backend = provider.start(BackendOptions.defaults());
    int shards = 10;
    create(Layout.slots(shards));
    GcOptions keepOne = new GcOptions(1, Duration.ZERO, Duration.ZERO, false);
    Map<String, String> model = new HashMap<>();
    for (int version = 1; version <= shards; version++) {
      for (int i = 0; i < 200; i++) {
        String key = "k" + i;
        if (store.shardOf("default", bytes(key)) >= version - 1) {
          store.put("default", bytes(key), bytes("version" + version));
          model.put(key, "version" + version);
        }
      }
      store.commit(Map.of());
      checkpoints.gc(keepOne);
      if (version == 2) {
        reopen(store.version());
      }
    }
    Manifest last = checkpoints.manifest(store.version());
    long packed = objects.list("files/", "", 1000).stream().mapToLong(ObjectInfo::size).sum();
    assertThat(packed).isLessThan(2 * last.bytes());
    StoreVerifier.verify(checkpoints, last, 1, found -> {});
    assertThat(scanAll("default")).isEqualTo(model);
    for (int shard = 0; shard < shards; shard++) {
      int own = shard;
      String key =
          model.keySet().stream()
              .filter(k -> store.shardOf("default", bytes(k)) == own)
              .findFirst()
              .orElseThrow();
      store.put("default", bytes(key), bytes("last"));
      model.put(key, "last");
    }
    StoreVerifier.verify(checkpoints, store.commit(Map.of()), 1, found -> {});
    reopen(store.version());
    assertThat(scanAll("default")).isEqualTo(model);
  }

  @Test
  void createNeedsAnEmptyStoreAndOpenAVersion() {
    create(Layout.slots(2)).commit(Map.of());
    assertKind(
        Kind.INVALID,
        () ->
            KeyedStore.create(
                checkpoints, backend, "memory", directory.resolve("x"), Layout.slots(2), FAMILIES),
        "version 1");
    assertKind(Kind.INVALID, () -> reopen(7), "no version 7");
  }

  @Test
  void afterCloseEveryCallIsClosed() {
    create(Layout.slots(2));
    store.close();
    store.close();
    assertKind(Kind.CLOSED, () -> store.get("default", bytes("a")), "closed");
    assertKind(Kind.CLOSED, () -> store.put("default", bytes("a"), bytes("b")), "closed");
    assertKind(Kind.CLOSED, () -> store.commit(Map.of()), "closed");
    assertKind(Kind.CLOSED, store::rollback, "closed");
  }

  private static void assertKind(Kind kind, Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).as("%s", e).isEqualTo(kind))
        .hasMessageContaining(message);
  }
}
