package io.reshard.checkpoint;

import io.reshard.checkpoint.Boundaries.Boundary;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Deletes what no version names any more. Writers may be at work meanwhile, and any of them may
 * stand still for any time at any point; nothing here relies on how long anything takes.
 *
 * <ol>
 *   <li>Choose the versions to retire: the newest is never one of them.
 *   <li><b>Look whether the others are whole</b>: mark every object they name, and list the objects
 *       there are. If one is missing or cannot be read, stop: nothing is retired and nothing
 *       deleted on half a knowledge, for what is to go may be the only good state there is.
 *   <li><b>Advance the boundary</b>: versions up to B are retired, objects created before the
 *       cutoff may be deleted. From now on no reader shows a retired version, and every writer that
 *       creates a manifest afterwards learns of this collection when it reads the boundary.
 *   <li><b>Then list the versions</b> above B again and mark what those name that are new; mark
 *       what young job results name. If anything cannot be read, stop: nothing is deleted.
 *   <li>Delete: retired manifests, old job results, and the unmarked lists and files created before
 *       the cutoff.
 * </ol>
 *
 * <p>Why no file is lost. A version listed in step 4 is marked. A version created after that
 * listing was created after the boundary; its writer reads the boundary and gives the version up
 * unless all the objects it made itself are younger than the cutoff, which step 5 spares. All else
 * that version names is its parent's, and so on back to a version that was listed: the newest one
 * of then, whose objects are marked. {@link Publisher} is the other half.
 *
 * <p>Why no retired version comes back. Its name becomes free only in step 5, after the boundary
 * rose to it; whoever creates it again finds itself below the boundary.
 *
 * <p>Clocks. The cutoff is compared with objects' creation times only, all by the object store's
 * clock. The collector's own clock merely chooses it; a cutoff in the future counts as the moment
 * the boundary was created. So a wrong clock makes the grace shorter or longer, never the result
 * wrong. Two collections at once do the same work twice.
 */
final class GarbageCollection {
  /** A place that gives fewer at once does so; local disk reads a directory anew for each page. */
  private static final int PAGE = 10_000;

  private static final Duration UNFINISHED_AGE = Duration.ofDays(1);

  private final ObjectStore objects;
  private final CheckpointStore store;
  private final Versions versions;
  private final Boundaries boundaries;
  private final Jobs jobs;
  private final GcOptions options;
  private final long now;

  /** Objects that versions name. */
  private final NameSet versioned = new NameSet();

  private final NavigableSet<Long> marked = new TreeSet<>();

  /** Lists whose files are marked: versions share most of them. */
  private final Set<String> markedLists = new HashSet<>();

  private final NameSet inJobs = new NameSet();
  private final List<String> deleted = new ArrayList<>();
  private long deletedBytes;
  private long kept;
  private long young;

  GarbageCollection(
      CheckpointStore store,
      Versions versions,
      Boundaries boundaries,
      Jobs jobs,
      GcOptions options,
      long now) {
    this.objects = store.objects();
    this.store = store;
    this.versions = versions;
    this.boundaries = boundaries;
    this.jobs = jobs;
    this.options = options;
    this.now = now;
  }

  GcResult run() {
    long cutoff = Math.max(0, now - options.grace().toMillis());
    long jobCutoff = Math.max(0, now - CheckpointStore.JOB_LIFETIME.toMillis());
    long retired = chooseRetired();
    markAfter(retired, boundaries.newest());
    checkWhole();
    Boundary boundary = advance(retired, cutoff, jobCutoff);
    cutoff = Math.min(cutoff, boundary.cutoffMillis());
    jobCutoff = Math.min(jobCutoff, boundary.jobCutoffMillis());

    List<Long> keptVersions = markAfter(boundary.version(), boundary);
    jobs.forEachNamed(jobCutoff, inJobs::add);

    List<Long> deletedVersions = sweepManifests(boundary.version());
    long oldestJob = jobCutoff;
    sweep(StoreNames.JOBS, info -> info.modifiedMillis() >= oldestJob);
    long oldestObject = cutoff;
    sweep(StoreNames.SHARDS, info -> isNamedOrYoung(info, oldestObject));
    sweep(StoreNames.FILES, info -> isNamedOrYoung(info, oldestObject));
    if (!options.dryRun()) {
      cleanStaging();
    }
    long unfinished = objects.removeUnfinished(unfinishedBefore(), options.dryRun());
    return new GcResult(
        keptVersions, deletedVersions, List.copyOf(deleted), deletedBytes, kept, young, unfinished);
  }

  /**
   * A transfer under way must not be taken from its writer, which would have to begin again; so it
   * has a day even where the grace is short.
   */
  private long unfinishedBefore() {
    return now - longer(options.grace(), UNFINISHED_AGE).toMillis();
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }

  /** The last version to retire; those before it go with it. */
  private long chooseRetired() {
    Boundary last = boundaries.newest();
    SortedMap<Long, ObjectInfo> all = versions.manifestsAfter(last.version());
    all.keySet().removeIf(last::hides);
    int candidates = all.size() - options.keepVersions();
    long youngest = now - options.keepAge().toMillis();
    long retired = last.version();
    for (Map.Entry<Long, ObjectInfo> version : all.entrySet()) {
      if (candidates-- <= 0 || version.getValue().modifiedMillis() >= youngest) {
        break;
      }
      retired = version.getKey();
    }
    return retired;
  }

