package io.reshard.checkpoint;

import io.reshard.checkpoint.Boundaries.Boundary;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes versions. Creating the manifest is the commit: before it nothing is visible, after it all
 * is. Everything else here is about the two ways in which garbage collection can come in between;
 * {@link GarbageCollection} tells its side.
 *
 * <p><b>A version that was retired while its writer slept.</b> A writer about to create manifest V
 * sleeps. Others publish V and more, and V is collected: its name is free again, and the sleeper's
 * create succeeds, far in the past. The boundary was advanced to V or beyond before V was deleted,
 * so the writer reads it after creating, finds itself at or below it, and has lost. What it created
 * is never shown, because the boundary hides it.
 *
 * <p><b>Files that were collected before their version.</b> A boundary carries a cutoff: objects
 * created earlier may be deleted unless a version names them. A writer whose objects are all
 * younger than the newest cutoff has nothing to fear. One that took longer than the grace finds the
 * cutoff past its first object. Before the create it simply gives up. After it, the collector may
 * have listed the versions before or after this one came: unknown, and files that exist now may be
 * gone in a moment. So it publishes its parent's content again as the next version, has the
 * boundary hide the doomed one, and has lost.
 *
 * <p>Only where the boundary has passed the parent there is nothing to go back to. The collector
 * that retired the parent had seen a newer version then and found it whole, so all should be well:
 * the writer looks whether every object it names is there, and keeps the version if so.
 */
final class Publisher {
  private final CheckpointStore store;
  private final ObjectStore objects;
  private final Versions versions;
  private final Boundaries boundaries;
  private final InstantSource clock;

  Publisher(CheckpointStore store, Versions versions, Boundaries boundaries, InstantSource clock) {
    this.store = store;
    this.objects = store.objects();
    this.versions = versions;
    this.boundaries = boundaries;
    this.clock = clock;
  }

  /** What a new version says of itself. */
  record Draft(
      Manifest.Operation operation,
      String backend,
      Layout layout,
      List<ColumnFamily> columnFamilies,
      Map<String, String> properties) {}

  /** See {@link CheckpointStore#publish}. */
  Manifest publish(
      StoreUpload upload, Manifest parent, Draft draft, List<List<FileHandle>> shards) {
    if (shards.size() != draft.layout.shards()) {
      throw StateStoreException.invalid(
          "files of "
              + shards.size()
              + " shards in a layout of "
              + draft.layout.shards()
              + "; give one list each");
    }
    upload.flush();
    List<List<FileRef>> files = references(draft, shards);
    Set<String> lent = lentObjects(upload, files);
    if (!lent.isEmpty()) {
      checkLent(lent, boundaries.newest());
    }
    Manifest published = create(upload, parent, 0, draft, writeLists(upload, draft, files), lent);
    store.remember(published, files);
    return published;
  }

  /** In the order of lists. */
  private static List<List<FileRef>> references(Draft draft, List<List<FileHandle>> shards) {
    ShardRules rules = new ShardRules(draft.layout, draft.columnFamilies);
    List<List<FileRef>> files = new ArrayList<>();
    for (int shard = 0; shard < shards.size(); shard++) {
      List<FileRef> refs = new ArrayList<>(shards.get(shard).size());
      shards.get(shard).forEach(handle -> refs.add(handle.ref()));
      rules.check(shard, refs, Kind.INVALID);
      files.add(Collections.unmodifiableList(ShardListFormat.inOrder(refs)));
    }
    return files;
  }

  /** Objects that neither the parent nor this upload vouches for: those of job results. */
  private static Set<String> lentObjects(StoreUpload upload, List<List<FileRef>> files) {
    Set<String> lent = new TreeSet<>();
    for (List<FileRef> shard : files) {
      for (FileRef file : shard) {
        if (!upload.isInParent(file) && !upload.created().contains(file.object())) {
          lent.add(file.object());
        }
      }
    }
    return lent;
  }

  private void checkLent(Set<String> lent, Boundary boundary) {
    for (String object : lent) {
      ObjectInfo info = objects.info(object);
      if (info == null || info.modifiedMillis() < boundary.jobCutoffMillis()) {
        throw StateStoreException.unavailable(
            "object '"
                + object
                + "', which an earlier run of this job left, is "
                + (info == null ? "gone" : "about to be collected")
                + "; results of a job are kept for "
                + CheckpointStore.JOB_LIFETIME.toDays()
                + " days. Nothing was published; run the job again",
            null);
      }
    }
  }

