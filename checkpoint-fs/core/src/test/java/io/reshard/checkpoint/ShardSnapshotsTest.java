package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.memory.MemoryStateStoreProvider;
import io.reshard.rocksdb.RocksDbStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.StateStoreProvider;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryType;
import io.reshard.sst.RangeDeletion;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullUnmarked
class ShardSnapshotsTest {
  private static final ColumnFamily DEFAULT = ColumnFamily.hashed("default");
  private static final List<ColumnFamily> FAMILIES = List.of(DEFAULT, ColumnFamily.ordered("raw"));
  private static final Layout LAYOUT = Layout.slots(2);

  @TempDir Path directory;
  private CheckpointStore store;
  private ShardSnapshots snapshots;

  @BeforeEach
  void create() {
    store = CheckpointStore.create(ObjectStores.open(directory.resolve("store")));
    snapshots = new ShardSnapshots(store, LAYOUT, 1, FAMILIES);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private List<String> files() {
    return store.objects().list("files/", "", 1000).stream().map(ObjectInfo::name).toList();
  }

  private long fileBytes() {
    return store.objects().list("files/", "", 1000).stream().mapToLong(ObjectInfo::size).sum();
  }

  // A backend of the test's own.

  /** A shard that exports and imports what the test says, and can do nothing else. */
  private static ShardStore shard(
      Consumer<SnapshotWriter> export, Consumer<SnapshotReader> restore) {
    return (ShardStore)
        Proxy.newProxyInstance(
            ShardStore.class.getClassLoader(),
            new Class<?>[] {ShardStore.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "exportSnapshot" -> export.accept((SnapshotWriter) arguments[0]);
                case "importSnapshot" -> restore.accept((SnapshotReader) arguments[0]);
                default -> throw new AssertionError(method);
              }
              return null;
            });
  }

  private static ShardStore exporting(Consumer<SnapshotWriter> export) {
    return shard(export, reader -> {});
  }

