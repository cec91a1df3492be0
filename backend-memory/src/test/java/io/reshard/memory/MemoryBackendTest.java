package io.reshard.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.Capability;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.Limits;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.StateStoreProviders;
import io.reshard.spi.WriteBatch;
import io.reshard.sst.SortedByteMap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryBackendTest {
  private static final long SEED = Long.getLong("reshard.seed", 7_001L);
  private static final List<ColumnFamily> FAMILIES =
      List.of(ColumnFamily.hashed("rows"), ColumnFamily.ordered("timers"));

  @TempDir Path directory;
  private Backend backend;
  private ShardStore store;

  @BeforeEach
  void open() {
    backend = StateStoreProviders.find("memory").start(BackendOptions.defaults());
    store = backend.open(new ShardOptions(directory.resolve("shard"), FAMILIES));
  }

  @AfterEach
  void close() {
    backend.close();
  }

  @RepeatedTest(8)
  void behavesLikeTreeMapsThroughVersions(RepetitionInfo info) {
    long seed = SEED + info.getCurrentRepetition();
    try {
      checkAgainstModel(new Random(seed), 20 << info.getCurrentRepetition());
    } catch (Throwable e) {
      throw new AssertionError("failed with -Dreshard.seed=" + (seed - 1), e);
    }
  }

  private void checkAgainstModel(Random random, int keySpace) {
    Map<String, NavigableMap<byte[], byte[]>> working = emptyModel();
    Map<String, NavigableMap<byte[], byte[]>> committed = emptyModel();
    WriteBatch batch = new WriteBatch();
    long version = 0;
    for (int step = 0; step < 1500; step++) {
      switch (random.nextInt(8)) {
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
          if (random.nextInt(20) == 0) {
            Rows exported = new Rows(store.version());
            store.exportSnapshot(exported);
            assertThat(exported.asText()).isEqualTo(contentAsText(committed));
            store.importSnapshot(exported);
            working = copyOf(committed);
          }
        }
        default -> {
          batch.clear();
          fill(batch, working, random, keySpace);
          store.write(batch);
        }
      }
      assertThat(store.version()).isEqualTo(version);
      checkGets(working, random, keySpace);
    }
    checkScans(working, random, keySpace);
  }

  private static void fill(
      WriteBatch batch,
      Map<String, NavigableMap<byte[], byte[]>> model,
      Random random,
      int keySpace) {
    for (int i = random.nextInt(20); i >= 0; i--) {
      String family = FAMILIES.get(random.nextInt(2)).name();
      NavigableMap<byte[], byte[]> rows = model.getOrDefault(family, emptyRows());
      byte[] key = key(random, keySpace);
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> {
          batch.delete(family, key);
          rows.remove(key);
        }
        case 3 -> {
          byte[] to = key(random, keySpace);
          batch.deleteRange(family, key, to);
          if (Arrays.compareUnsigned(key, to) < 0) {
            rows.subMap(key, true, to, false).clear();
          }
        }
        default -> {
          byte[] value = new byte[random.nextInt(30)];
          random.nextBytes(value);
          batch.put(family, key, value);
          rows.put(key, value);
        }
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
                  : emptyRows();
          ScanRange range = ScanRange.between(from, to);
          assertThat(rows(store.scan(family, range))).isEqualTo(asText(expected));
          assertThat(rows(store.scan(family, range.reversed())))
              .isEqualTo(asText(expected.descendingMap()));
          assertThat(rows(store.scan(family, ScanRange.all()))).isEqualTo(asText(rows));
        });
  }

  @Test
  void scanShowsItsMoment() {
    put("rows", "a", "1");
    put("rows", "b", "1");
    try (StateIterator moment = store.scan("rows", ScanRange.all())) {
      assertThat(moment.next()).isTrue();
      put("rows", "b", "2");
      put("rows", "c", "2");
      store.commit(1);
      store.write(new WriteBatch().deleteRange("rows", bytes("a"), bytes("z")));
      assertThat(moment.next()).isTrue();
      assertThat(moment.value().toByteArray()).isEqualTo(bytes("1"));
      assertThat(moment.next()).isFalse();
    }
    store.rollback();
    assertThat(rows(store.scan("rows", ScanRange.all())))
        .containsExactly("61=31", "62=32", "63=32");
  }

  @Test
  void argumentsAreBorrowedAndResultsGivenAway() {
    byte[] key = bytes("k");
    byte[] value = bytes("v");
    WriteBatch batch = new WriteBatch().put("rows", key, value);
    key[0] = 'x';
    value[0] = 'x';
    store.write(batch);
    batch.clear();
    batch.put("rows", bytes("k"), bytes("w"));
    byte[] got = Objects.requireNonNull(store.get("rows", bytes("k")));
    assertThat(got).isEqualTo(bytes("v"));
    got[0] = 'x';
    byte[][] several = store.multiGet("rows", new byte[][] {bytes("k"), bytes("k"), bytes("l")});
    assertThat(several).isDeepEqualTo(new byte[][] {bytes("v"), bytes("v"), null});
    several[0][0] = 'x';
    assertThat(store.get("rows", bytes("k"))).isEqualTo(bytes("v"));
  }

  @Test
  void invalidCallsChangeNothing() {
    put("rows", "a", "1");
    store.commit(5);
    put("rows", "a", "2");
    WriteBatch bad = new WriteBatch().put("rows", bytes("a"), bytes("3"));
    bad.put("unknown", bytes("a"), bytes("3"));
    assertKind(Kind.INVALID, () -> store.write(bad), "unknown", "rows, timers");
    assertKind(Kind.INVALID, () -> store.get("unknown", bytes("a")), "unknown");
    assertKind(Kind.INVALID, () -> store.multiGet("unknown", new byte[0][]), "unknown");
    assertKind(Kind.INVALID, () -> store.scan("unknown", ScanRange.all()), "unknown");
    assertKind(Kind.INVALID, () -> store.get("rows", new byte[Limits.MAX_KEY_BYTES + 1]), "key of");
    assertKind(Kind.INVALID, () -> store.commit(5), "version 5");
    assertKind(Kind.INVALID, () -> store.commit(-1), "version 5");
    assertThat(store.get("rows", bytes("a"))).isEqualTo(bytes("2"));
    assertThat(store.version()).isEqualTo(5);
    // Used for an unknown column family once, but cleared since.
    bad.clear();
    store.write(bad.put("rows", bytes("a"), bytes("4")));
    assertThat(store.get("rows", bytes("a"))).isEqualTo(bytes("4"));
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
  }

  @Test
  void afterCloseEverythingIsClosed() {
    put("rows", "a", "1");
    StateIterator open = store.scan("rows", ScanRange.all());
    assertThat(open.next()).isTrue();
    store.close();
    store.close();
    assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
    assertKind(Kind.CLOSED, open::next);
    open.close();
    assertKind(Kind.CLOSED, store::version);
    assertKind(Kind.CLOSED, () -> store.get("rows", bytes("a")));
    assertKind(Kind.CLOSED, () -> store.multiGet("rows", new byte[0][]));
    assertKind(Kind.CLOSED, () -> store.scan("rows", ScanRange.all()));
    assertKind(Kind.CLOSED, () -> store.write(new WriteBatch()));
    assertKind(Kind.CLOSED, () -> store.commit(1));
    assertKind(Kind.CLOSED, store::rollback);
    assertKind(Kind.CLOSED, () -> store.exportSnapshot(new Rows(0)));
    assertKind(Kind.CLOSED, () -> store.importSnapshot(new Rows(0)));
    assertKind(Kind.CLOSED, store::metrics);
    assertThat(backend.memoryUsed()).isZero();
  }

  @Test
  void directoryIsOpenOnce() {
    ShardOptions same = new ShardOptions(directory.resolve("x").resolve("../shard"), FAMILIES);
    assertKind(Kind.INVALID, () -> backend.open(same), "open already");
    try (Backend other = new MemoryStateStoreProvider().start(BackendOptions.defaults())) {
      assertKind(Kind.INVALID, () -> other.open(same), "open already");
      store.close();
      other.open(same);
      assertKind(Kind.INVALID, () -> backend.open(same), "open already");
    }
    assertThat(backend.open(same).version()).isZero();
    assertThat(directory.resolve("shard")).doesNotExist();
  }

  @Test
  void backendClosesItsStores() {
    backend.close();
    backend.close();
    assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
    assertKind(
        Kind.CLOSED, () -> backend.open(new ShardOptions(directory.resolve("other"), FAMILIES)));
  }

  @Test
  void unknownOptionIsInvalid() {
    BackendOptions options = new BackendOptions(1 << 20, Map.of("cache", "1"));
    assertKind(Kind.INVALID, () -> new MemoryStateStoreProvider().start(options), "cache");
  }

  @Test
  void declaresWhatItCan() {
    assertThat(new MemoryStateStoreProvider().capabilities())
        .containsExactlyInAnyOrder(Capability.REVERSE_SCAN, Capability.DELETE_RANGE);
  }

  @Test
  void metricsCount() {
    put("rows", "a", "1");
    put("timers", "b", "1");
    store.get("rows", bytes("a"));
    store.multiGet("rows", new byte[][] {bytes("a"), bytes("b")});
    store.scan("rows", ScanRange.all()).close();
    Map<String, Long> metrics = store.metrics();
    assertThat(metrics)
        .containsEntry("gets", 3L)
        .containsEntry("scans", 1L)
        .containsEntry("writes", 2L)
        .containsEntry("rows.estimate", 2L)
        .containsEntry("uncommitted.bytes", 4 * SortedByteMap.arrayBytes(1));
    assertThat(metrics.get("memory.bytes")).isEqualTo(backend.memoryUsed()).isPositive();
    store.commit(1);
    assertThat(store.metrics()).containsEntry("uncommitted.bytes", 0L);
  }

  @Test
  void failedImportLeavesTheStoreAsItWas() {
    put("rows", "a", "1");
    store.commit(3);
    put("rows", "a", "2");
    Rows source =
        new Rows(9) {
          @Override
          public StateIterator rows(String columnFamily) {
            if (columnFamily.equals("timers")) {
              throw StateStoreException.unavailable("the network is gone", null);
            }
            return super.rows(columnFamily);
          }
        };
    source.content.put("rows", emptyRows());
    assertKind(Kind.UNAVAILABLE, () -> store.importSnapshot(source), "network");
    assertThat(store.version()).isEqualTo(3);
    assertThat(store.get("rows", bytes("a"))).isEqualTo(bytes("2"));
    store.rollback();
    assertThat(store.get("rows", bytes("a"))).isEqualTo(bytes("1"));
  }

  @Test
  void importReplacesEverythingAndMayGoBack() {
    put("rows", "a", "1");
    store.commit(3);
    Rows snapshot = new Rows(2);
    NavigableMap<byte[], byte[]> rows = emptyRows();
    rows.put(bytes("b"), bytes("2"));
    snapshot.content.put("rows", rows);
    store.importSnapshot(snapshot);
    assertThat(store.version()).isEqualTo(2);
    assertThat(rows(store.scan("rows", ScanRange.all()))).containsExactly("62=32");
    store.rollback();
    assertThat(rows(store.scan("rows", ScanRange.all()))).containsExactly("62=32");
  }

  /** Every batch gives all rows of a block the same value: no reader may see two. */
  @Test
  void readersSeeWholeBatchesBesideAWriter() throws Exception {
    int block = 50;
    WriteBatch batch = new WriteBatch();
    writeBlock(batch, block, 0);
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
      for (int n = 1; n <= 3000; n++) {
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
      batch.put("rows", bytes("key" + (100 + i)), bytes("" + n));
    }
    store.write(batch);
  }

  private List<String> scanBlock() {
    List<String> values = new ArrayList<>();
    try (StateIterator rows = store.scan("rows", ScanRange.prefix(bytes("key")))) {
      while (rows.next()) {
        values.add(rows.value().toString());
      }
    }
    return values;
  }

  private List<String> getBlock(int block) {
    byte[][] keys = new byte[block][];
    Arrays.setAll(keys, i -> bytes("key" + (100 + i)));
    return Arrays.stream(store.multiGet("rows", keys)).map(v -> new String(v, UTF_8)).toList();
  }

  /** Rows of all column families in order, as a snapshot to write to and to read from. */
  private static class Rows implements SnapshotWriter, SnapshotReader {
    final Map<String, NavigableMap<byte[], byte[]>> content = new LinkedHashMap<>();
    final long version;

    Rows(long version) {
      this.version = version;
    }

    @Override
    public boolean reuse(String fileId) {
      throw new AssertionError("no files here");
    }

    @Override
    public void addFile(SnapshotFile file) {
      throw new AssertionError("no files here");
    }

    @Override
    public void addRows(String columnFamily, StateIterator rows) {
      NavigableMap<byte[], byte[]> copy = emptyRows();
      while (rows.next()) {
        copy.put(rows.key().toByteArray(), rows.value().toByteArray());
      }
      assertThat(content.put(columnFamily, copy)).isNull();
    }

    @Override
    public long version() {
      return version;
    }

    @Override
    public StateIterator rows(String columnFamily) {
      SortedByteMap map = new SortedByteMap();
      content.getOrDefault(columnFamily, emptyRows()).forEach(map::put);
      return map.freeze().scan(ScanRange.all());
    }

    @Override
    public List<SnapshotFile> files(Path directory) {
      throw new AssertionError("no files here");
    }

    Map<String, List<String>> asText() {
      return contentAsText(content);
    }
  }

  private void put(String columnFamily, String key, String value) {
    store.write(new WriteBatch().put(columnFamily, bytes(key), bytes(value)));
  }

  private static List<String> rows(StateIterator rows) {
    List<String> text = new ArrayList<>();
    try (rows) {
      while (rows.next()) {
        text.add(hex(rows.key().toByteArray()) + "=" + hex(rows.value().toByteArray()));
      }
    }
    return text;
  }

  private static List<String> asText(Map<byte[], byte[]> rows) {
    List<String> text = new ArrayList<>();
    rows.forEach((key, value) -> text.add(hex(key) + "=" + hex(value)));
    return text;
  }

  private static Map<String, List<String>> contentAsText(
      Map<String, ? extends Map<byte[], byte[]>> content) {
    Map<String, List<String>> text = new HashMap<>();
    content.forEach(
        (family, rows) -> {
          if (!rows.isEmpty()) {
            text.put(family, asText(rows));
          }
        });
    return text;
  }

  private static Map<String, NavigableMap<byte[], byte[]>> emptyModel() {
    Map<String, NavigableMap<byte[], byte[]>> model = new HashMap<>();
    FAMILIES.forEach(family -> model.put(family.name(), emptyRows()));
    return model;
  }

  private static Map<String, NavigableMap<byte[], byte[]>> copyOf(
      Map<String, NavigableMap<byte[], byte[]>> model) {
    Map<String, NavigableMap<byte[], byte[]>> copy = emptyModel();
    copy.forEach((family, rows) -> rows.putAll(model.getOrDefault(family, emptyRows())));
    return copy;
  }

  private static NavigableMap<byte[], byte[]> emptyRows() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  private static byte[] key(Random random, int keySpace) {
    byte[] key = Integer.toString(random.nextInt(keySpace), 5).getBytes(UTF_8);
    if (random.nextInt(4) == 0) {
      key[0] ^= (byte) 0x80;
    }
    return random.nextInt(keySpace) == 0 ? new byte[0] : key;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String hex(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(bytes);
  }

  private static void assertKind(Kind kind, Runnable call, String... words) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(kind);
              for (String word : words) {
                assertThat(e.getMessage()).contains(word);
              }
            });
  }
}