  private Boundary advance(long retired, long cutoff, long jobCutoff) {
    if (options.dryRun()) {
      Boundary last = boundaries.newest();
      return new Boundary(last.number(), retired, cutoff, jobCutoff, last.superseded());
    }
    return boundaries.advance(retired, cutoff, jobCutoff);
  }

  /** Marks what the versions above one name that a boundary does not hide; returns those. */
  private List<Long> markAfter(long version, Boundary boundary) {
    List<Long> shown = versions.numbersAfter(version);
    shown.removeIf(boundary::hides);
    shown.stream().filter(marked::add).forEach(this::mark);
    return shown;
  }

  private void mark(long version) {
    try {
      Manifest manifest = versions.read(version);
      if (manifest != null) { // Else another collection has retired it meanwhile.
        store.forEachObject(
            manifest, ref -> markedLists.add(ref.sha256() + ref.object()), versioned::add);
      }
    } catch (StateStoreException e) {
      if (e.kind() != Kind.CORRUPT) {
        throw e;
      }
      if (!boundaries.newest().hides(version)) {
        throw notWhole(version, String.valueOf(e.getMessage()), e);
      }
    }
  }

  private void checkWhole() {
    for (String prefix : List.of(StoreNames.SHARDS, StoreNames.FILES)) {
      forEach(prefix, info -> versioned.tick(info.name()));
    }
    if (versioned.areAllTicked()) {
      return;
    }
    Boundary boundary = boundaries.newest();
    for (long version : marked.descendingSet()) {
      Manifest manifest = versions.read(version);
      if (manifest != null && !boundary.hides(version)) {
        // Else another collection has retired it meanwhile.
        store.forEachObject(
            manifest,
            ref -> true,
            object -> {
              if (!versioned.isTicked(object)) {
                throw notWhole(version, "object '" + object + "' is missing", null);
              }
            });
      }
    }
  }

  private static StateStoreException notWhole(
      long version, String what, @Nullable StateStoreException cause) {
    return new StateStoreException(
        Kind.CORRUPT,
        "version "
            + version
            + ", which is to be kept, is not whole: "
            + what
            + ". Nothing was deleted, since an older version may be the only good one. Verify the"
            + " versions; restore what is missing from a copy, or roll back to a good version and"
            + " collect again, keeping only versions after "
            + version,
        cause);
  }

  private boolean isNamedOrYoung(ObjectInfo info, long cutoff) {
    if (versioned.contains(info.name()) || inJobs.contains(info.name())) {
      return true;
    }
    if (info.modifiedMillis() >= cutoff) {
      young++;
      return true;
    }
    return false;
  }

  private List<Long> sweepManifests(long retired) {
    List<Long> deletedVersions = new ArrayList<>();
    sweep(
        StoreNames.MANIFESTS,
        info -> {
          Long version = StoreNames.number(StoreNames.MANIFESTS, info.name());
          if (version == null || version > retired) {
            return true;
          }
          deletedVersions.add(version);
          return false;
        });
    return deletedVersions;
  }

  /** Deletes the objects below a prefix, except those to keep. */
  private void sweep(String prefix, Predicate<ObjectInfo> keep) {
    forEach(
        prefix,
        info -> {
          if (keep.test(info)) {
            kept++;
          } else {
            delete(info);
          }
        });
  }

  private void forEach(String prefix, Consumer<ObjectInfo> action) {
    String after = "";
    while (true) {
      List<ObjectInfo> page = objects.list(prefix, after, PAGE);
      page.forEach(action);
      if (page.size() < PAGE) {
        return;
      }
      after = page.get(page.size() - 1).name();
    }
  }

  private void delete(ObjectInfo info) {
    deleted.add(info.name());
    deletedBytes += info.size();
    if (!options.dryRun()) {
      objects.delete(info.name());
      store.forget(info.name());
    }
  }

  /**
   * What uploads of processes that died have left on local disk. Those files are dated by this
   * machine's clock, and an upload at work here must keep its own even where the grace is short.
   */
  private void cleanStaging() {
    Duration age = longer(options.grace(), UNFINISHED_AGE);
    FileTime oldest = FileTime.from(Instant.now().minus(age));
    Path staging = objects.stagingDirectory();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(staging)) {
      for (Path path : stream) {
        if (isBefore(path, oldest)) {
          LocalFiles.deleteTree(path);
        }
      }
    } catch (IOException e) {
      throw LocalFiles.failed("listing " + staging, e);
    } catch (java.nio.file.DirectoryIteratorException e) {
      throw StateStoreException.unavailable(
          "listing " + staging + " failed: " + e + "; call again", e);
    }
  }

  private static boolean isBefore(Path path, FileTime oldest) throws IOException {
    try {
      return Files.getLastModifiedTime(path).compareTo(oldest) < 0;
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
