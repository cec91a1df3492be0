package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;

/** The names objects may have; see {@link ObjectStore}. For whoever implements one. */
public final class ObjectNames {
  /** Longest name, in characters. */
  public static final int MAX_LENGTH = 255;

  private ObjectNames() {}

  /** Whether it is a name an object may have. */
  public static boolean isValid(String name) {
    if (name.isEmpty() || name.length() > MAX_LENGTH) {
      return false;
    }
    int start = 0;
    while (true) {
      int end = name.indexOf('/', start);
      if (!isSegment(name, start, end < 0 ? name.length() : end)) {
        return false;
      }
      if (end < 0) {
        return true;
      }
      start = end + 1;
    }
  }

  private static boolean isSegment(String name, int start, int end) {
    if (start == end) {
      return false;
    }
    boolean onlyDots = end - start <= 2;
    for (int i = start; i < end; i++) {
      char c = name.charAt(i);
      if (!isLetterOrDigit(c) && c != '.' && c != '_' && c != '-') {
        return false;
      }
      onlyDots &= c == '.';
    }
    return !onlyDots;
  }

  private static boolean isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  /**
   * Gives the name back.
   *
   * @throws StateStoreException of kind INVALID if it is none
   */
  public static String check(String name) {
    if (!isValid(name)) {
      throw StateStoreException.invalid(
          "'"
              + name.substring(0, Math.min(name.length(), MAX_LENGTH))
              + "' is no object name; give segments of a-z A-Z 0-9 . _ - separated by '/', none of"
              + " them empty, '.' or '..', at most "
              + MAX_LENGTH
              + " characters in all");
    }
    return name;
  }

  /**
   * Checks what {@link ObjectStore#list} is asked for.
   *
   * @return the directory that all names with the prefix lie in; empty if that is the root
   * @throws StateStoreException of kind INVALID if the directory is no object name, or if less than
   *     one object is asked for
   */
  public static String checkList(String prefix, int limit) {
    if (limit < 1) {
      throw StateStoreException.invalid(
          "a list of at most " + limit + " objects; ask for 1 or more");
    }
    int slash = prefix.lastIndexOf('/');
    return slash <= 0 ? "" : check(prefix.substring(0, slash));
  }

  /** A name of one segment of {@code a-z A-Z 0-9 _ -}, at most 64 characters. */
  static String checkLabel(String what, String label) {
    boolean valid = !label.isEmpty() && label.length() <= 64;
    for (int i = 0; valid && i < label.length(); i++) {
      char c = label.charAt(i);
      valid = isLetterOrDigit(c) || c == '_' || c == '-';
    }
    if (!valid) {
      throw StateStoreException.invalid(
          what
              + " '"
              + label.substring(0, Math.min(label.length(), 64))
              + "'; give 1 to 64 characters of a-z A-Z 0-9 _ -");
    }
    return label;
  }
}