  private SnapshotFile sst(
      String id, int level, long sequence, int n, int firstSlot, int lastSlot) {
    Path path = directory.resolve(id + ".sst");
    byte[] first = null;
    byte[] last = null;
    byte[] value = new byte[100];
    Random random = new Random(n);
    try (OutputStream out = Files.newOutputStream(path);
        SstWriter writer = SstWriter.create(id, out, SstWriterOptions.defaults("default"))) {
      for (int i = 0; i < n; i++) {
        int slot = firstSlot + (int) ((long) i * (lastSlot - firstSlot) / Math.max(1, n - 1));
        byte[] key = {
          (byte) (slot >>> 8), (byte) slot, (byte) (i >>> 16), (byte) (i >>> 8), (byte) i
        };
        random.nextBytes(value);
        writer.add(new ByteView(key), sequence, EntryType.PUT, new ByteView(value));
        first = first == null ? key : first;
        last = key;
      }
      writer.finish();
      return new SnapshotFile(
          id, "default", path, Files.size(path), level, first, last, sequence, sequence);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<FileRef> export(Consumer<SnapshotWriter> export) {
    try (Upload upload = store.upload(store.origin(LAYOUT, FAMILIES))) {
      List<FileHandle> handles = snapshots.export(exporting(export), upload);
      upload.flush();
      snapshots.published();
      return handles.stream().map(FileHandle::ref).toList();
    }
  }

  /** They act on other files, and nothing in a store looks there: none may ever come in. */
  @Test
  void rangeDeletionsAndMergeOperandsAreRefused() throws IOException {
    byte[] first = {(byte) 0x90, 0, 1};
    for (int entries : new int[] {0, 1, 2}) {
      for (int lastSlot : new int[] {0x9000, 0xffff}) {
        for (boolean merge : new boolean[] {false, true}) {
          if (merge && entries == 0) {
            continue;
          }
          Path path = directory.resolve("ranges.sst");
          byte[] last = {(byte) (lastSlot >>> 8), (byte) lastSlot, 2};
          try (OutputStream out = Files.newOutputStream(path);
              SstWriter writer = SstWriter.create("r", out, SstWriterOptions.defaults("default"))) {
            for (int i = 0; i < entries; i++) {
              writer.add(
                  new ByteView(i == 0 ? first : last),
                  7,
                  merge ? EntryType.MERGE : EntryType.PUT,
                  new ByteView(new byte[0]));
            }
            if (!merge) {
              writer.add(new RangeDeletion(first, last, 7 + entries));
            }
            writer.finish();
          }
          SnapshotFile file =
              new SnapshotFile(
                  "ranges", "default", path, Files.size(path), 0, first, last, 7, 7 + entries);
          assertThatThrownBy(() -> export(writer -> writer.addFile(file)))
              .as("%s entries up to slot %s, merge %s", entries, lastSlot, merge)
              .isInstanceOfSatisfying(
                  StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INCOMPATIBLE))
              .hasMessageContaining("compact");
          assertThat(files()).isEmpty();
        }
      }
    }
  }

  @Test
  void aSoundFileThatIsNotTheRightOneIsNotRestored() throws IOException {
    FileRef right = export(w -> w.addFile(sst("right", 0, 7, 40_000, 40_000, 40_100))).get(0);
    // As long and as sound, with other sequence numbers.
    FileRef wrong = export(w -> w.addFile(sst("wrong", 0, 8, 40_000, 40_000, 40_100))).get(0);
    assertThat(wrong.length()).isEqualTo(right.length());
    Path root = directory.resolve("store");
    Files.delete(root.resolve(right.object()));
    Files.copy(root.resolve(wrong.object()), root.resolve(right.object()));
    for (StateStoreProvider provider :
        List.of(new MemoryStateStoreProvider(), new RocksDbStateStoreProvider())) {
      try (Backend backend = provider.start(BackendOptions.defaults());
          ShardStore shard =
              backend.open(new ShardOptions(directory.resolve(provider.name()), FAMILIES))) {
        assertThatThrownBy(() -> snapshots.restore(shard, List.of(right), 1))
            .isInstanceOfSatisfying(
                StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT))
            .hasMessageContaining(right.object());
      }
    }
  }

  @Test
  void aFileThatFitsIsLinkedAsItIs() throws IOException {
    SnapshotFile file = sst("a", 3, 17, 1000, 33_000, 35_000);
    List<FileRef> refs = export(writer -> writer.addFile(file));
    assertThat(refs).hasSize(1);
    FileRef ref = refs.get(0);
    assertThat(ref.level()).isEqualTo(3);
    assertThat(ref.smallestSequence()).isEqualTo(17);
    assertThat(ref.firstSlot()).isEqualTo(33_000);
    assertThat(ref.entries()).isEqualTo(1000);
    byte[] bytes = Files.readAllBytes(file.path());
    assertThat(ref.sha256()).isEqualTo(Sha256.of(bytes, 0, bytes.length));
  }

  @Test
  void aFileThatStraddlesIsSplitWhereFilesEndAndExportedOnce() {
    SnapshotFile file = sst("a", 2, 17, 20_000, 32_768, 65_535);
    assertThat(file.size()).isGreaterThan(1 << 20);
    List<FileRef> pieces = export(writer -> writer.addFile(file));
    assertThat(pieces).hasSize(8);
    SetDigest sum = new SetDigest();
    for (FileRef piece : pieces) {
      assertThat(piece.firstSlot() / 4096).isEqualTo(piece.lastSlot() / 4096);
      assertThat(piece.level()).isEqualTo(2);
      assertThat(piece.largestSequence()).isEqualTo(17);
      sum.add(piece.digest());
    }
    assertThat(sum.count()).isEqualTo(20_000);
    List<String> objects = files();
    List<FileRef> again =
        export(
            writer -> {
              assertThat(writer.reuse("b")).isFalse();
              assertThat(writer.reuse("a", 5)).isTrue();
            });
    assertThat(files()).isEqualTo(objects);
    assertThat(again).extracting(FileRef::sha256).isEqualTo(sha256(pieces));
    assertThat(again).allSatisfy(piece -> assertThat(piece.level()).isEqualTo(5));
    export(writer -> {});
    export(writer -> assertThat(writer.reuse("a")).isFalse()); // No longer part of the shard.
  }

