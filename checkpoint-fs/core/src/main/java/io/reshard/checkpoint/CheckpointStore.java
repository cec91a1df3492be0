package io.reshard.checkpoint;

import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.SstReader;
import io.reshard.sst.SstSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one store in an {@link ObjectStore}. Thread-safe.
 *
 * <p>Manifests, shard lists and open readers are cached, weighed in bytes.
 */
public final class CheckpointStore implements AutoCloseable {
  /** How long the results of a job are kept: 7 days. */
  public static final Duration JOB_LIFETIME = Duration.ofDays(7);

  private static final List<FileRef> NONE = List.of();

  private final ObjectStore objects;
  private final String storeId;
  private final InstantSource clock;
  private final ObjectHandles handles;
  private final Boundaries boundaries;
  private final Versions versions;
  private final Publisher publisher;
  private final Jobs jobs;
  private final ShardLists lists;
  private volatile boolean closed;

  private CheckpointStore(ObjectStore objects, String storeId, InstantSource clock) {
    this.objects = objects;
    this.storeId = storeId;
    this.clock = clock;
    this.handles = new ObjectHandles(objects);
    this.lists = new ShardLists(handles);
    this.boundaries = new Boundaries(objects);
    this.versions = new Versions(objects, boundaries, storeId);
    this.publisher = new Publisher(this, versions, boundaries, clock);
    this.jobs = new Jobs(objects, boundaries, clock);
  }

  /**
   * Creates an empty store (no version yet). Takes over {@code objects}.
   *
   * @throws io.reshard.spi.StateStoreException INVALID if there is a store or anything else already
   */
  public static CheckpointStore create(ObjectStore objects) {
    return create(objects, InstantSource.system());
  }

  static CheckpointStore create(ObjectStore objects, InstantSource clock) {
    try {
      List<ObjectInfo> there = objects.list("", "", 1);
      if (!there.isEmpty()) {
        throw notEmpty(objects, there.get(0).name());
      }
      StoreFormat format = new StoreFormat(UUID.randomUUID().toString(), clock.millis());
      byte[] content = Envelope.wrap(format.write());
      Retry.unavailable(() -> createStore(objects, format, content));
      checkCreatesOnce(objects);
      return new CheckpointStore(objects, format.storeId(), clock);
    } catch (StateStoreException e) {
      objects.close();
      throw e;
    }
  }

  /** An answer may get lost: a store that exists is ours if it has our id. */
  private static StoreFormat createStore(ObjectStore objects, StoreFormat format, byte[] content) {
    if (!objects.putIfAbsent(StoreNames.STORE, content) && !format.equals(readStore(objects))) {
      throw notEmpty(objects, StoreNames.STORE);
    }
    return format;
  }

  /** A store made where objects can be replaced would lose versions one day: none is made. */
  private static void checkCreatesOnce(ObjectStore objects) {
    try {
      Retry.unavailable(
          () -> {
            objects.checkCreatesOnce(StoreNames.STORE);
            return true;
          });
    } catch (StateStoreException e) {
      try {
        objects.delete(StoreNames.STORE);
      } catch (StateStoreException deleting) {
        e.addSuppressed(deleting);
      }
      throw e;
    }
  }

  private static StateStoreException notEmpty(ObjectStore objects, String name) {
    return StateStoreException.invalid(
        "there is '"
            + name
            + "' in "
            + objects.location()
            + " already; open the store there, or create one where nothing is");
  }

  private static StoreFormat readStore(ObjectStore objects) {
    SstSource source = objects.open(StoreNames.STORE);
    if (source == null) {
      throw StateStoreException.invalid(
          "there is no store in "
              + objects.location()
              + ": object '"
              + StoreNames.STORE
              + "' is missing; give the location of a store, or create one");
    }
    try (source) {
      return StoreFormat.read(Envelope.open(StoreNames.STORE, source));
    }
  }

  /**
   * Opens a store. Takes over {@code objects}.
   *
   * @throws io.reshard.spi.StateStoreException INVALID if there is none, INCOMPATIBLE if its format
   *     is newer, CORRUPT
   */
  public static CheckpointStore open(ObjectStore objects) {
    return open(objects, InstantSource.system());
  }

