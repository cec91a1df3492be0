package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Opens object stores by location. */
public final class ObjectStores {
  /** A scheme of at least two characters, so that a drive letter is none. */
  private static final Pattern URI_FORM = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  private ObjectStores() {}

  /**
   * Opens a location with the options of this process: see {@link StoreOptions}.
   *
   * @throws StateStoreException INVALID if nothing here can open it
   */
  public static ObjectStore open(String location) {
    return open(location, StoreOptions.of(Map.of()));
  }

  /**
   * Opens a location: a path, a {@code file:} URI, or a URI whose scheme an {@link
   * ObjectStoreProvider} on the class path knows, such as {@code s3://bucket/prefix}.
   *
   * @throws StateStoreException INVALID if nothing here can open it
   */
  public static ObjectStore open(String location, StoreOptions options) {
    if (location.isBlank()) {
      throw StateStoreException.invalid("the location is empty; give a directory or a URI");
    }
    try {
      if (!URI_FORM.matcher(location).matches()) {
        return open(Path.of(location));
      }
      String scheme = location.substring(0, location.indexOf(':')).toLowerCase(Locale.ROOT);
      if (scheme.equals("file")) {
        return open(Path.of(URI.create(location)));
      }
      return provider(scheme, location).open(location, options);
    } catch (IllegalArgumentException e) { // InvalidPathException is one.
      throw new StateStoreException(
          StateStoreException.Kind.INVALID,
          "'" + location + "' is no location: " + e.getMessage() + "; give a path or a URI",
          e);
    }
  }

  private static ObjectStoreProvider provider(String scheme, String location) {
    Set<String> known = new TreeSet<>(Set.of("file"));
    for (ObjectStoreProvider provider : ServiceLoader.load(ObjectStoreProvider.class)) {
      if (provider.schemes().contains(scheme)) {
        return provider;
      }
      known.addAll(provider.schemes());
    }
    throw StateStoreException.invalid(
        "nothing on the class path opens '"
            + location
            + "'; give a path, or a URI with one of the schemes "
            + String.join(", ", known)
            + ", or put the module for '"
            + scheme
            + "' on the class path");
  }

  /** Whether a location is a URI other than {@code file:}, so that no local path leads to it. */
  public static boolean isRemote(String location) {
    return URI_FORM.matcher(location).matches()
        && !location.regionMatches(true, 0, "file:", 0, "file:".length());
  }

  /** Opens a directory on local disk; made at the first write. */
  public static ObjectStore open(Path directory) {
    return new LocalObjectStore(directory);
  }
}