  private static List<String> sha256(List<FileRef> files) {
    return files.stream().map(FileRef::sha256).toList();
  }

  @Test
  void restoredFilesGoOutUnderTheIdsTheyCameInBy() {
    SnapshotFile file = sst("a", 2, 17, 20_000, 32_768, 65_535);
    List<FileRef> pieces = export(writer -> writer.addFile(file));
    ShardSnapshots restored = new ShardSnapshots(store, LAYOUT, 1, FAMILIES);
    List<SnapshotFile> imported = new ArrayList<>();
    restored.restore(
        shard(
            writer -> {},
            reader -> {
              assertThat(reader.version()).isEqualTo(9);
              imported.addAll(reader.files(directory));
              int rows = 0;
              try (var iterator = reader.rows("default")) {
                while (iterator.next()) {
                  rows++;
                }
              }
              assertThat(rows).isEqualTo(20_000);
            }),
        pieces,
        9);
    assertThat(imported).hasSize(8);
    assertThat(imported.stream().map(SnapshotFile::path).distinct()).hasSize(8);
    for (int i = 0; i < 8; i++) {
      assertThat(imported.get(i).path()).hasSize(pieces.get(i).length());
      assertThat(imported.get(i).level()).isEqualTo(2);
    }
    snapshots = restored;
    List<FileRef> again =
        export(writer -> imported.forEach(f -> assertThat(writer.reuse(f.id())).isTrue()));
    assertThat(again).isEqualTo(pieces);
  }

  @Test
  void anIngestedFileGetsTheSequenceNumberItCountsWith() {
    SnapshotFile written = sst("a", 0, 0, 100, 33_000, 33_001);
    SnapshotFile ingested =
        new SnapshotFile(
            "a",
            "default",
            written.path(),
            written.size(),
            0,
            written.smallestKey(),
            written.largestKey(),
            25,
            25);
    FileRef ref = export(writer -> writer.addFile(ingested)).get(0);
    assertThat(ref.smallestSequence()).isEqualTo(25);
    assertThat(ref.largestSequence()).isEqualTo(25);
    assertThat(ref.entries()).isEqualTo(100);
  }

  @Test
  void rowsOutOfOrderAndMisusesAreInvalid() {
    byte[] low = {(byte) 0x90, 0};
    byte[] high = {(byte) 0x91, 0};
    assertKind(
        Kind.INVALID,
        () -> export(writer -> writer.addRows("default", rows(high, low))),
        "ascending");
    assertKind(Kind.INVALID, () -> export(writer -> writer.addRows("default", rows(low, low))), "");
    assertKind(
        Kind.INVALID, () -> export(writer -> writer.addRows("none", rows(low))), "default, raw");
    SnapshotFile file = sst("a", 2, 17, 10, 33_000, 33_001);
    assertKind(
        Kind.INVALID,
        () ->
            export(
                writer -> {
                  writer.addFile(file);
                  writer.addFile(file);
                }),
        "twice");
    assertKind(Kind.INVALID, snapshots::published, "not exported");
  }

  private static RowsOf rows(byte[]... keys) {
    return new RowsOf(keys);
  }

  private static final class RowsOf implements io.reshard.spi.StateIterator {
    private final byte[][] keys;
    private int at = -1;

    RowsOf(byte[][] keys) {
      this.keys = keys;
    }

    @Override
    public boolean next() {
      return ++at < keys.length;
    }

    @Override
    public ByteView key() {
      return new ByteView(keys[at]);
    }

    @Override
    public ByteView value() {
      return new ByteView(bytes("v"));
    }