  static CheckpointStore open(ObjectStore objects, InstantSource clock) {
    try {
      return new CheckpointStore(objects, readStore(objects).storeId(), clock);
    } catch (StateStoreException e) {
      objects.close();
      throw e;
    }
  }

  /** Identity of the store: a UUID. */
  public String storeId() {
    return storeId;
  }

  /** The object store. */
  public ObjectStore objects() {
    return objects;
  }

  /** Versions that can be read, ascending. */
  public List<Long> versions() {
    checkOpen();
    return Collections.unmodifiableList(versions.list());
  }

  /** The newest version; 0 if there is none. */
  public long latestVersion() {
    checkOpen();
    return versions.newest();
  }

  /**
   * The manifest of a version.
   *
   * @throws io.reshard.spi.StateStoreException INVALID if there is no such version, listing those
   *     there are; CORRUPT
   */
  public Manifest manifest(long version) {
    checkOpen();
    return versions.get(version);
  }

  /**
   * What the first version is made from: version 0, without rows, which no object holds. Give it to
   * {@link #upload} and {@link #publish} in an empty store.
   */
  public Manifest origin(Layout layout, List<ColumnFamily> columnFamilies) {
    return new Manifest(
        storeId,
        0,
        0,
        "",
        0,
        Manifest.Operation.COMMIT,
        "",
        layout,
        columnFamilies,
        Collections.nCopies(layout.shards(), ShardRef.empty()),
        Map.of());
  }

  /** The files of a shard, checked against what the manifest says of it. */
  public List<FileRef> files(Manifest manifest, int shard) {
    checkOpen();
    return lists.get(manifest, checkShard(manifest, shard));
  }

  /**
   * The files of every shard, by number, checked like those of {@link #files}. Reads many lists by
   * one request, and several requests at once. As long as these lists are held, nobody reads them
   * again.
   */
  public List<List<FileRef>> files(Manifest manifest) {
    checkOpen();
    List<List<FileRef>> all = new ArrayList<>(Collections.nCopies(manifest.shards().size(), NONE));
    lists.forEach(
        manifest,
        ref -> true,
        (files, shard) -> {
          synchronized (all) {
            all.set(shard, files);
          }
        });
    return Collections.unmodifiableList(all);
  }

  private static int checkShard(Manifest manifest, int shard) {
    if (shard < 0 || shard >= manifest.shards().size()) {
      throw StateStoreException.invalid(
          "no shard " + shard + "; there are 0 to " + (manifest.shards().size() - 1));
    }
    return shard;
  }

  /**
   * Opens a file. The SHA-256 of all its bytes is verified on demand by {@link #verifyContent};
   * block checksums are verified with every read.
   */
  public SstReader open(FileRef file) {
    return SstReader.open(source(file));
  }

  private SstSource source(FileRef file) {
    checkOpen();
    return handles.open(file.object(), file.offset(), file.length());
  }

  /**
   * Copies or links a file to local disk, and verifies what lies there then: whoever opens it reads
   * blocks whose checksums are right in any sound SST file, also in the wrong one.
   *
   * @throws io.reshard.spi.StateStoreException CORRUPT naming file, object and what differs
   */
  void download(FileRef file, Path target) {
    checkOpen();
    if (StoreNames.isPack(file.object())) {
      copy(file, target); // Its neighbours are likely to be asked for next.
    } else if (!objects.download(file.object(), file.offset(), file.length(), target)) {
      throw handles.missing(file.object());
    }
    try (SstSource source = SstSource.ofFile(target)) {
      checkContent(file, Sha256.of(source, 0, file.length()));
    }
  }

  private void copy(FileRef file, Path target) {
    byte[] bytes = new byte[checkPacked(file)];
    try (SstSource source = source(file)) {
      source.read(0, bytes, 0, bytes.length);
    }
    try {
      Files.write(target, bytes, StandardOpenOption.CREATE_NEW);
    } catch (IOException e) {
      throw LocalFiles.failed("writing " + target, e);
    }
  }

  /**
   * Reads a whole file and compares length and SHA-256 with the reference.
   *
   * @throws io.reshard.spi.StateStoreException CORRUPT naming file, object and what differs
   */
  public void verifyContent(FileRef file) {
    try (SstSource source = source(file)) {
      checkContent(file, Sha256.of(source, 0, file.length()));
    }
  }

