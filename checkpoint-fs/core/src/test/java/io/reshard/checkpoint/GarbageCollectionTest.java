package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.expected;
import static io.reshard.checkpoint.Rows.publish;
import static io.reshard.checkpoint.Rows.read;
import static io.reshard.checkpoint.Rows.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.testing.FaultyObjectStore;
import io.reshard.checkpoint.testing.FaultyObjectStore.Operation;
import io.reshard.checkpoint.testing.MemoryObjectStore;
import io.reshard.memory.MemoryStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullUnmarked
class GarbageCollectionTest {
  private static final Layout LAYOUT = Layout.slots(3);
  private static final ColumnFamily DEFAULT = ColumnFamily.hashed("default");
  private static final GcOptions KEEP_ONE =
      new GcOptions(1, Duration.ZERO, Duration.ofDays(1), false);

  @TempDir Path directory;
  private final ManualClock clock = new ManualClock();
  private MemoryObjectStore memory;
  private FaultyObjectStore objects;
  private CheckpointStore store;

  @BeforeEach
  void create() {
    memory = new MemoryObjectStore(directory.resolve("staging"), clock);
    objects = new FaultyObjectStore(memory.client(), 1);
    store = CheckpointStore.create(objects, clock);
  }

  /** A client of its own: another process. */
  private CheckpointStore other() {
    return CheckpointStore.open(memory.client(), clock);
  }

  private List<String> names(String prefix) {
    return memory.list(prefix, "", 10_000).stream().map(ObjectInfo::name).toList();
  }

  private void days(int days) {
    clock.advance(Duration.ofDays(days));
  }

  @Test
  void keepsTheNewestVersionsAndWhatTheyName() {
    for (int v = 1; v <= 5; v++) {
      publish(store, LAYOUT, "k", 100, "v" + v + "-");
    }
    days(2);
    List<String> before = names("");
    GcResult dry = store.gc(new GcOptions(2, Duration.ZERO, Duration.ofDays(1), true));
    assertThat(names("")).isEqualTo(before);
    GcResult result = store.gc(new GcOptions(2, Duration.ZERO, Duration.ofDays(1), false));
    assertThat(result.deletedObjects()).isEqualTo(dry.deletedObjects());
    assertThat(result.deletedBytes()).isEqualTo(dry.deletedBytes());
    assertThat(result.deletedVersions()).isEqualTo(dry.deletedVersions());
    assertThat(result.keptVersions()).isEqualTo(dry.keptVersions());
    assertThat(result.keptVersions()).containsExactly(4L, 5L);
    assertThat(result.deletedVersions()).containsExactly(1L, 2L, 3L);
    assertThat(result.deletedObjects()).hasSize(9);
    assertThat(result.deletedBytes()).isPositive();
    assertThat(store.versions()).containsExactly(4L, 5L);
    assertThat(names("files/")).hasSize(2);
    assertThat(names("shards/")).hasSize(2);
    for (long v = 4; v <= 5; v++) {
      assertThat(read(store, store.manifest(v), "default"))
          .isEqualTo(expected("k", 100, "v" + v + "-"));
    }
    assertKind(Kind.INVALID, () -> store.manifest(3), "there are [4, 5]");
    GcResult again = store.gc(new GcOptions(2, Duration.ZERO, Duration.ofDays(1), false));
    assertThat(again.deletedVersions()).isEmpty();
    assertThat(again.deletedObjects()).isEmpty();
    assertThat(names("gc/")).hasSize(2);
  }

  @Test
  void keepsYoungVersions() {
    publish(store, LAYOUT, "k", 10, "a");
    days(3);
    publish(store, LAYOUT, "k", 10, "b");
    publish(store, LAYOUT, "k", 10, "c");
    GcResult result = store.gc(new GcOptions(1, Duration.ofDays(2), Duration.ofDays(1), false));
    assertThat(result.keptVersions()).containsExactly(2L, 3L);
    assertThat(result.deletedVersions()).containsExactly(1L);
  }

