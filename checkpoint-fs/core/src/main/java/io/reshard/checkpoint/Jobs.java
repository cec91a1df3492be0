package io.reshard.checkpoint;

import io.reshard.checkpoint.Boundaries.Boundary;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The objects {@code jobs/JOB/TASK.json}: what finished tasks of long jobs left. */
final class Jobs {
  private static final int PAGE = 1000;
  private static final int ATTEMPTS = 10;

  /** A result is not taken over when it has less than this to live. */
  private static final Duration MARGIN = Duration.ofDays(1);

  private final ObjectStore objects;
  private final Boundaries boundaries;
  private final InstantSource clock;

  Jobs(ObjectStore objects, Boundaries boundaries, InstantSource clock) {
    this.objects = objects;
    this.boundaries = boundaries;
    this.clock = clock;
  }

  Optional<JobResult> get(String job, String task) {
    String name = name(job, task);
    ObjectInfo info = objects.info(name);
    if (info == null || info.modifiedMillis() < oldestTaken()) {
      return Optional.empty();
    }
    JobResult result = read(name);
    return result != null && allThere(result) ? Optional.of(result) : Optional.empty();
  }

  private long oldestTaken() {
    long expiring = clock.millis() - CheckpointStore.JOB_LIFETIME.toMillis() + MARGIN.toMillis();
    return Math.max(expiring, boundaries.newest().jobCutoffMillis());
  }

  private @Nullable JobResult read(String name) {
    SstSource source = objects.open(name);
    if (source == null) {
      return null;
    }
    try (source) {
      return JobResultFormat.read(Envelope.open(name, source));
    }
  }

  private boolean allThere(JobResult result) {
    for (Map.Entry<String, Long> object : ends(result).entrySet()) {
      ObjectInfo info = objects.info(object.getKey());
      if (info == null || info.size() < object.getValue()) {
        return false;
      }
    }
    return true;
  }

  /** The objects a result names, each with the end of the last file in it. */
  private static Map<String, Long> ends(JobResult result) {
    Map<String, Long> ends = new TreeMap<>();
    for (List<FileRef> files : result.files().values()) {
      for (FileRef file : files) {
        ends.merge(file.object(), file.offset() + file.length(), Math::max);
      }
    }
    return ends;
  }

  /**
   * Creates a result. From then on garbage collection spares what it names; one that began before
   * may not have seen it, and is recognized by its boundary.
   *
   * @param versioned the objects that the newest version names, for which nothing is to fear
   */
  void put(String job, String task, JobResult result, Supplier<Set<String>> versioned) {
    String name = name(job, task);
    byte[] content = Envelope.wrap(JobResultFormat.write(result));
    for (int i = 0; !objects.putIfAbsent(name, content); i++) {
      if (i == ATTEMPTS) {
        throw StateStoreException.unavailable(
            "object '" + name + "' is created by others again and again; run the job once", null);
      }
      objects.delete(name);
    }
    Boundary boundary = boundaries.newest();
    Set<String> endangered = endangered(result, boundary.cutoffMillis());
    if (!endangered.isEmpty()) {
      endangered.removeAll(versioned.get());
    }
    if (!endangered.isEmpty()) {
      objects.delete(name);
      throw StateStoreException.unavailable(
          "task '"
              + task
              + "' of job '"
              + job
              + "' took longer than the grace of garbage collection, which may delete what it left,"
              + " such as '"
              + endangered.iterator().next()
              + "'; do the task again, and give garbage collection a longer grace",
          null);
    }
  }

  private Set<String> endangered(JobResult result, long cutoffMillis) {
    Set<String> endangered = new HashSet<>();
    for (String object : ends(result).keySet()) {
      ObjectInfo info = objects.info(object);
      if (info == null || info.modifiedMillis() < cutoffMillis) {
        endangered.add(object);
      }
    }
    return endangered;
  }

  void delete(String job) {
    String prefix = StoreNames.job(ObjectNames.checkLabel("job", job));
    while (true) {
      List<ObjectInfo> page = objects.list(prefix, "", PAGE);
      page.forEach(info -> objects.delete(info.name()));
      if (page.size() < PAGE) {
        return;
      }
    }
  }

  /**
   * Gives the objects that results created at or after {@code oldestMillis} name. A result that
   * cannot be read protects nothing: no job can take it over either.
   */
  void forEachNamed(long oldestMillis, Consumer<String> consumer) {
    String after = "";
    while (true) {
      List<ObjectInfo> page = objects.list(StoreNames.JOBS, after, PAGE);
      for (ObjectInfo info : page) {
        if (info.modifiedMillis() >= oldestMillis) {
          giveNamed(info.name(), consumer);
        }
      }
      if (page.size() < PAGE) {
        return;
      }
      after = page.get(page.size() - 1).name();
    }
  }

  private void giveNamed(String name, Consumer<String> consumer) {
    JobResult result;
    try {
      result = read(name);
    } catch (StateStoreException e) {
      if (e.kind() != StateStoreException.Kind.CORRUPT) {
        throw e;
      }
      return;
    }
    if (result != null) {
      ends(result).keySet().forEach(consumer);
    }
  }

  private static String name(String job, String task) {
    return ObjectNames.check(
        StoreNames.jobResult(
            ObjectNames.checkLabel("job", job), ObjectNames.checkLabel("task", task)));
  }
}