    @Override
    public void close() {}
  }

  @Test
  void mergeOperandsAreIncompatible() throws IOException {
    Path path = directory.resolve("m.sst");
    byte[] key = {(byte) 0x90, 0, 1};
    try (OutputStream out = Files.newOutputStream(path);
        SstWriter writer = SstWriter.create("m", out, SstWriterOptions.defaults("default"))) {
      writer.add(new ByteView(key), 1, EntryType.MERGE, new ByteView(bytes("x")));
      writer.finish();
    }
    SnapshotFile file = new SnapshotFile("m", "default", path, Files.size(path), 0, key, key, 1, 1);
    assertKind(Kind.INCOMPATIBLE, () -> export(writer -> writer.addFile(file)), "merge operand");
  }

  @Test
  void aDamagedFileIsNotExported() throws IOException {
    SnapshotFile file = sst("a", 2, 17, 1000, 33_000, 35_000);
    byte[] bytes = Files.readAllBytes(file.path());
    bytes[bytes.length / 2] ^= 4;
    Files.write(file.path(), bytes);
    assertKind(Kind.CORRUPT, () -> export(writer -> writer.addFile(file)), "");
  }

  @Test
  void filesOfAnotherShardAreNotRestored() {
    List<FileRef> refs = export(writer -> writer.addFile(sst("a", 2, 1, 10, 33_000, 34_000)));
    ShardSnapshots other = new ShardSnapshots(store, LAYOUT, 0, FAMILIES);
    assertKind(
        Kind.CORRUPT, () -> other.restore(exporting(writer -> {}), refs, 1), "slots 0 to 32767");
  }

  // Real backends.

  private KeyedStore open(StateStoreProvider provider, Backend backend) {
    Path local = directory.resolve("local-" + provider.name());
    long newest = store.latestVersion();
    return newest == 0
        ? KeyedStore.create(store, backend, provider.name(), local, LAYOUT, FAMILIES)
        : KeyedStore.open(store, backend, provider.name(), local, newest);
  }

  @Test
  void anUnchangedFileIsNeverSentTwice() {
    StateStoreProvider provider = new RocksDbStateStoreProvider();
    try (Backend backend = provider.start(BackendOptions.defaults())) {
      try (KeyedStore keyed = open(provider, backend)) {
        put(keyed, 0, 5000, "first");
        keyed.commit(Map.of());
        long before = fileBytes();
        List<FileRef> old = store.files(store.manifest(1), 0);
        put(keyed, 0, 1, "second");
        Manifest second = keyed.commit(Map.of());
        assertThat(fileBytes() - before).isLessThan(5000);
        int shard = keyed.shardOf("default", key(0));
        assertThat(sha256(store.files(second, shard)))
            .containsAll(sha256(store.files(store.manifest(1), shard)));
        assertThat(old).isNotEmpty();
      }
      try (KeyedStore keyed = open(provider, backend)) {
        long before = fileBytes();
        put(keyed, 1, 2, "third");
        Manifest third = keyed.commit(Map.of());
        assertThat(fileBytes() - before).isLessThan(5000);
        int shard = keyed.shardOf("default", key(1));
        assertThat(sha256(store.files(third, shard)))
            .containsAll(sha256(store.files(store.manifest(2), shard)));
        StoreVerifier.Report report = StoreVerifier.verify(store, third, 2, found -> {});
        assertThat(report.rows().count()).isEqualTo(5000);
        assertThat(report.shards().stream().mapToLong(s -> s.entries().count()).sum())
            .isEqualTo(5002);
      }
    }
  }