  private List<ShardRef> writeLists(StoreUpload upload, Draft draft, List<List<FileRef>> files) {
    ShardListWriter writer = new ShardListWriter(upload, files);
    Manifest parent = upload.parent();
    if (parent.layout().equals(draft.layout)) {
      for (int shard = 0; shard < files.size(); shard++) {
        List<FileRef> before = store.filesIfKnown(parent, shard);
        if (before != null && isSame(before, files.get(shard))) {
          writer.same(shard, parent.shards().get(shard));
        }
      }
    }
    return writer.write();
  }

  /** Whether two lists, both in their order, are the same bytes. */
  private static boolean isSame(List<FileRef> before, List<FileRef> now) {
    if (before.size() != now.size()) {
      return false;
    }
    for (int i = 0; i < now.size(); i++) {
      FileRef a = before.get(i);
      FileRef b = now.get(i);
      if (!a.equals(b) || !a.isWith(b) || a.offset() != b.offset()) {
        return false;
      }
    }
    return true;
  }

  /** Publishes the content of {@code base} again. */
  Manifest rollback(StoreUpload upload, Manifest newest, Manifest base) {
    Draft draft =
        new Draft(
            Manifest.Operation.ROLLBACK,
            base.backend(),
            base.layout(),
            base.columnFamilies(),
            base.properties());
    return create(upload, newest, base.version(), draft, base.shards(), Set.of());
  }

  /**
   * @param base a version besides the parent whose files are named; 0 for none
   * @param lent objects of job results
   */
  private Manifest create(
      StoreUpload upload,
      Manifest parent,
      long base,
      Draft draft,
      List<ShardRef> shards,
      Set<String> lent) {
    Manifest manifest = manifest(upload.writer(), parent, draft, shards);
    Boundary before = boundaries.newest();
    if (manifest.version() <= before.version()) {
      throw retired(manifest);
    }
    if (isEndangered(upload, before, base, lent)) {
      Manifest there = versions.read(manifest.version());
      if (there != null && there.writer().equals(manifest.writer())) {
        // An earlier attempt got through, and its answer was lost.
        return confirm(upload, parent, there, base, lent);
      }
      throw tooSlow(manifest, parent);
    }
    return confirm(upload, parent, createManifest(manifest), base, lent);
  }

  /** See {@link CheckpointStore#confirm}. */
  Manifest confirm(StoreUpload upload, Manifest parent, Manifest created) {
    return confirm(upload, parent, created, 0, Set.of());
  }

  /** Looks whether garbage collection came between, once the manifest is there. */
  private Manifest confirm(
      StoreUpload upload, Manifest parent, Manifest created, long base, Set<String> lent) {
    Boundary after = Retry.unavailable(boundaries::newest);
    if (created.version() <= after.version()) {
      throw retired(created);
    }
    if (Retry.unavailable(() -> isEndangered(upload, after, base, lent))) {
      if (!isRetired(parent, after)) {
        throw superseded(created, parent);
      }
      checkWhole(created);
    }
    versions.add(created);
    return created;
  }

  private static boolean isRetired(Manifest parent, Boundary boundary) {
    return parent.version() > 0 && boundary.version() >= parent.version();
  }

  /** For a version whose parent is gone, so that it stays, whatever it is. */
  private void checkWhole(Manifest created) {
    String missing = Retry.unavailable(() -> missingObject(created));
    if (missing != null) {
      throw StateStoreException.fenced(
          "version "
              + created.version()
              + " is damaged: object '"
              + missing
              + "' was collected while it was being published, because its writer took longer than"
              + " the grace, and version "
              + created.parent()
              + " is retired already. Roll back to an older version if there is one, and give"
              + " garbage collection a longer grace");
    }
  }

  private @Nullable String missingObject(Manifest manifest) {
    for (ShardRef ref : manifest.shards()) {
      if (ref.files() > 0 && objects.info(ref.object()) == null) {
        return ref.object(); // Which must be seen even where the list itself is cached.
      }
    }
    for (String object : store.objectsOf(manifest)) {
      if (objects.info(object) == null) {
        return object;
      }
    }
    return null;
  }

  private static StateStoreException tooSlow(Manifest manifest, Manifest parent) {
    return StateStoreException.fenced(
        "version "
            + manifest.version()
            + " was not published: garbage collection has passed objects it was to name, because"
            + " its writer took longer than the grace. Open version "
            + parent.version()
            + " again, repeat the work, and give garbage collection a longer grace");
  }

