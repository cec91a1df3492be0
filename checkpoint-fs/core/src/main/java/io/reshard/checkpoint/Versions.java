package io.reshard.checkpoint;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The manifests of a store. Thread-safe. */
final class Versions {
  private static final long CACHE_BYTES = 64 << 20;
  private static final int PAGE = 1000;

  private final ObjectStore objects;
  private final Boundaries boundaries;
  private final String storeId;
  private final Cache<Long, Manifest> cache =
      Caffeine.newBuilder()
          .maximumWeight(CACHE_BYTES)
          .executor(Runnable::run)
          .<Long, Manifest>weigher((version, manifest) -> weight(manifest))
          .build();

  /** A version that was the newest once; newer ones can only come after it. */
  private volatile long newestKnown;

  Versions(ObjectStore objects, Boundaries boundaries, String storeId) {
    this.objects = objects;
    this.boundaries = boundaries;
    this.storeId = storeId;
  }

  private static int weight(Manifest manifest) {
    return 1024 + 300 * manifest.shards().size();
  }

  /**
   * All versions that have a manifest and are not retired, ascending. A manifest at or below the
   * boundary is one that garbage collection is about to delete, or that a writer which slept
   * through the deletion of its successor has made anew; neither is a version. One that was
   * superseded at once is none either: see {@link Publisher}.
   */
  List<Long> list() {
    List<Long> found = numbersAfter(0);
    found.removeIf(boundaries.newest()::hides);
    return found;
  }

  /** The numbers of all manifests above {@code after}, retired or not, ascending. */
  List<Long> numbersAfter(long after) {
    return new ArrayList<>(manifestsAfter(after).keySet());
  }

  /** All manifests with a number above {@code after}, retired or not. */
  SortedMap<Long, ObjectInfo> manifestsAfter(long after) {
    SortedMap<Long, ObjectInfo> found = new TreeMap<>();
    String last = StoreNames.manifest(after);
    while (true) {
      List<ObjectInfo> page = objects.list(StoreNames.MANIFESTS, last, PAGE);
      for (ObjectInfo info : page) {
        Long number = StoreNames.number(StoreNames.MANIFESTS, info.name());
        if (number != null && number > after) {
          found.put(number, info);
        }
      }
      if (page.size() < PAGE) {
        return found;
      }
      last = page.get(page.size() - 1).name();
    }
  }

  /**
   * The newest version, 0 if there is none. The newest is never retired, so no boundary is read.
   */
  long newest() {
    List<Long> newer = numbersAfter(newestKnown);
    if (!newer.isEmpty()) {
      newestKnown = Math.max(newestKnown, newer.get(newer.size() - 1));
    }
    return newestKnown;
  }

  /** The manifest of a version that is shown. */
  Manifest get(long version) {
    Manifest cached = cache.getIfPresent(version);
    if (cached != null) {
      return cached;
    }
    Manifest read = version < 1 ? null : read(version);
    if (read == null || boundaries.newest().hides(version)) {
      throw noSuchVersion(version);
    }
    cache.put(version, read);
    return read;
  }

  private StateStoreException noSuchVersion(long version) {
    List<Long> there = list();
    return StateStoreException.invalid(
        "no version "
            + version
            + " in "
            + objects.location()
            + "; "
            + (there.isEmpty() ? "there is none yet" : "there are " + shortened(there)));
  }

  private static String shortened(List<Long> versions) {
    int size = versions.size();
    return size <= 20
        ? versions.toString()
        : size + " from " + versions.get(0) + " to " + versions.get(size - 1);
  }

  /** Reads a manifest, retired or not; null if there is none. */
  @Nullable Manifest read(long version) {
    String name = StoreNames.manifest(version);
    SstSource source = objects.open(name);
    if (source == null) {
      return null;
    }
    try (source) {
      Manifest manifest = ManifestFormat.read(Envelope.open(name, source));
      if (manifest.version() != version || !manifest.storeId().equals(storeId)) {
        throw StateStoreException.corrupt(
            "object '"
                + name
                + "' is the manifest of version "
                + manifest.version()
                + " of store "
                + manifest.storeId()
                + ", expected version "
                + version
                + " of store "
                + storeId
                + "; it was put there from elsewhere. Restore the right one from a copy, or use"
                + " another version");
      }
      return manifest;
    }
  }

  /** Remembers a manifest that was just created. */
  void add(Manifest manifest) {
    cache.put(manifest.version(), manifest);
  }

  /** Forgets a manifest that was deleted. */
  void forget(long version) {
    cache.invalidate(version);
  }
}
