package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The objects {@code gc/boundary-N.json}: how far garbage collection has gone. The one of the
 * highest number counts. Each of its figures is at least as high as in the one before.
 *
 * <p>They are numbered without a gap and never deleted. So whoever knows one needs no listing to
 * find out whether it is still the newest: it is, as long as there is none of the next number. That
 * is one look before a commit and one after it, the cheapest request there is.
 */
final class Boundaries {
  /**
   * A boundary as it counts.
   *
   * @param number its number, from 1 on; 0 if there is none yet
   * @param version versions up to this one are retired
   * @param cutoffMillis objects created before this may be deleted if nothing names them
   * @param jobCutoffMillis job results created before this protect nothing any more
   * @param superseded versions above that one that must not be used
   */
  record Boundary(
      long number,
      long version,
      long cutoffMillis,
      long jobCutoffMillis,
      SortedSet<Long> superseded) {
    private static final Boundary NONE = new Boundary(0, 0, 0, 0, Collections.emptySortedSet());

    /** Whether a version is not to be shown any more. */
    boolean hides(long number) {
      return number <= version || superseded.contains(number);
    }
  }

  private static final int ATTEMPTS = 100;
  private static final int PAGE = 1000;

  private final ObjectStore objects;
  private volatile Boundary known = Boundary.NONE;
  private volatile boolean listed;

  Boundaries(ObjectStore objects) {
    this.objects = objects;
  }

  /**
   * The number of the newest boundary that was seen so far, without asking for a newer one; 0 if
   * none was.
   */
  long numberSeen() {
    return known.number;
  }

  /** The newest boundary, as it is in the object store now. */
  Boundary newest() {
    Boundary seen = known;
    if (listed && objects.info(StoreNames.boundary(seen.number + 1)) == null) {
      return seen;
    }
    for (int i = 0; i < ATTEMPTS; i++) {
      ObjectInfo newest = newestObject();
      if (newest == null) {
        listed = true;
        return Boundary.NONE;
      }
      long number = numberOf(newest);
      Boundary cached = known;
      if (cached.number == number) {
        return cached;
      }
      SstSource source = objects.open(newest.name());
      if (source != null) {
        try (source) {
          Boundary boundary = read(newest, number, source);
          known = boundary;
          listed = true;
          return boundary;
        }
      }
    }
    throw StateStoreException.unavailable(
        "garbage collection advances faster than its boundary can be read; call again", null);
  }

  private static Boundary read(ObjectInfo object, long number, SstSource source) {
    BoundaryFormat body = BoundaryFormat.read(Envelope.open(object.name(), source));
    // A collector whose clock runs ahead must not lock out every writer to come: no cutoff lies
    // after the moment its boundary was created, by the clock that dates the objects.
    return new Boundary(
        number,
        body.version(),
        Math.min(body.cutoffMillis(), object.modifiedMillis()),
        Math.min(body.jobCutoffMillis(), object.modifiedMillis()),
        Collections.unmodifiableSortedSet(body.superseded()));
  }

  private @Nullable ObjectInfo newestObject() {
    ObjectInfo newest = null;
    String after = known.number == 0 ? "" : StoreNames.boundary(known.number - 1);
    while (true) {
      List<ObjectInfo> page = objects.list(StoreNames.BOUNDARIES, after, PAGE);
      for (ObjectInfo info : page) {
        if (StoreNames.number(StoreNames.BOUNDARIES, info.name()) != null) {
          newest = info;
        }
      }
      if (page.size() < PAGE) {
        return newest;
      }
      after = page.get(page.size() - 1).name();
    }
  }

  private static long numberOf(ObjectInfo info) {
    Long number = StoreNames.number(StoreNames.BOUNDARIES, info.name());
    return number == null ? 0 : number;
  }

  /** Creates a boundary that is nowhere below these figures; returns what counts from now on. */
  Boundary advance(long version, long cutoffMillis, long jobCutoffMillis) {
    return advance(
        last ->
            new BoundaryFormat(
                Math.max(last.version, version),
                Math.max(last.cutoffMillis, cutoffMillis),
                Math.max(last.jobCutoffMillis, jobCutoffMillis),
                last.superseded));
  }

  /** Creates a boundary that hides one more version. */
  Boundary supersede(long version) {
    return advance(
        last -> {
          SortedSet<Long> superseded = new TreeSet<>(last.superseded);
          superseded.add(version);
          return new BoundaryFormat(
              last.version, last.cutoffMillis, last.jobCutoffMillis, superseded);
        });
  }

  private Boundary advance(Function<Boundary, BoundaryFormat> next) {
    for (int i = 0; i < ATTEMPTS; i++) {
      Boundary last = newest();
      BoundaryFormat body = withoutRetired(next.apply(last));
      if (objects.putIfAbsent(StoreNames.boundary(last.number + 1), Envelope.wrap(body.write()))) {
        return newest();
      }
    }
    throw StateStoreException.unavailable(
        "other garbage collections always advance the boundary first; run fewer at once", null);
  }

  private static BoundaryFormat withoutRetired(BoundaryFormat body) {
    SortedSet<Long> superseded = new TreeSet<>(body.superseded().tailSet(body.version() + 1));
    while (superseded.size() > BoundaryFormat.MAX_SUPERSEDED) {
      superseded.remove(superseded.first());
    }
    return new BoundaryFormat(
        body.version(), body.cutoffMillis(), body.jobCutoffMillis(), superseded);
  }
}
