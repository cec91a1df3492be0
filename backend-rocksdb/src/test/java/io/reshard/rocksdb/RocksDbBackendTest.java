package io.reshard.rocksdb;

import static io.reshard.rocksdb.Rows.assertKind;
import static io.reshard.rocksdb.Rows.bytes;
import static io.reshard.rocksdb.Rows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.Capability;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.Limits;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.StateStoreProviders;
import io.reshard.spi.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RocksDbBackendTest {
  private static final long SEED = Long.getLong("reshard.seed", 9_001L);
  private static final List<ColumnFamily> FAMILIES =
      List.of(ColumnFamily.hashed("default"), ColumnFamily.ordered("timers"));

  @TempDir Path directory;
  private Backend backend;
  private ShardStore store;

  @BeforeEach
  void open() {
    start(BackendOptions.defaults());
  }

  private void start(BackendOptions options) {
    backend = StateStoreProviders.find("rocksdb").start(options);
    store = backend.open(options());
  }

  private ShardOptions options() {
    return new ShardOptions(directory.resolve("shard"), FAMILIES);
  }

  private long spills() {
    return store.metrics().getOrDefault("rocksdb.spills", -1L);
  }

  private void reopen() {
    store.close();
    store = backend.open(options());
  }

  @AfterEach
  void close() {
    backend.close();
  }

  /** With the least budget writes spill often, so every second run crosses all the states. */
  @RepeatedTest(6)
  void behavesLikeTreeMapsThroughVersions(RepetitionInfo info) {
    long seed = SEED + info.getCurrentRepetition();
    boolean spilling = info.getCurrentRepetition() % 2 == 0;
    if (spilling) {
      backend.close();
      start(BackendOptions.defaults().withMemoryBudget(1 << 20));
    }
    try {
      checkAgainstModel(new Random(seed), 50 << info.getCurrentRepetition(), spilling);
    } catch (Throwable e) {
      throw new AssertionError("failed with -Dreshard.seed=" + (seed - 1), e);
    }
  }

  private void checkAgainstModel(Random random, int keySpace, boolean spilling) {
    Map<String, NavigableMap<byte[], byte[]>> working = emptyModel();
    Map<String, NavigableMap<byte[], byte[]>> committed = emptyModel();
    WriteBatch batch = new WriteBatch();
    long version = 0;
    long spills = 0;
    int steps = spilling ? 100 : 300;
    for (int step = 0; step < steps; step++) {
      switch (random.nextInt(12)) {
        case 0 -> {
          version += 1 + random.nextInt(3);
          store.commit(version);
          committed = copyOf(working);
        }
        case 1 -> {
          store.rollback();
          working = copyOf(committed);
        }
        case 2 -> checkScans(working, random, keySpace);
        case 3 -> {
          if (random.nextInt(4) == 0) {
            spills += spills();
            reopen();
            working = copyOf(committed);
          }
        }
        default -> {
          batch.clear();
          fill(batch, working, random, keySpace, spilling ? 1500 : 30);
          store.write(batch);
        }
      }
      assertThat(store.version()).isEqualTo(version);
      checkGets(working, random, keySpace);
    }
    checkScans(working, random, keySpace);
    spills += spills();
    assertThat(spills > 0).isEqualTo(spilling);
  }

  private static void fill(
      WriteBatch batch,
      Map<String, NavigableMap<byte[], byte[]>> model,
      Random random,
      int keySpace,
      int longest) {
    for (int i = random.nextInt(40); i >= 0; i--) {
      String family = FAMILIES.get(random.nextInt(2)).name();
      NavigableMap<byte[], byte[]> rows = model.getOrDefault(family, Rows.none());
      byte[] key = key(random, keySpace);
      if (random.nextInt(4) == 0) {
        batch.delete(family, key);
        rows.remove(key);
      } else {
        byte[] value = new byte[random.nextInt(longest)];
        random.nextBytes(value);
        batch.put(family, key, value);
        rows.put(key, value);
      }
    }
  }

  private void checkGets(
      Map<String, NavigableMap<byte[], byte[]>> model, Random random, int keySpace) {
    model.forEach(
        (family, rows) -> {
          byte[][] keys = new byte[3][];
          Arrays.setAll(keys, i -> key(random, keySpace));
          byte[][] values = store.multiGet(family, keys);
          for (int i = 0; i < keys.length; i++) {
            assertThat(values[i]).isEqualTo(rows.get(keys[i]));
            assertThat(store.get(family, keys[i])).isEqualTo(values[i]);
          }
        });
  }

  private void checkScans(
      Map<String, NavigableMap<byte[], byte[]>> model, Random random, int keySpace) {
    model.forEach(
        (family, rows) -> {
          byte[] from = key(random, keySpace);
          byte[] to = key(random, keySpace);
          NavigableMap<byte[], byte[]> expected =
              Arrays.compareUnsigned(from, to) < 0
                  ? rows.subMap(from, true, to, false)
                  : Rows.none();
          ScanRange range = ScanRange.between(from, to);
          assertThat(Rows.of(store.scan(family, range))).isEqualTo(Rows.of(expected));
          assertThat(Rows.of(store.scan(family, range.reversed())))
              .isEqualTo(Rows.of(expected.descendingMap()));
          assertThat(Rows.all(store, family)).isEqualTo(Rows.of(rows));
          assertThat(Rows.of(store.scan(family, ScanRange.all().reversed())))
              .isEqualTo(Rows.of(rows.descendingMap()));
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {1 << 20, 256 << 20})
  void scanShowsItsMoment(long budget) {
    backend.close();
    start(BackendOptions.defaults().withMemoryBudget(budget));
    put(store, "default", "a", "1");
    put(store, "default", "b", "1");
    store.commit(1);
    put(store, "default", "c", "2");
    store.write(new WriteBatch().delete("default", bytes("b")));
    StateIterator moment = store.scan("default", ScanRange.all());
    StateIterator reversed = store.scan("default", ScanRange.all().reversed());
    assertThat(moment.next()).isTrue();
    // With the small budget this spills, and the rollback opens another database.
    for (int i = 0; i < 400; i++) {
      store.write(new WriteBatch().put("default", bytes("x" + i), new byte[1000]));
    }
    assertThat(spills() > 0).isEqualTo(budget < 2 << 20);
    StateIterator later = store.scan("default", ScanRange.prefix(bytes("x")));
    store.rollback();
    put(store, "default", "d", "3");
    store.commit(2);
    assertThat(moment.key().toByteArray()).isEqualTo(bytes("a"));
    assertThat(moment.next()).isTrue();
    assertThat(moment.key().toByteArray()).isEqualTo(bytes("c"));
    assertThat(moment.next()).isFalse();
    assertThat(Rows.of(reversed)).containsExactly("63=32", "61=31");
    assertThat(Rows.of(later)).hasSize(400);
    moment.close();
    assertThat(Rows.all(store, "default")).containsExactly("61=31", "62=31", "64=33");
    assertThat(databases()).hasSize(1);
  }

  @Test
  void emptyShardHasNoDatabaseUntilItsFirstCommit() {
    assertThat(databases()).isEmpty();
    put(store, "default", "a", "1");
    assertThat(Rows.of(store.scan("default", ScanRange.all().reversed()))).hasSize(1);
    store.rollback();
    assertThat(store.get("default", bytes("a"))).isNull();
    assertThat(Rows.all(store, "default")).isEmpty();
    reopen();
    assertThat(databases()).isEmpty();
    store.commit(1);
    assertThat(databases()).hasSize(1);
  }

  @Test
  void versionSurvivesAReopen() {
    put(store, "default", "a", "1");
    put(store, "timers", "t", "1");
    store.commit(7);
    put(store, "default", "a", "2");
    reopen();
    assertThat(store.version()).isEqualTo(7);
    assertThat(store.get("default", bytes("a"))).isEqualTo(bytes("1"));
    assertThat(store.get("timers", bytes("t"))).isEqualTo(bytes("1"));
    store.commit(8);
    reopen();
    assertThat(store.version()).isEqualTo(8);
  }

  @Test
  void spilledWritesAreGoneAfterCloseAndRollbackAndThereAfterCommit() {
    backend.close();
    start(BackendOptions.defaults().withMemoryBudget(1 << 20));
    fillBlock(1);
    store.commit(1);
    List<String> first = Rows.all(store, "default");
    for (int round = 2; round < 8; round++) {
      fillBlock(round);
      assertThat(databases()).hasSize(2);
      if (round % 3 == 0) {
        store.rollback();
      } else if (round % 3 == 1) {
        reopen();
      } else {
        store.commit(round);
        first = Rows.all(store, "default");
      }
      assertThat(databases()).hasSize(1);
      assertThat(Rows.all(store, "default")).isEqualTo(first);
      assertThat(store.metrics()).containsEntry("uncommitted.bytes", 0L);
    }
    assertThat(store.version()).isEqualTo(5);
    reopen();
    assertThat(Rows.all(store, "default")).isEqualTo(first);
  }

  private void fillBlock(int round) {
    Random random = new Random(round);
    for (int i = 0; i < 500; i++) {
      byte[] value = new byte[1000];
      random.nextBytes(value);
      byte[] key = bytes("key" + random.nextInt(1000));
      store.write(
          i % 5 == 0
              ? new WriteBatch().delete("default", key)
              : new WriteBatch().put("default", key, value));
    }
  }

  private List<String> databases() {
    try (Stream<Path> entries = Files.list(directory.resolve("shard"))) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> name.startsWith("db-"))
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void argumentsAreBorrowedAndResultsGivenAway() {
    byte[] key = bytes("k");
    byte[] value = bytes("v");
    WriteBatch batch = new WriteBatch().put("default", key, value);
    key[0] = 'x';
    value[0] = 'x';
    store.write(batch);
    batch.clear();
    batch.put("default", bytes("k"), bytes("w"));
    byte[][] several = store.multiGet("default", new byte[][] {bytes("k"), bytes("k"), bytes("l")});
    assertThat(several).isDeepEqualTo(new byte[][] {bytes("v"), bytes("v"), null});
    several[0][0] = 'x';
    assertThat(store.get("default", bytes("k"))).isEqualTo(bytes("v"));
  }

  @Test
  void limitsAreKept() {
    byte[] key = new byte[Limits.MAX_KEY_BYTES];
    byte[] value = new byte[Limits.MAX_VALUE_BYTES];
    value[value.length - 1] = 1;
    store.write(new WriteBatch().put("default", key, value));
    store.write(new WriteBatch().put("default", new byte[0], new byte[0]));
    store.commit(1);
    assertThat(store.get("default", key)).isEqualTo(value);
    assertThat(store.get("default", new byte[0])).isEmpty();
    try (StateIterator rows = store.scan("default", ScanRange.all())) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.key().length()).isZero();
      assertThat(rows.next()).isTrue();
      assertThat(rows.key().contentEquals(key)).isTrue();
      assertThat(rows.value().contentEquals(value)).isTrue();
      assertThat(rows.next()).isFalse();
    }
  }

  @Test
  void invalidCallsChangeNothing() {
    put(store, "default", "a", "1");
    store.commit(5);
    put(store, "default", "a", "2");
    WriteBatch bad = new WriteBatch().put("default", bytes("a"), bytes("3"));
    bad.put("unknown", bytes("a"), bytes("3"));
    assertKind(Kind.INVALID, () -> store.write(bad), "unknown", "default, timers");
    WriteBatch range = new WriteBatch().put("default", bytes("a"), bytes("3"));
    range.deleteRange("default", bytes("a"), bytes("b"));
    assertKind(Kind.INVALID, () -> store.write(range), "does not declare DELETE_RANGE");
    assertKind(Kind.INVALID, () -> store.get("reshard.meta", bytes("version")), "not declared");
    assertKind(Kind.INVALID, () -> store.multiGet("unknown", new byte[0][]), "unknown");
    assertKind(Kind.INVALID, () -> store.scan("unknown", ScanRange.all()), "unknown");
    byte[] tooLong = new byte[Limits.MAX_KEY_BYTES + 1];
    assertKind(Kind.INVALID, () -> store.get("default", tooLong), "key of");
    assertKind(Kind.INVALID, () -> store.commit(5), "version 5");
    assertThat(store.get("default", bytes("a"))).isEqualTo(bytes("2"));
    assertThat(store.version()).isEqualTo(5);
    bad.clear();
    store.write(bad.put("default", bytes("a"), bytes("4")));
    assertThat(store.get("default", bytes("a"))).isEqualTo(bytes("4"));
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
  }

  @Test
  void afterCloseEverythingIsClosed() {
    put(store, "default", "a", "1");
    store.commit(1);
    StateIterator open = store.scan("default", ScanRange.all());
    assertThat(open.next()).isTrue();
    store.close();
    store.close();
    assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
    assertKind(Kind.CLOSED, open::next);
    open.close();
    assertKind(Kind.CLOSED, store::version);
    assertKind(Kind.CLOSED, () -> store.get("default", bytes("a")));
    assertKind(Kind.CLOSED, () -> store.multiGet("default", new byte[0][]));
    assertKind(Kind.CLOSED, () -> store.scan("default", ScanRange.all()));
    assertKind(Kind.CLOSED, () -> store.write(new WriteBatch()));
    assertKind(Kind.CLOSED, () -> store.commit(2));
    assertKind(Kind.CLOSED, store::rollback);
    assertKind(Kind.CLOSED, store::metrics);
  }

  @Test
  void iteratorKeepsItsRules() {
    put(store, "default", "a", "1");
    store.commit(1);
    put(store, "default", "b", "2");
    StateIterator rows = store.scan("default", ScanRange.all());
    assertKind(Kind.INVALID, rows::key);
    assertThat(rows.next()).isTrue();
    assertThat(rows.next()).isTrue();
    assertThat(rows.value().toByteArray()).isEqualTo(bytes("2"));
    assertThat(rows.next()).isFalse();
    assertThat(rows.next()).isFalse();
    assertKind(Kind.INVALID, rows::value);
    assertThat(store.metrics()).containsEntry("scans.open", 1L);
    rows.close();
    rows.close();
    assertKind(Kind.CLOSED, rows::next);
    assertThat(store.metrics()).containsEntry("scans.open", 0L);
  }

  @Test
  void directoryIsOpenOnce() {
    ShardOptions same = new ShardOptions(directory.resolve("x/../shard"), FAMILIES);
    assertThat(directory.resolve("x").toFile().mkdir()).isTrue();
    assertKind(Kind.INVALID, () -> backend.open(same), "open already");
    try (Backend other = new RocksDbStateStoreProvider().start(BackendOptions.defaults())) {
      assertKind(Kind.INVALID, () -> other.open(same), "open already");
      store.close();
      other.open(same);
      assertKind(Kind.INVALID, () -> backend.open(same), "open already");
    }
    assertThat(backend.open(same).version()).isZero();
  }

  @Test
  void otherColumnFamiliesAreIncompatible() {
    put(store, "default", "a", "1");
    store.commit(1);
    store.close();
    ShardOptions other =
        new ShardOptions(directory.resolve("shard"), List.of(ColumnFamily.hashed("default")));
    assertKind(Kind.INCOMPATIBLE, () -> backend.open(other), "[default, timers]", "[default]");
    // The order does not matter.
    List<ColumnFamily> turned = List.of(FAMILIES.get(1), FAMILIES.get(0));
    store = backend.open(new ShardOptions(directory.resolve("shard"), turned));
    assertThat(store.get("default", bytes("a"))).isEqualTo(bytes("1"));
  }

  @Test
  void directoryOfSomethingElseIsIncompatible() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    Files.writeString(other.resolve("CURRENT"), "MANIFEST-000001\n");
    assertKind(Kind.INCOMPATIBLE, () -> backend.open(new ShardOptions(other, FAMILIES)), "CURRENT");
    assertThat(other.resolve("CURRENT")).exists();
  }

  @Test
  void damageIsCorruptAndFailsTheStore() throws IOException {
    for (int i = 0; i < 2000; i++) {
      put(store, "default", "key" + i, "value" + i);
    }
    store.commit(1);
    backend.close();
    // An import of nothing is a flush of everything: none here, so flush by spilling.
    start(BackendOptions.defaults().withMemoryBudget(1 << 20));
    for (int i = 0; i < 300; i++) {
      store.write(new WriteBatch().put("default", bytes("other" + i), new byte[1000]));
    }
    store.commit(2);
    store.close();
    flipEveryDataBlock();
    store = backend.open(options());
    byte[][] keys = {bytes("key1")};
    assertKind(Kind.CORRUPT, () -> store.multiGet("default", keys), "snapshot");
    assertThat(store.state()).isEqualTo(ShardStore.State.FAILED);
    assertKind(Kind.CORRUPT, () -> store.get("timers", bytes("a")), "has failed");
    assertKind(Kind.CORRUPT, () -> store.write(new WriteBatch()), "has failed");
    assertKind(Kind.CORRUPT, () -> store.commit(3), "has failed");
    store.close();
    assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
    store = backend.open(options());
    assertKind(Kind.CORRUPT, () -> Rows.all(store, "default"));
  }

  /** The default of RocksDB would open at version 2 and say nothing. */
  @Test
  void damageWithinTheLogIsCorrupt() throws IOException {
    for (int version = 1; version <= 20; version++) {
      put(store, "default", "key" + version, "a long enough value to fall into " + version);
      store.commit(version);
    }
    store.close();
    Path database = directory.resolve("shard").resolve(databases().get(0));
    try (Stream<Path> files = Files.list(database)) {
      Path log = files.filter(f -> f.toString().endsWith(".log")).findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(log);
      bytes[200] ^= 1;
      Files.write(log, bytes);
    }
    assertKind(Kind.CORRUPT, () -> backend.open(options()), "opening the database");
  }

  private void flipEveryDataBlock() throws IOException {
    Path database = directory.resolve("shard").resolve(databases().get(0));
    try (Stream<Path> files = Files.list(database)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".sst")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 100; i < bytes.length - 4000; i += 500) {
          bytes[i] ^= 1;
        }
        Files.write(file, bytes);
      }
    }
  }

  @Test
  void damagedStateIsCorrupt() throws IOException {
    store.commit(1);
    store.close();
    Path state = directory.resolve("shard/STATE");
    String text = Files.readString(state);
    assertThat(text)
        .startsWith("reshard-rocksdb 1\ngeneration 1\ncolumn-family default\n")
        .contains("column-family timers\ncrc32c ");
    for (String damaged :
        List.of("", "x", text.replace("generation 1", "generation 2"), text.substring(3))) {
      Files.writeString(state, damaged);
      assertKind(Kind.CORRUPT, () -> backend.open(options()), "STATE");
    }
    Files.delete(state);
    assertKind(Kind.CORRUPT, () -> backend.open(options()), "missing");
    Files.writeString(state, text);
    backend.open(options());
  }

  @Test
  void leftoversOfACrashAreRemoved() throws IOException {
    put(store, "default", "a", "1");
    store.commit(1);
    store.close();
    Path shard = directory.resolve("shard");
    Files.createDirectories(shard.resolve("db-9/incoming"));
    Files.writeString(shard.resolve("db-9/incoming/x"), "x");
    Files.writeString(shard.resolve("STATE.new"), "half");
    store = backend.open(options());
    assertThat(databases()).containsExactly("db-1");
    assertThat(shard.resolve("STATE.new")).doesNotExist();
    assertThat(store.get("default", bytes("a"))).isEqualTo(bytes("1"));
  }

  @Test
  void interruptedThreadLosesNothing() {
    backend.close();
    start(BackendOptions.defaults().withMemoryBudget(1 << 20));
    Thread.currentThread().interrupt();
    fillBlock(1);
    store.commit(1);
    fillBlock(2);
    store.rollback();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
    assertThat(store.version()).isEqualTo(1);
  }

  @Test
  void directoryMayBeALinkButNoFile() throws IOException {
    Path real = Files.createDirectory(directory.resolve("real"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), real);
    try (ShardStore linked = backend.open(new ShardOptions(link, FAMILIES))) {
      linked.commit(1);
      ShardOptions same = new ShardOptions(real, FAMILIES);
      assertKind(Kind.INVALID, () -> backend.open(same), "open already");
    }
    Path file = Files.createFile(directory.resolve("file"));
    assertKind(Kind.INVALID, () -> backend.open(new ShardOptions(file, FAMILIES)), "is a file");
  }

  @Test
  void optionsAreChecked() {
    assertOption("compression", "gzip", "lz4, none, zstd or snappy");
    assertOption("blockBytes", "1", "1024");
    assertOption("blockBytes", "many", "1024");
    assertOption("bloomBitsPerKey", "31", "30");
    assertOption("openFiles", "-1", "32");
    assertOption("cache", "1", "blockBytes");
    assertThat(new RocksDbStateStoreProvider().capabilities())
        .containsExactlyInAnyOrder(
            Capability.REVERSE_SCAN, Capability.PERSISTENT, Capability.INCREMENTAL_EXPORT);
  }

  private static void assertOption(String name, String value, String word) {
    BackendOptions options = new BackendOptions(1 << 20, Map.of(name, value));
    assertKind(Kind.INVALID, () -> new RocksDbStateStoreProvider().start(options), name, word);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "none", "zstd", "snappy"})
  void everyCompressionWorks(String compression) {
    backend.close();
    start(new BackendOptions(1 << 20, Map.of("compression", compression, "bloomBitsPerKey", "0")));
    fillBlock(1);
    store.commit(1);
    List<String> rows = Rows.all(store, "default");
    reopen();
    assertThat(Rows.all(store, "default")).isEqualTo(rows).hasSizeGreaterThan(100);
  }

  @Test
  void backendClosesItsStores() {
    StateIterator rows = store.scan("default", ScanRange.all());
    backend.close();
    backend.close();
    assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
    assertKind(Kind.CLOSED, rows::next);
    rows.close();
    assertKind(Kind.CLOSED, () -> backend.open(options()));
    assertThat(backend.memoryUsed()).isZero();
  }

  @Test
  void metricsCount() {
    put(store, "default", "a", "1");
    put(store, "timers", "b", "1");
    store.get("default", bytes("a"));
    store.multiGet("default", new byte[][] {bytes("a"), bytes("b")});
    store.scan("default", ScanRange.all()).close();
    assertThat(store.metrics())
        .containsEntry("gets", 3L)
        .containsEntry("scans", 1L)
        .containsEntry("writes", 2L)
        .containsEntry("rows.estimate", 2L);
    assertThat(store.metrics().get("uncommitted.bytes")).isPositive();
    assertThat(store.metrics().get("memory.bytes")).isPositive();
    assertThat(backend.memoryUsed()).isPositive();
    store.commit(1);
    assertThat(store.metrics())
        .containsEntry("rows.estimate", 2L)
        .containsEntry("uncommitted.bytes", 0L);
    store.write(new WriteBatch().delete("default", bytes("a")));
    assertThat(store.metrics()).containsEntry("rows.estimate", 1L);
  }

  /** Every batch gives all rows of a block the same value: no reader may see two. */
  @ParameterizedTest
  @ValueSource(longs = {1 << 20, 256 << 20})
  void readersSeeWholeBatchesBesideAWriter(long budget) throws Exception {
    backend.close();
    start(BackendOptions.defaults().withMemoryBudget(budget));
    int block = 50;
    WriteBatch batch = new WriteBatch();
    writeBlock(batch, block, 0);
    store.commit(1);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> readers = new ArrayList<>();
      for (int r = 0; r < 3; r++) {
        boolean byScan = r > 0;
        readers.add(
            threads.submit(
                () -> {
                  while (!done.get()) {
                    List<String> values = byScan ? scanBlock() : getBlock(block);
                    assertThat(values).hasSize(block);
                    assertThat(values.stream().distinct()).hasSize(1);
                  }
                }));
      }
      for (int n = 2; n <= 400; n++) {
        writeBlock(batch, block, n);
        if (n % 10 == 0) {
          store.commit(n);
        } else if (n % 7 == 0) {
          store.rollback();
        }
      }
      done.set(true);
      for (Future<?> reader : readers) {
        reader.get();
      }
    } finally {
      done.set(true);
      threads.shutdown();
    }
  }

  private void writeBlock(WriteBatch batch, int block, int n) {
    batch.clear();
    for (int i = 0; i < block; i++) {
      byte[] value = Arrays.copyOf(bytes(n + "."), 500);
      batch.put("default", bytes("key" + (100 + i)), value);
    }
    store.write(batch);
  }

  private List<String> scanBlock() {
    List<String> values = new ArrayList<>();
    try (StateIterator rows = store.scan("default", ScanRange.prefix(bytes("key")))) {
      while (rows.next()) {
        values.add(rows.value().toString());
      }
    }
    return values;
  }

  private List<String> getBlock(int block) {
    byte[][] keys = new byte[block][];
    Arrays.setAll(keys, i -> bytes("key" + (100 + i)));
    return Arrays.stream(store.multiGet("default", keys)).map(Arrays::toString).toList();
  }

  /** Iterators in use while their store is closed end with CLOSED, and the process lives on. */
  @Test
  void closeBesideReadersIsClosedNotACrash() throws Exception {
    for (int i = 0; i < 500; i++) {
      put(store, "default", "key" + i, "value");
    }
    store.commit(1);
    for (int round = 0; round < 10; round++) {
      ShardStore closing = store;
      AtomicBoolean stop = new AtomicBoolean();
      ExecutorService threads = Executors.newFixedThreadPool(2);
      List<Future<?>> readers = new ArrayList<>();
      for (int r = 0; r < 2; r++) {
        readers.add(
            threads.submit(
                () ->
                    assertKind(
                        Kind.CLOSED,
                        () -> {
                          while (!stop.get()) {
                            Rows.all(closing, "default");
                            closing.get("default", bytes("key1"));
                          }
                        })));
      }
      Thread.sleep(5);
      closing.close();
      for (Future<?> reader : readers) {
        reader.get();
      }
      threads.shutdown();
      store = backend.open(options());
    }
  }

  private static Map<String, NavigableMap<byte[], byte[]>> emptyModel() {
    Map<String, NavigableMap<byte[], byte[]>> model = new HashMap<>();
    FAMILIES.forEach(family -> model.put(family.name(), Rows.none()));
    return model;
  }

  private static Map<String, NavigableMap<byte[], byte[]>> copyOf(
      Map<String, NavigableMap<byte[], byte[]>> model) {
    Map<String, NavigableMap<byte[], byte[]>> copy = emptyModel();
    copy.forEach((family, rows) -> rows.putAll(model.getOrDefault(family, Rows.none())));
    return copy;
  }

  private static byte[] key(Random random, int keySpace) {
    byte[] key = bytes(Integer.toString(random.nextInt(keySpace), 5));
    if (random.nextInt(4) == 0) {
      key[0] ^= (byte) 0x80;
    }
    return random.nextInt(keySpace) == 0 ? new byte[0] : key;
  }
}