  @Test
  void sharedFilesLiveAsLongAsOneVersionNamesThem() {
    publish(store, LAYOUT, "k", 100, "v");
    publish(store, LAYOUT, "k", 100, "v");
    days(2);
    GcResult result = store.gc(KEEP_ONE);
    assertThat(result.deletedObjects()).containsExactly("manifests/00000000000000000001.json");
    assertThat(read(store, store.manifest(2), "default")).isEqualTo(expected("k", 100, "v"));
  }

  @Test
  void theGraceSparesWhatNobodyNamesYet() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "v");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "m", 10, "w");
      upload.flush();
      days(1);
      clock.advance(Duration.ofHours(-1));
      GcResult result = other().gc(KEEP_ONE);
      assertThat(result.youngObjects()).isEqualTo(1);
      assertThat(result.deletedObjects()).isEmpty();
      Manifest next =
          store.publish(
              upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of());
      assertThat(read(store, next, "default")).isEqualTo(expected("m", 10, "w"));
    }
  }

  @Test
  void orphansAreCollectedAfterTheGrace() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "v");
    try (Upload upload = store.upload(parent)) {
      write(upload, LAYOUT, DEFAULT, "m", 10, "w");
      upload.flush();
    }
    assertThat(names("files/")).hasSize(2);
    days(2);
    assertThat(store.gc(KEEP_ONE).deletedObjects()).singleElement().asString().startsWith("files/");
  }

  @Test
  void anUnreadableVersionStopsItBeforeAnythingIsDeleted() {
    publish(store, LAYOUT, "k", 10, "a");
    publish(store, LAYOUT, "k", 10, "b");
    days(2);
    String list = store.manifest(2).shards().get(0).object();
    memory.damage(list, 20, 1);
    List<String> before = names("");
    assertKind(Kind.CORRUPT, () -> other().gc(KEEP_ONE), list);
    assertThat(names("")).isEqualTo(before);
    assertThat(other().versions()).containsExactly(1L, 2L); // Nothing was retired either.
  }

  @Test
  void youngJobResultsProtectWhatTheyName() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "v");
    List<List<FileHandle>> shards;
    try (Upload upload = store.upload(parent)) {
      shards = write(upload, LAYOUT, DEFAULT, "m", 10, "w");
      upload.flush();
    }
    TreeMap<Integer, List<FileRef>> files = new TreeMap<>();
    for (int s = 0; s < shards.size(); s++) {
      files.put(s, shards.get(s).stream().map(FileHandle::ref).toList());
    }
    store.putJobResult("job", "task", new JobResult(files, Map.of()));
    days(5);
    assertThat(store.gc(KEEP_ONE).deletedObjects()).isEmpty();
    JobResult result = other().jobResult("job", "task").orElseThrow();
    try (Upload upload = store.upload(parent)) {
      Manifest next =
          store.publish(
              upload,
              parent,
              Manifest.Operation.REPARTITION,
              "test",
              LAYOUT,
              result.files().values().stream()
                  .map(refs -> refs.stream().map(FileHandle::existing).toList())
                  .toList(),
              Map.of());
      assertThat(read(store, next, "default")).isEqualTo(expected("m", 10, "w"));
    }
    days(2);
    assertThat(store.jobResult("job", "task")).isEmpty(); // About to expire.
    days(1);
    assertThat(store.gc(KEEP_ONE).deletedObjects()).contains("jobs/job/task.json");
  }

  @Test
  void expiredJobResultsAreNotPublished() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "v");
    List<List<FileHandle>> shards = new ArrayList<>();
    try (Upload upload = store.upload(parent)) {
      for (List<FileHandle> shard : write(upload, LAYOUT, DEFAULT, "m", 10, "w")) {
        upload.flush();
        shards.add(shard.stream().map(FileHandle::ref).map(FileHandle::existing).toList());
      }
    }
    days(8);
    other().gc(KEEP_ONE);
    try (Upload upload = store.upload(parent)) {
      assertKind(
          Kind.UNAVAILABLE,
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of()),
          "run the job again");
    }
    assertThat(store.versions()).containsExactly(1L);
  }

  @Test
  void aTaskSlowerThanTheGraceKeepsNoResult() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "v");
    List<List<FileHandle>> shards;
    try (Upload upload = store.upload(parent)) {
      shards = write(upload, LAYOUT, DEFAULT, "m", 10, "w");
      upload.flush();
    }
    days(2);
    // The collector has looked at the job results, and has not begun to delete yet.
    FaultyObjectStore collector = new FaultyObjectStore(memory.client(), 1);
    TreeMap<Integer, List<FileRef>> files = new TreeMap<>();
    files.put(0, shards.get(0).stream().map(FileHandle::ref).toList());
    collector.before(
        Operation.DELETE,
        "files/",
        () ->
            assertKind(
                Kind.UNAVAILABLE,
                () -> store.putJobResult("job", "task", new JobResult(files, Map.of())),
                "longer than the grace"));
    CheckpointStore.open(collector, clock).gc(KEEP_ONE);
    assertThat(names("jobs/")).isEmpty();
    // What the newest version names is in no danger, however old.
    files.put(0, store.files(parent, 0));
    store.putJobResult("job", "task", new JobResult(files, Map.of()));
    assertThat(store.jobResult("job", "task")).isPresent();
  }

  /**
   * Hazard A: a writer sleeps before it creates its manifest; version 2 is published by another,
   * retired and deleted, so that the create succeeds.
   */
  @Test
  void hazardA_aRetiredVersionDoesNotComeBack() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    objects.before(
        Operation.PUT,
        StoreNames.manifest(2),
        () -> {
          CheckpointStore other = other();
          publish(other, LAYOUT, "k", 10, "b");
          publish(other, LAYOUT, "k", 10, "c");
          assertThat(other.gc(KEEP_ONE).deletedVersions()).containsExactly(1L, 2L);
        });
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      assertKind(
          Kind.FENCED,
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of()),
          "retired");
    }
    assertThat(names("manifests/")).contains(StoreNames.manifest(2)); // It was created …
    for (CheckpointStore reader : List.of(store, other())) {
      assertThat(reader.versions()).containsExactly(3L); // … and is not shown.
      assertThat(reader.latestVersion()).isEqualTo(3);
      assertKind(Kind.INVALID, () -> reader.manifest(2), "no version 2");
      assertThat(read(reader, reader.manifest(3), "default")).isEqualTo(expected("k", 10, "c"));
    }
    other().gc(KEEP_ONE);
    assertThat(names("manifests/")).containsExactly(StoreNames.manifest(3));
  }

  /** The same without a crash in between: the writer finds out before it creates anything. */
  @Test
  void hazardA_isSeenBeforeTheCreateIfItCanBe() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      publish(other(), LAYOUT, "k", 10, "b");
      publish(other(), LAYOUT, "k", 10, "c");
      other().gc(KEEP_ONE);
      assertKind(
          Kind.FENCED,
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of()),
          "retired");
    }
    assertThat(names("manifests/")).containsExactly(StoreNames.manifest(3));
  }

  /** Hazard B: files uploaded, and collected before they are published. */
  @Test
  void hazardB_aWriterSlowerThanTheGracePublishesNothing() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      upload.flush();
      days(2);
      assertThat(other().gc(KEEP_ONE).deletedObjects()).hasSize(1);
      assertKind(
          Kind.FENCED,
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of()),
          "longer grace");
    }
    assertThat(store.versions()).containsExactly(1L);
  }

  /** Hazard B while the collector has marked and has not deleted yet: the files still exist. */
  @Test
  void hazardB_filesThatExistButAreDoomedAreNotPublished() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      upload.flush();
      days(2);
      FaultyObjectStore collector = new FaultyObjectStore(memory.client(), 1);
      collector.before(
          Operation.DELETE,
          "files/",
          () ->
              assertKind(
                  Kind.FENCED,
                  () ->
                      store.publish(
                          upload,
                          parent,
                          Manifest.Operation.COMMIT,
                          "test",
                          LAYOUT,
                          shards,
                          Map.of()),
                  "longer grace"));
      assertThat(CheckpointStore.open(collector, clock).gc(KEEP_ONE).deletedObjects()).isNotEmpty();
    }
    assertThat(store.versions()).containsExactly(1L);
  }

  /** Hazard B in the moment between the writer's look at the boundary and its create. */
  @Test
  void hazardB_aVersionWhoseFilesWereCollectedIsSuperseded() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      upload.flush();
      objects.before(
          Operation.PUT,
          StoreNames.manifest(2),
          () -> {
            days(2);
            assertThat(other().gc(KEEP_ONE).deletedObjects()).isNotEmpty();
          });
      assertKind(
          Kind.FENCED,
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of()),
          "version 3 has the content of 1");
    }
    CheckpointStore reader = other();
    assertThat(reader.latestVersion()).isEqualTo(3);
    assertThat(reader.versions()).containsExactly(1L, 3L);
    assertKind(Kind.INVALID, () -> reader.manifest(2), "no version 2");
    assertThat(reader.gc(new GcOptions(5, Duration.ZERO, Duration.ofDays(1), false)).keptVersions())
        .containsExactly(1L, 3L);
    assertThat(reader.manifest(3).operation()).isEqualTo(Manifest.Operation.ROLLBACK);
    assertThat(read(reader, reader.manifest(3), "default")).isEqualTo(expected("k", 10, "a"));
  }

  /** A version the collector has seen is safe, however long its writer took. */
  @Test
  void hazardB_aVersionThatTheCollectorSawStays() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      upload.flush();
      objects.after(
          Operation.PUT,
          StoreNames.manifest(2),
          () -> {
            days(2);
            assertThat(other().gc(KEEP_ONE).deletedVersions()).containsExactly(1L);
          });
      Manifest published =
          store.publish(
              upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of());
      assertThat(read(other(), published, "default")).isEqualTo(expected("k", 10, "late"));
    }
    assertThat(other().versions()).containsExactly(2L);
  }

  /** The answer to the create is lost besides; the writer asks again when it has it back. */
  @Test
  void hazardB_isSeenWhenAPublishIsRepeated() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      upload.flush();
      collectAndLoseTheAnswer();
      Runnable publish =
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of());
      assertKind(Kind.UNAVAILABLE, publish, "may or may not");
      objects.calm();
      assertKind(Kind.FENCED, publish, "version 3 has the content of 1");
    }
    assertThat(read(other(), other().manifest(3), "default")).isEqualTo(expected("k", 10, "a"));
  }

  private void collectAndLoseTheAnswer() {
    objects.before(
        Operation.PUT,
        StoreNames.manifest(2),
        () -> {
          days(2);
          assertThat(other().gc(KEEP_ONE).deletedObjects()).isNotEmpty();
          objects.lostAnswers(1000);
        });
  }

  @Test
  void hazardB_isSeenByAKeyedStoreThatFindsItsCommit() {
    try (Backend backend = new MemoryStateStoreProvider().start(BackendOptions.defaults());
        KeyedStore keyed =
            KeyedStore.create(
                store, backend, "memory", directory.resolve("local"), LAYOUT, List.of(DEFAULT))) {
      keyed.put("default", Rows.bytes("a"), Rows.bytes("1"));
      keyed.commit(Map.of());
      keyed.put("default", Rows.bytes("a"), Rows.bytes("2"));
      collectAndLoseTheAnswer();
      assertKind(Kind.UNAVAILABLE, () -> keyed.commit(Map.of()), "may or may not");
      objects.calm();
      assertKind(Kind.FENCED, () -> keyed.commit(Map.of()), "version 3 has the content of 1");
      assertKind(Kind.FENCED, () -> keyed.get("default", Rows.bytes("a")), "failed before");
    }
    assertThat(read(other(), other().manifest(3), "default")).isEqualTo(Map.of("a", "1"));
  }

  /** A lost answer, and a collector that saw the version: it stays, however late. */
  @Test
  void aVersionThatTheCollectorSawIsFoundByARepeatedPublish() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      objects.before(Operation.PUT, StoreNames.manifest(2), () -> objects.lostAnswers(1000));
      assertKind(
          Kind.UNAVAILABLE,
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of()),
          "may or may not");
      objects.calm();
      days(2);
      assertThat(other().gc(KEEP_ONE).deletedVersions()).containsExactly(1L);
      Manifest published =
          store.publish(
              upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of());
      assertThat(published.version()).isEqualTo(2);
      assertThat(read(other(), published, "default")).isEqualTo(expected("k", 10, "late"));
    }
  }

  @Test
  void agesOutOfRangeAreInvalid() {
    assertKind(
        Kind.INVALID, () -> new GcOptions(0, Duration.ZERO, Duration.ZERO, false), "at least 1");
    for (Duration age :
        List.of(
            Duration.ofMillis(-1), Duration.ofDays(40_000), Duration.ofSeconds(Long.MAX_VALUE))) {
      assertKind(Kind.INVALID, () -> new GcOptions(1, age, Duration.ZERO, false), "36500 days");
      assertKind(Kind.INVALID, () -> new GcOptions(1, Duration.ZERO, age, false), "36500 days");
    }
  }

  /** Hazard C: the same content lies there already, named by nobody, and is deleted. */
  @Test
  void hazardC_contentNobodyNamesIsNotReliedOn() {
    publish(store, LAYOUT, "k", 10, "a");
    Manifest parent = publish(store, LAYOUT, "k", 10, "b");
    days(2);
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "a");
      upload.flush();
      assertThat(other().gc(KEEP_ONE).deletedVersions()).containsExactly(1L);
      Manifest third =
          store.publish(
              upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of());
      assertThat(read(other(), third, "default")).isEqualTo(expected("k", 10, "a"));
    }
  }

  /** Hazard C with the parent: its files cannot go as long as the publish can succeed. */
  @Test
  void hazardC_contentOfTheParentIsReliedOn() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    days(2);
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "a");
      assertThat(names("files/")).hasSize(1);
      assertThat(other().gc(KEEP_ONE).deletedObjects()).isEmpty();
      Manifest second =
          store.publish(
              upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of());
      assertThat(names("files/")).hasSize(1);
      assertThat(read(other(), second, "default")).isEqualTo(expected("k", 10, "a"));
    }
  }

  @Test
  void aRollbackToAVersionThatIsRetiredMeanwhileIsSuperseded() {
    publish(store, LAYOUT, "k", 10, "a");
    publish(store, LAYOUT, "k", 10, "b");
    days(2);
    objects.before(
        Operation.PUT,
        StoreNames.manifest(3),
        () -> assertThat(other().gc(KEEP_ONE).deletedVersions()).containsExactly(1L));
    assertKind(Kind.FENCED, () -> store.rollback(1), "version 4 has the content of 2");
    CheckpointStore reader = other();
    assertThat(read(reader, reader.manifest(4), "default")).isEqualTo(expected("k", 10, "b"));
  }

  /** The parent is the only good version left when a second collection begins. */
  @Test
  void aRollbackToACollectedVersionIsSupersededThoughASecondCollectionRuns() {
    publish(store, LAYOUT, "k", 10, "a");
    publish(store, LAYOUT, "k", 10, "b");
    days(2);
    objects.before(
        Operation.PUT,
        StoreNames.manifest(3),
        () -> assertThat(other().gc(KEEP_ONE).deletedVersions()).containsExactly(1L));
    objects.after(
        Operation.PUT,
        StoreNames.manifest(3),
        () -> assertKind(Kind.CORRUPT, () -> other().gc(KEEP_ONE), "version 3"));
    assertKind(Kind.FENCED, () -> store.rollback(1), "version 4 has the content of 2");
    CheckpointStore reader = other();
    assertThat(reader.versions()).containsExactly(2L, 4L);
    assertThat(read(reader, reader.manifest(4), "default")).isEqualTo(expected("k", 10, "b"));
    assertThat(reader.gc(KEEP_ONE).keptVersions()).containsExactly(4L);
    assertThat(read(other(), other().manifest(4), "default")).isEqualTo(expected("k", 10, "b"));
  }

  /** Hazard B with one collection before the create and a second one after it. */
  @Test
  void hazardB_aSecondCollectionSparesTheParentOfADamagedVersion() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      upload.flush();
      days(2);
      collectBeforeAndAfterTheCreate();
      assertKind(
          Kind.FENCED,
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of()),
          "version 3 has the content of 1");
    }
    CheckpointStore reader = other();
    assertThat(reader.versions()).containsExactly(1L, 3L);
    assertThat(read(reader, reader.manifest(3), "default")).isEqualTo(expected("k", 10, "a"));
  }

  private void collectBeforeAndAfterTheCreate() {
    objects.before(
        Operation.PUT,
        StoreNames.manifest(2),
        () -> assertThat(other().gc(KEEP_ONE).deletedObjects()).isNotEmpty());
    objects.after(
        Operation.PUT,
        StoreNames.manifest(2),
        () -> assertKind(Kind.CORRUPT, () -> other().gc(KEEP_ONE), "version 2"));
  }

  /** The same, and the writer dies before it can look at the boundary. */
  @Test
  void aDamagedVersionOfAWriterThatDiedCostsNoOtherVersion() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      upload.flush();
      days(2);
      collectBeforeAndAfterTheCreate();
      objects.after(Operation.PUT, StoreNames.manifest(2), () -> objects.errors(1000));
      assertKind(
          Kind.UNAVAILABLE,
          () ->
              store.publish(
                  upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of()),
          "");
    }
    CheckpointStore reader = other();
    assertThat(reader.versions()).containsExactly(1L, 2L);
    List<String> before = names("");
    assertKind(Kind.CORRUPT, () -> reader.gc(KEEP_ONE), "roll back to a good version");
    assertThat(names("")).isEqualTo(before);
    assertThat(reader.rollback(1).version()).isEqualTo(3);
    assertThat(reader.gc(KEEP_ONE).deletedVersions()).containsExactly(1L, 2L);
    assertThat(read(other(), other().manifest(3), "default")).isEqualTo(expected("k", 10, "a"));
  }

  /** A version the collector found whole stays, though several boundaries came meanwhile. */
  @Test
  void aVersionFoundWholeStaysThoughItsParentIsRetired() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "late");
      upload.flush();
      objects.after(
          Operation.PUT,
          StoreNames.manifest(2),
          () -> {
            days(2);
            assertThat(other().gc(KEEP_ONE).deletedVersions()).containsExactly(1L);
            assertThat(other().gc(KEEP_ONE).deletedVersions()).isEmpty();
          });
      store.publish(upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of());
    }
    assertThat(other().versions()).containsExactly(2L);
    assertThat(read(other(), other().manifest(2), "default")).isEqualTo(expected("k", 10, "late"));
  }

  /** A collector's clock that runs ahead by years must not lock out writers. */
  @Test
  void aCollectorWithAWrongClockLocksNobodyOut() {
    Manifest parent = publish(store, LAYOUT, "k", 10, "a");
    try (Upload upload = store.upload(parent)) {
      ManualClock ahead = new ManualClock();
      ahead.advance(Duration.ofDays(4000));
      CheckpointStore.open(memory.client(), ahead)
          .gc(new GcOptions(1, Duration.ZERO, Duration.ZERO, false));
      List<List<FileHandle>> shards = write(upload, LAYOUT, DEFAULT, "k", 10, "b");
      Manifest second =
          store.publish(
              upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, shards, Map.of());
      assertThat(read(other(), second, "default")).isEqualTo(expected("k", 10, "b"));
    }
  }

  @Test
  void twoCollectionsAtOnceAreNoHarm() {
    for (int v = 1; v <= 4; v++) {
      publish(store, LAYOUT, "k", 10, "v" + v);
    }
    days(2);
    objects.before(Operation.DELETE, "", () -> other().gc(KEEP_ONE));
    store.gc(new GcOptions(2, Duration.ZERO, Duration.ZERO, false));
    CheckpointStore reader = other();
    assertThat(reader.versions()).containsExactly(4L);
    assertThat(read(reader, reader.manifest(4), "default")).isEqualTo(expected("k", 10, "v4"));
  }

  @Test
  void cleansUpAfterUploadsThatDied() throws Exception {
    publish(store, LAYOUT, "k", 10, "a");
    Path staging = store.objects().stagingDirectory();
    Path dead = Files.createDirectory(staging.resolve("dead"));
    Files.write(dead.resolve("x.sst"), new byte[10]);
    Files.setLastModifiedTime(dead, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    Path alive = Files.createDirectory(staging.resolve("alive"));
    Files.setLastModifiedTime(alive, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
    store.gc(new GcOptions(1, Duration.ZERO, Duration.ofDays(1), true));
    assertThat(dead).exists();
    store.gc(KEEP_ONE);
    assertThat(dead).doesNotExist();
    assertThat(alive).exists();
  }

  private static void assertKind(Kind kind, Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).as("%s", e).isEqualTo(kind))
        .hasMessageContaining(message);
  }
}
