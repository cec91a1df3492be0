package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.net.URI;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Opens object stores by location. */
public final class ObjectStores {
  /** A scheme of at least two characters, so that a drive letter is none. */
  private static final Pattern URI_FORM = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  private ObjectStores() {}

  /**
   * Opens a location: a path or a {@code file:} URI.
   *
   * @throws StateStoreException INVALID if nothing here can open it
   */
  public static ObjectStore open(String location) {
    if (location.isBlank()) {
      throw StateStoreException.invalid("the location is empty; give a directory or a file: URI");
    }
    try {
      if (!URI_FORM.matcher(location).matches()) {
        return open(Path.of(location));
      }
      URI uri = URI.create(location);
      if ("file".equalsIgnoreCase(uri.getScheme())) {
        return open(Path.of(uri));
      }
    } catch (IllegalArgumentException e) { // InvalidPathException is one.
      throw new StateStoreException(
          StateStoreException.Kind.INVALID,
          "'" + location + "' is no location: " + e.getMessage() + "; give a path or a file: URI",
          e);
    }
    throw StateStoreException.invalid(
        "nothing on the class path opens '" + location + "'; give a path or a file: URI");
  }

  /** Opens a directory on local disk; made at the first write. */
  public static ObjectStore open(Path directory) {
    return new LocalObjectStore(directory);
  }
}