  /** All bytes of a small file, verified. */
  byte[] content(FileRef file) {
    byte[] bytes = new byte[checkPacked(file)];
    try (SstSource source = source(file)) {
      source.read(0, bytes, 0, bytes.length);
    }
    checkContent(file, Sha256.of(bytes, 0, bytes.length));
    return bytes;
  }

  /** The length of a file that lies in a pack. */
  private static int checkPacked(FileRef file) {
    if (file.length() > StoreUpload.PACK_BYTES) {
      throw StateStoreException.corrupt(
          "object '"
              + file.object()
              + "' at offset "
              + file.offset()
              + " is said to hold a file of "
              + file.length()
              + " bytes; files in packs have less than "
              + StoreUpload.PACK_BELOW);
    }
    return (int) file.length();
  }

  private static void checkContent(FileRef file, String sha256) {
    if (!sha256.equals(file.sha256())) {
      throw StateStoreException.corrupt(
          "object '"
              + file.object()
              + "' at offset "
              + file.offset()
              + ": the file of "
              + file.length()
              + " bytes has SHA-256 "
              + sha256
              + ", expected "
              + file.sha256()
              + "; it is damaged. Restore it from a copy, or use another version");
    }
  }

  /**
   * The entries of a column family of a shard, all its files merged; close it. Opens as many files
   * as can hold an entry at once: lazily, files of one level above 0 one after another.
   */
  public EntryCursor entries(List<FileRef> files, String columnFamily) {
    return entries(files, columnFamily, KeyRange.ALL);
  }

  /** As {@link #entries(List, String)}, the entries of a range of stored keys only. */
  public EntryCursor entries(List<FileRef> files, String columnFamily, KeyRange range) {
    checkOpen();
    List<FileRef> own =
        files.stream().filter(file -> file.columnFamily().equals(columnFamily)).toList();
    return own.isEmpty() ? Cursors.empty() : ShardEntries.open(this, own, range);
  }

  /**
   * A new upload of a writer with a new id, whose files may be deduplicated against {@code parent}.
   */
  public Upload upload(Manifest parent) {
    checkOpen();
    return new StoreUpload(this, parent, boundaries.numberSeen());
  }

  /**
   * Publishes the next version: writes the shard lists that are new, then creates the manifest
   * {@code parent.version() + 1}. All handles must be of flushed uploads of {@code upload} or
   * exist.
   *
   * @param upload the upload the files came by; its writer id goes into the manifest
   * @param parent the version it is made from, which must still be the newest
   * @param backend name of the backend
   * @param shards the files of every shard
   * @return what was published
   * @throws io.reshard.spi.StateStoreException FENCED if another writer published that version
   *     first (nothing of this one is visible then)
   */
  public Manifest publish(
      Upload upload,
      Manifest parent,
      Manifest.Operation operation,
      String backend,
      Layout layout,
      List<List<FileHandle>> shards,
      Map<String, String> properties) {
    checkOpen();
    if (!(upload instanceof StoreUpload own) || own.store() != this) {
      throw StateStoreException.invalid("the upload is not one of this store; make it by upload()");
    }
    if (own.parent().version() != parent.version()) {
      throw StateStoreException.invalid(
          "the upload was made for version "
              + own.parent().version()
              + " as parent, not "
              + parent.version()
              + "; make a new one");
    }
    return publisher.publish(
        own,
        parent,
        new Publisher.Draft(operation, backend, layout, parent.columnFamilies(), properties),
        shards);
  }

  /**
   * Finishes a publish whose answer was lost and whose manifest turned out to be there.
   *
   * @throws StateStoreException FENCED if garbage collection came between
   */
  Manifest confirm(StoreUpload upload, Manifest parent, Manifest created) {
    checkOpen();
    return publisher.confirm(upload, parent, created);
  }

  /**
   * Publishes a new version with the content of an earlier one.
   *
   * @return what was published
   */
  public Manifest rollback(long version) {
    Manifest base = manifest(version);
    long newest = latestVersion();
    if (newest == version) {
      throw StateStoreException.invalid(
          "version " + version + " is the newest already; there is nothing to roll back");
    }
    Manifest parent = newestOr(base, newest);
    try (StoreUpload upload = new StoreUpload(this, parent, boundaries.newest().number())) {
      return publisher.rollback(upload, parent, base);
    }
  }

