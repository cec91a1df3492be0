package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.expected;
import static io.reshard.checkpoint.Rows.publish;
import static io.reshard.checkpoint.Rows.read;
import static io.reshard.checkpoint.Rows.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.testing.MemoryObjectStore;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullUnmarked
class CheckpointStoreTest {
  private static final Layout LAYOUT = Layout.slots(4);
  private static final ColumnFamily DEFAULT = ColumnFamily.hashed("default");

  @TempDir Path directory;
  private Path root;
  private CheckpointStore store;

  @BeforeEach
  void create() {
    root = directory.resolve("store");
    store = CheckpointStore.create(ObjectStores.open(root));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private CheckpointStore reopened() {
    store.close();
    store = CheckpointStore.open(ObjectStores.open(root));
    return store;
  }

  private List<String> objects(String prefix) {
    return store.objects().list(prefix, "", 10_000).stream().map(ObjectInfo::name).toList();
  }

  @Test
  void anEmptyStoreHasNoVersion() {
    assertThat(store.versions()).isEmpty();
    assertThat(store.latestVersion()).isZero();
    assertKind(Kind.INVALID, () -> store.manifest(1), "none yet");
    assertKind(Kind.INVALID, () -> store.manifest(0), "none yet");
  }

  @Test
  void aVersionIsReadBackByAnyone() {
    Manifest published = publish(store, LAYOUT, "k", 1000, "v");
    assertThat(published.version()).isEqualTo(1);
    assertThat(published.entries()).isEqualTo(1000);
    reopened();
    assertThat(store.storeId()).isEqualTo(published.storeId());
    assertThat(store.versions()).containsExactly(1L);
    assertThat(store.manifest(1)).isEqualTo(published);
    assertThat(read(store, published, "default")).isEqualTo(expected("k", 1000, "v"));
  }

  @Test
  void aCommitIsAHandfulOfObjects() {
    publish(store, Layout.slots(200), "k", 5000, "v");
    assertThat(objects("")).hasSize(4); // store.json, one manifest, one list object, one pack
    assertThat(objects("files/")).singleElement().asString().endsWith(".pack");
  }

  @Test
  void unchangedShardsKeepTheirListsAndFilesAreSentOnce() {
    Manifest first = publish(store, LAYOUT, "k", 1000, "v");
    List<String> files = objects("files/");
    Manifest second = publish(store, LAYOUT, "k", 1000, "v");
    assertThat(second.version()).isEqualTo(2);
    assertThat(second.shards()).isEqualTo(first.shards());
    assertThat(objects("files/")).isEqualTo(files);
    assertThat(objects("shards/")).hasSize(1);
  }

  @Test
  void contentThatOnlyLiesThereIsSentAgain() {
    publish(store, LAYOUT, "k", 1000, "v");
    publish(store, LAYOUT, "k", 1000, "w");
    assertThat(objects("files/")).hasSize(2);
    Manifest third = publish(store, LAYOUT, "k", 1000, "v");
    assertThat(objects("files/")).hasSize(3);
    assertThat(read(store, third, "default")).isEqualTo(expected("k", 1000, "v"));
  }

  @Test
  void largeFilesAreObjectsOfTheirOwn() throws IOException {
    try (Upload upload = store.upload(store.origin(Layout.slots(1), List.of(DEFAULT)))) {
      Path file = upload.directory().resolve("big");
      try (OutputStream out = Files.newOutputStream(file);
          SstWriter writer = SstWriter.create("big", out, SstWriterOptions.defaults("default"))) {
        byte[] noise = new byte[100];
        Random random = new Random(3);
        for (int i = 100_000; i < 120_000; i++) {
          random.nextBytes(noise);
          writer.add(new ByteView(Rows.bytes("00" + i)), 7, EntryType.PUT, new ByteView(noise));
        }
        writer.finish();
      }
      FileHandle handle = upload.add(file, "default", 3, 2);
      upload.flush();
      assertThat(handle.length()).isGreaterThan(StoreUpload.PACK_BELOW);
      assertThat(handle.ref().object()).endsWith(handle.ref().sha256() + ".sst");
      assertThat(handle.ref().level()).isEqualTo(3);
      assertThat(handle.ref().smallestSequence()).isEqualTo(7);
      assertThat(file).doesNotExist();
      store.verifyContent(handle.ref());
    }
  }

  @Test
  void aHandleOnItsWayHasNoReference() {
    try (Upload upload = store.upload(store.origin(LAYOUT, List.of(DEFAULT)))) {
      FileHandle handle = write(upload, LAYOUT, DEFAULT, "k", 10, "v").get(1).get(0);
      assertKind(Kind.INVALID, handle::ref, "flush");
      upload.flush();
      assertThat(handle.ref().digest()).isEqualTo(handle.digest());
      assertThat(handle.ref().length()).isEqualTo(handle.length());
      store.verifyContent(handle.ref());
    }
  }

  @Test
  void uploadsLeaveNothingOnLocalDisk() {
    publish(store, LAYOUT, "k", 100, "v");
    assertThat(store.objects().stagingDirectory()).isEmptyDirectory();
  }

  @Test
  void ofConcurrentWritersOneWinsAndTheOthersAreFenced() throws Exception {
    publish(store, LAYOUT, "k", 10, "v");
    int writers = 6;
    ExecutorService pool = Executors.newFixedThreadPool(writers);
    List<Callable<Manifest>> commits = new ArrayList<>();
    for (int w = 0; w < writers; w++) {
      String value = "writer" + w + "-";
      CheckpointStore own = CheckpointStore.open(ObjectStores.open(root));
      Manifest parent = own.manifest(1);
      commits.add(
          () -> {
            try (own;
                Upload upload = own.upload(parent)) {
              return own.publish(
                  upload,
                  parent,
                  Manifest.Operation.COMMIT,
                  "test",
                  LAYOUT,
                  write(upload, LAYOUT, DEFAULT, "k", 20, value),
                  Map.of("value", value));
            }
          });
    }
    List<Manifest> won = new ArrayList<>();
    for (Future<Manifest> commit : pool.invokeAll(commits)) {
      try {
        won.add(commit.get());
      } catch (java.util.concurrent.ExecutionException e) {
        assertThat(e.getCause())
            .isInstanceOfSatisfying(
                StateStoreException.class, f -> assertThat(f.kind()).isEqualTo(Kind.FENCED))
            .hasMessageContaining("another writer");
      }
    }
    pool.shutdown();
    assertThat(won).hasSize(1);
    assertThat(store.versions()).containsExactly(1L, 2L);
    Manifest winner = store.manifest(2);
    assertThat(winner).isEqualTo(won.get(0));
    String value = winner.properties().get("value");
    assertThat(read(store, winner, "default")).isEqualTo(expected("k", 20, value));
  }

  @Test
  void publishingAgainWithTheSameUploadIsNoSecondVersion() {
    Manifest parent = store.origin(LAYOUT, List.of(DEFAULT));
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 20, "v");
      Manifest first =
          store.publish(
              upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of());
      Manifest again =
          store.publish(
              upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of());
      assertThat(again).isEqualTo(first);
      assertThat(store.versions()).containsExactly(1L);
    }
  }

  @Test
  void rollbackCuresADamagedNewestManifest() throws IOException {
    publish(store, LAYOUT, "k", 100, "v");
    publish(store, LAYOUT, "k", 100, "w");
    Path newest = root.resolve(StoreNames.manifest(2));
    byte[] bytes = Files.readAllBytes(newest);
    bytes[bytes.length / 2] ^= 1;
    Files.write(newest, bytes);
    reopened();
    assertKind(Kind.CORRUPT, () -> store.manifest(2), "00002.json");
    Manifest back = store.rollback(1);
    assertThat(back.version()).isEqualTo(3);
    assertThat(read(store, back, "default")).isEqualTo(expected("k", 100, "v"));
    assertThat(publish(store, LAYOUT, "k", 100, "x").version()).isEqualTo(4);
  }

  @Test
  void rollbackPublishesAnEarlierContent() {
    Manifest first = publish(store, LAYOUT, "k", 100, "v");
    publish(store, LAYOUT, "k", 100, "w");
    List<String> before = objects("files/");
    Manifest back = store.rollback(1);
    assertThat(back.version()).isEqualTo(3);
    assertThat(back.parent()).isEqualTo(2);
    assertThat(back.operation()).isEqualTo(Manifest.Operation.ROLLBACK);
    assertThat(back.shards()).isEqualTo(first.shards());
    assertThat(objects("files/")).isEqualTo(before);
    assertThat(read(reopened(), store.manifest(3), "default")).isEqualTo(expected("k", 100, "v"));
    assertKind(Kind.INVALID, () -> store.rollback(3), "newest");
    assertKind(Kind.INVALID, () -> store.rollback(9), "no version 9");
  }

  @Test
  void filesOfAnotherShardAreRefused() {
    Manifest parent = store.origin(LAYOUT, List.of(DEFAULT));
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards =
          new ArrayList<>(write(upload, LAYOUT, DEFAULT, "k", 100, "v"));
      java.util.Collections.swap(shards, 1, 2);
      assertKind(
          Kind.INVALID,
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of()),
          "slots");
    }
    assertThat(store.versions()).isEmpty();
  }

  @Test
  void overlappingFilesOfALevelAreRefused() {
    Manifest parent = store.origin(LAYOUT, List.of(DEFAULT));
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> one = write(upload, LAYOUT, DEFAULT, "k", 100, "v");
      List<List<FileHandle>> two = write(upload, LAYOUT, DEFAULT, "l", 100, "v");
      List<List<FileHandle>> both = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        List<FileHandle> shard = new ArrayList<>(one.get(i));
        shard.addAll(two.get(i));
        both.add(shard);
      }
      assertKind(
          Kind.INVALID,
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, both, Map.of()),
          "overlaps");
    }
  }

  @Test
  void neighboursOfALevelMayShareAKey() {
    Layout layout = Layout.modulo(1);
    Manifest parent = store.origin(layout, List.of(DEFAULT));
    try (Upload upload = store.upload(parent)) {
      List<FileHandle> files = new ArrayList<>();
      files.addAll(levelSix(upload, layout, 8, "m", "z"));
      files.addAll(levelSix(upload, layout, 9, "m"));
      files.addAll(levelSix(upload, layout, 10, "a", "m"));
      Manifest published =
          store.publish(
              upload, parent, Manifest.Operation.COMMIT, "test", layout, List.of(files), Map.of());
      List<String> entries = new ArrayList<>();
      try (EntryCursor cursor = store.entries(store.files(published, 0), DEFAULT.name())) {
        while (cursor.next()) {
          entries.add(cursor.key() + "@" + cursor.sequence());
        }
      }
      assertThat(entries).containsExactly("\"a\"@10", "\"m\"@10", "\"m\"@9", "\"m\"@8", "\"z\"@8");
    }
  }

  private static List<FileHandle> levelSix(
      Upload upload, Layout layout, long sequence, String... keys) {
    try (ShardFileWriter writer = new ShardFileWriter(upload, layout, DEFAULT, 6)) {
      for (String key : keys) {
        ByteView bytes = new ByteView(key.getBytes(StandardCharsets.US_ASCII));
        writer.add(bytes, sequence, EntryType.PUT, bytes);
      }
      return writer.finish();
    }
  }

  @Test
  void somethingElseIsNoStore() throws IOException {
    ObjectStore elsewhere = ObjectStores.open(directory.resolve("elsewhere"));
    assertKind(Kind.INVALID, () -> CheckpointStore.open(elsewhere), "no store");
    assertKind(Kind.INVALID, () -> CheckpointStore.create(ObjectStores.open(root)), "store.json");
    Files.createDirectories(directory.resolve("other"));
    Files.writeString(directory.resolve("other/file"), "x");
    assertKind(
        Kind.INVALID,
        () -> CheckpointStore.create(ObjectStores.open(directory.resolve("other"))),
        "file");
  }

  @Test
  void jobResultsAreKeptReplacedAndForgotten() {
    Manifest parent = publish(store, LAYOUT, "k", 100, "v");
    assertThat(store.jobResult("job", "task")).isEmpty();
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "m", 100, "v");
      upload.flush();
      SortedMap<Integer, List<FileRef>> files = new TreeMap<>();
      files.put(3, shards.get(3).stream().map(FileHandle::ref).toList());
      files.put(0, shards.get(0).stream().map(FileHandle::ref).toList());
      JobResult result = new JobResult(files, Map.of("rows", "17"));
      store.putJobResult("job", "task-1", new JobResult(new TreeMap<>(), Map.of()));
      store.putJobResult("job", "task-1", result);
      store.putJobResult("job", "task-2", result);
      assertThat(reopened().jobResult("job", "task-1")).contains(result);
      store.objects().delete(shards.get(0).get(0).ref().object());
      assertThat(store.jobResult("job", "task-1")).isEmpty();
    }
    store.deleteJob("job");
    assertThat(objects("jobs/")).isEmpty();
    for (String name : List.of("", "..", "a/b", "x".repeat(65))) {
      assertKind(Kind.INVALID, () -> store.jobResult(name, "t"), "job");
      assertKind(Kind.INVALID, () -> store.jobResult("j", name), "task");
    }
  }

  @Test
  void aFlippedBitInAnyByteIsFound() {
    MemoryObjectStore memory =
        new MemoryObjectStore(directory.resolve("staging"), InstantSource.system());
    CheckpointStore writer = CheckpointStore.create(memory.client());
    Manifest manifest = publish(writer, Layout.slots(1), "k", 8, "v");
    ShardRef list = manifest.shards().get(0);
    FileRef file = writer.files(manifest, 0).get(0);
    Consumer<CheckpointStore> read = reader -> reader.files(reader.manifest(1), 0);
    assertEveryFlipIsCorrupt(memory, "store.json", read);
    assertEveryFlipIsCorrupt(memory, StoreNames.manifest(1), read);
    assertEveryFlipIsCorrupt(memory, list.object(), read);
    assertEveryFlipIsCorrupt(memory, file.object(), reader -> reader.verifyContent(file));
  }

  /** Each by a reader of its own: what was read before may be cached. */
  private static void assertEveryFlipIsCorrupt(
      MemoryObjectStore memory, String object, Consumer<CheckpointStore> use) {
    long size = memory.info(object).size();
    for (int i = 0; i < size; i++) {
      memory.damage(object, i, 1 << (i % 8));
      assertKind(Kind.CORRUPT, () -> use.accept(CheckpointStore.open(memory.client())), object);
      memory.damage(object, i, 1 << (i % 8));
    }
    use.accept(CheckpointStore.open(memory.client()));
  }

  @Test
  void aCutObjectIsFound() throws IOException {
    Manifest manifest = publish(store, LAYOUT, "k", 40, "v");
    String pack = store.files(manifest, 0).get(0).object();
    for (String object :
        List.of("store.json", StoreNames.manifest(1), manifest.shards().get(0).object(), pack)) {
      Path file = root.resolve(object);
      byte[] bytes = Files.readAllBytes(file);
      for (int length : new int[] {0, bytes.length / 2, bytes.length - 1}) {
        Files.write(file, java.util.Arrays.copyOf(bytes, length));
        assertKind(
            Kind.CORRUPT,
            () -> {
              reopened();
              for (int shard = 0; shard < 4; shard++) {
                store.files(store.manifest(1), shard).forEach(store::verifyContent);
              }
            },
            object);
      }
      Files.write(file, bytes);
    }
    reopened();
  }

  @Test
  void aMissingObjectIsCorruptAndNamed() {
    Manifest manifest = publish(store, LAYOUT, "k", 40, "v");
    List<FileRef> files = store.files(manifest, 0);
    store.objects().delete(files.get(0).object());
    assertKind(Kind.CORRUPT, () -> reopened().open(files.get(0)), files.get(0).object());
    store.objects().delete(objects("shards/").get(0));
    assertKind(Kind.CORRUPT, () -> reopened().files(manifest, 0), "shards/");
  }

  @Test
  void afterCloseEveryCallIsClosed() {
    Manifest manifest = publish(store, LAYOUT, "k", 40, "v");
    store.close();
    store.close();
    assertKind(Kind.CLOSED, store::versions, "closed");
    assertKind(Kind.CLOSED, () -> store.manifest(1), "closed");
    assertKind(Kind.CLOSED, () -> store.files(manifest, 0), "closed");
    assertKind(Kind.CLOSED, () -> store.upload(manifest), "closed");
    assertKind(Kind.CLOSED, () -> store.gc(GcOptions.defaults()), "closed");
  }

  private static void assertKind(Kind kind, Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).as("%s", e).isEqualTo(kind))
        .hasMessageContaining(message);
  }
}