  @Test
  void aSnapshotOfOneBackendIsRestoredInAnother() {
    SetDigest rows = null;
    List<StateStoreProvider> providers =
        List.of(
            new RocksDbStateStoreProvider(),
            new MemoryStateStoreProvider(),
            new RocksDbStateStoreProvider());
    for (int i = 0; i < providers.size(); i++) {
      StateStoreProvider provider = providers.get(i);
      try (Backend backend = provider.start(BackendOptions.defaults());
          KeyedStore keyed = open(provider, backend)) {
        for (int k = 0; k < i * 300; k++) {
          assertThat(keyed.get("default", key(k))).isEqualTo(bytes("backend" + k / 300 + ":" + k));
        }
        put(keyed, i * 300, i * 300 + 300, "backend" + i);
        Manifest manifest = keyed.commit(Map.of());
        assertThat(manifest.backend()).isEqualTo(provider.name());
        rows = StoreVerifier.verify(store, manifest, 2, shard -> {}).rows();
      }
    }
    SetDigest expected = new SetDigest();
    for (int k = 0; k < 900; k++) {
      expected.add(
          "default", new ByteView(key(k)), 0, new ByteView(bytes("backend" + k / 300 + ":" + k)));
    }
    assertThat(rows).isEqualTo(expected);
  }

  private static byte[] key(int k) {
    return bytes("key" + k);
  }

  private static void put(KeyedStore keyed, int from, int to, String value) {
    for (int k = from; k < to; k++) {
      keyed.put("default", key(k), bytes(value + ":" + k));
    }
  }

  @Test
  void aCursorOverLevelsMergesThem() {
    List<FileRef> files = new ArrayList<>();
    files.addAll(export(writer -> writer.addFile(sst("old", 6, 1, 100, 33_000, 33_100))));
    files.addAll(export(writer -> writer.addFile(sst("new", 0, 2, 100, 33_000, 33_100))));
    files.addAll(export(writer -> writer.addFile(sst("far", 0, 3, 50, 40_000, 40_100))));
    assertThat(ShardEntries.runs(files)).hasSize(2); // "new" and "far" one after another.
    int rows = 0;
    try (var iterator = Cursors.rows(store.entries(files, "default"))) {
      while (iterator.next()) {
        rows++;
      }
    }
    assertThat(rows).isEqualTo(150);
    assertThat(store.entries(files, "raw").next()).isFalse();
  }

  @Test
  void theOldestFilesSinkAtImport() {
    List<FileRef> files = new ArrayList<>();
    files.addAll(export(writer -> writer.addFile(sst("a", 0, 1, 10, 33_000, 34_000))));
    files.addAll(export(writer -> writer.addFile(sst("b", 0, 1, 10, 35_000, 36_000))));
    files.addAll(export(writer -> writer.addFile(sst("c", 0, 2, 10, 33_500, 33_600))));
    files.addAll(export(writer -> writer.addFile(sst("d", 0, 3, 10, 33_550, 35_500))));
    files.addAll(export(writer -> writer.addFile(sst("e", 0, 4, 10, 36_500, 36_600))));
    files.addAll(export(writer -> writer.addFile(sst("f", 0, 5, 10, 34_500, 34_600))));
    assertThat(ImportLevels.of(files)).containsExactly(6, 6, 0, 0, 6, 0);
    List<FileRef> below = export(writer -> writer.addFile(sst("g", 4, 0, 10, 33_200, 33_300)));
    files.addAll(below);
    assertThat(ImportLevels.of(files)).containsExactly(0, 4, 0, 0, 4, 0, 4);
    files.addAll(export(writer -> writer.addFile(sst("h", 3, 0, 10, 36_510, 36_520))));
    assertThat(ImportLevels.of(files)).containsExactly(0, 4, 0, 0, 0, 0, 4, 3);
    // Neither is older throughout.
    List<FileRef> mixed = new ArrayList<>();
    mixed.addAll(export(writer -> writer.addFile(sst("i", 0, 7, 10, 33_000, 34_000))));
    mixed.addAll(export(writer -> writer.addFile(sst("j", 0, 7, 11, 33_500, 34_500))));
    assertThat(ImportLevels.of(mixed)).containsExactly(0, 0);
  }

  private static void assertKind(Kind kind, Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).as("%s", e).isEqualTo(kind))
        .hasMessageContaining(message);
  }
}