  /**
   * The newest version's manifest; the base's in its place where it is damaged: this is the cure.
   */
  private Manifest newestOr(Manifest base, long newest) {
    try {
      return manifest(newest);
    } catch (StateStoreException e) {
      if (e.kind() != StateStoreException.Kind.CORRUPT) {
        throw e;
      }
      return new Manifest(
          base.storeId(),
          newest,
          base.version(),
          base.writer(),
          base.createdMillis(),
          base.operation(),
          base.backend(),
          base.layout(),
          base.columnFamilies(),
          base.shards(),
          base.properties());
    }
  }

  /** Deletes what no kept version needs, or only says what it would delete. */
  public GcResult gc(GcOptions options) {
    checkOpen();
    return new GarbageCollection(this, versions, boundaries, jobs, options, clock.millis()).run();
  }

  /** Forgets a deleted object, whatever it was. */
  void forget(String object) {
    handles.forget(object);
    Long version = StoreNames.number(StoreNames.MANIFESTS, object);
    if (version != null) {
      versions.forget(version);
    }
  }

  /**
   * What a task of a job left. It is empty where there is nothing, where it is about to expire
   * (results are kept for {@link #JOB_LIFETIME}), and where an object it names is missing or of
   * another size; do the task again then.
   *
   * @param job 1 to 64 characters of {@code a-z A-Z 0-9 _ -}
   * @param task the same
   * @throws io.reshard.spi.StateStoreException CORRUPT, INCOMPATIBLE
   */
  public Optional<JobResult> jobResult(String job, String task) {
    checkOpen();
    return jobs.get(job, task);
  }

  /**
   * Keeps what a task left; what the task left earlier is replaced. Garbage collection spares the
   * objects it names as long as it is younger than {@link #JOB_LIFETIME}.
   *
   * @throws io.reshard.spi.StateStoreException UNAVAILABLE if garbage collection may have deleted
   *     some of the files already, because the task took longer than its grace; do the task again
   */
  public void putJobResult(String job, String task, JobResult result) {
    checkOpen();
    jobs.put(job, task, result, this::newestObjects);
  }

  private Set<String> newestObjects() {
    Set<String> names = new HashSet<>();
    long newest = latestVersion();
    if (newest > 0) {
      names.addAll(objectsOf(manifest(newest)));
    }
    return names;
  }

  /** The objects a manifest names: lists and files. */
  Set<String> objectsOf(Manifest manifest) {
    Set<String> names = ConcurrentHashMap.newKeySet();
    forEachObject(manifest, ref -> true, names::add);
    return names;
  }

  /**
   * Gives the names of objects a manifest names: lists, and the files of some lists. A name may
   * come more than once, and several at once from several threads.
   *
   * @param wanted whether the files of a list are wanted; asked by the caller's thread
   */
  void forEachObject(Manifest manifest, Predicate<ShardRef> wanted, Consumer<String> consumer) {
    manifest.shards().stream()
        .filter(ref -> ref.files() > 0)
        .map(ShardRef::object)
        .distinct()
        .forEach(consumer);
    lists.forEach(
        manifest, wanted, (files, shard) -> files.forEach(file -> consumer.accept(file.object())));
  }

  /** The files of a shard, where they need not be read. */
  @Nullable List<FileRef> filesIfKnown(Manifest manifest, int shard) {
    return lists.getIfKnown(manifest, shard);
  }

  /** Remembers the lists of a version that was just published. */
  void remember(Manifest manifest, List<List<FileRef>> shards) {
    for (int shard = 0; shard < shards.size(); shard++) {
      if (!shards.get(shard).isEmpty()) {
        lists.put(manifest, shard, shards.get(shard));
      }
    }
  }

  /** Forgets every result of a job: after its publish, never before. */
  public void deleteJob(String job) {
    checkOpen();
    jobs.delete(job);
  }

  @Override
  public void close() {
    closed = true;
    handles.close();
    objects.close();
  }

  private void checkOpen() {
    if (closed) {
      throw StateStoreException.closed("the store in " + objects.location());
    }
  }
}