  private Manifest manifest(String writer, Manifest parent, Draft draft, List<ShardRef> shards) {
    return new Manifest(
        store.storeId(),
        parent.version() + 1,
        parent.version(),
        writer,
        clock.millis(),
        draft.operation,
        draft.backend,
        draft.layout,
        draft.columnFamilies,
        shards,
        draft.properties);
  }

  /** Whether garbage collection may delete, or have deleted, what the new version names. */
  private boolean isEndangered(StoreUpload upload, Boundary boundary, long base, Set<String> lent) {
    if (base > 0 && boundary.version() >= base) {
      return true;
    }
    if (boundary.number() == upload.boundaryAtStart()) {
      return false; // Everything was created after this boundary, so after its cutoff.
    }
    return anyBefore(upload.created(), boundary.cutoffMillis())
        || anyBefore(lent, boundary.jobCutoffMillis());
  }

  private boolean anyBefore(Set<String> names, long cutoffMillis) {
    for (String name : names) {
      ObjectInfo info = objects.info(name);
      if (info == null || info.modifiedMillis() < cutoffMillis) {
        return true;
      }
    }
    return false;
  }

  /**
   * Creates the manifest; returns it as it stands in the object store.
   *
   * <p>An answer can get lost. Creating again then finds the name taken, perhaps by ourselves: the
   * writer id tells.
   */
  private Manifest createManifest(Manifest manifest) {
    String name = StoreNames.manifest(manifest.version());
    byte[] content = Envelope.wrap(ManifestFormat.write(manifest));
    try {
      return Retry.unavailable(
          () -> {
            if (objects.putIfAbsent(name, content)) {
              return manifest;
            }
            Manifest winner = versions.read(manifest.version());
            if (winner == null) {
              throw StateStoreException.unavailable(
                  "object '" + name + "' exists and cannot be read; call again", null);
            }
            if (!winner.writer().equals(manifest.writer())) {
              throw lost(winner);
            }
            return winner;
          });
    } catch (StateStoreException e) {
      if (!e.isRetryable()) {
        throw e;
      }
      throw StateStoreException.unavailable(
          "version "
              + manifest.version()
              + " may or may not have been published by writer "
              + manifest.writer()
              + ": "
              + e.getMessage()
              + ". Publish it again with the same upload, or look at the newest version",
          e);
    }
  }

  private static StateStoreException lost(Manifest winner) {
    return StateStoreException.fenced(
        "version "
            + winner.version()
            + " was published by another writer first: "
            + winner.operation().name().toLowerCase(java.util.Locale.ROOT)
            + " by writer "
            + winner.writer()
            + " on backend '"
            + winner.backend()
            + "' at "
            + java.time.Instant.ofEpochMilli(winner.createdMillis())
            + ". Nothing of this one is visible; open version "
            + winner.version()
            + " or a newer one and repeat the work, and see to it that only one writer runs");
  }

  private static StateStoreException retired(Manifest manifest) {
    return StateStoreException.fenced(
        "version "
            + manifest.version()
            + " is retired: others have published newer versions while this writer (id "
            + manifest.writer()
            + ") stood still. Open the newest version and repeat the work");
  }

  private StateStoreException superseded(Manifest created, Manifest parent) {
    Draft draft =
        new Draft(
            Manifest.Operation.ROLLBACK,
            parent.version() == 0 ? created.backend() : parent.backend(),
            parent.layout(),
            parent.columnFamilies(),
            parent.properties());
    Manifest restored = manifest(created.writer(), created, draft, parent.shards());
    String outcome;
    try {
      createManifest(restored);
      String missing = Retry.unavailable(() -> missingObject(restored));
      if (missing != null) {
        throw StateStoreException.unavailable("object '" + missing + "' is gone already", null);
      }
      Retry.unavailable(() -> boundaries.supersede(created.version()));
      outcome = "version " + restored.version() + " has the content of " + parent.version();
    } catch (StateStoreException e) {
      outcome =
          "version "
              + restored.version()
              + " was to have the content of "
              + parent.version()
              + ", but: "
              + e.getMessage();
    }
    return StateStoreException.fenced(
        "version "
            + created.version()
            + " must not be used: garbage collection passed objects it names while it was being"
            + " published, because its writer took longer than the grace; "
            + outcome
            + ". Open the newest version, repeat the work, and give garbage collection a longer"
            + " grace");
  }
}
