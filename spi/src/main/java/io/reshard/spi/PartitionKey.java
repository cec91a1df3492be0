package io.reshard.spi;

import java.util.regex.Pattern;

/**
 * Which bytes of a key decide the shard: a declaration that is stored with the column family, so
 * that rows can be placed anew years later without the code that wrote them.
 *
 * <p>The text form ({@link #toString()}, {@link #parse}) is what manifests hold:
 *
 * <pre>
 *   whole                the whole key
 *   first:N              the first N bytes (the whole key where it is shorter)
 *   skip:N               all but the first N bytes (nothing where it is shorter)
 *   length-prefixed      a 2-byte big-endian length L, then L bytes: those L bytes; what follows
 *                        them in the key does not count
 *   named:NAME           the extractor a {@link PartitionKeyExtractor} found by ServiceLoader gives
 * </pre>
 *
 * @param kind which of the forms it is
 * @param bytes N for {@link Kind#FIRST} and {@link Kind#SKIP}, else 0
 * @param extractor NAME for {@link Kind#NAMED}, else empty
 */
public record PartitionKey(Kind kind, int bytes, String extractor) {
  /** The forms of a declaration. */
  public enum Kind {
    /** The whole key. */
    WHOLE,
    /** The first n bytes. */
    FIRST,
    /** All but the first n bytes. */
    SKIP,
    /** A 2-byte big-endian length and that many bytes. */
    LENGTH_PREFIXED,
    /** An extractor found by its name. */
    NAMED
  }

  private static final int MAX_BYTES = 65_535;
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

  /** Checks what the parts allow. */
  public PartitionKey {
    boolean counted = kind == Kind.FIRST || kind == Kind.SKIP;
    if (counted ? bytes < 1 || bytes > MAX_BYTES : bytes != 0) {
      throw StateStoreException.invalid(
          "partition key " + kind + " of " + bytes + " bytes; give 1 to " + MAX_BYTES);
    }
    if (kind == Kind.NAMED ? !NAME.matcher(extractor).matches() : !extractor.isEmpty()) {
      throw StateStoreException.invalid(
          "partition key extractor '" + extractor + "'; give a name like 'by-user'");
    }
  }

  /** The whole key decides. */
  public static PartitionKey whole() {
    return new PartitionKey(Kind.WHOLE, 0, "");
  }

  /** The first {@code n} bytes decide. */
  public static PartitionKey first(int n) {
    return new PartitionKey(Kind.FIRST, n, "");
  }

  /** All but the first {@code n} bytes decide. */
  public static PartitionKey skip(int n) {
    return new PartitionKey(Kind.SKIP, n, "");
  }

  /** The bytes behind a 2-byte big-endian length decide. */
  public static PartitionKey lengthPrefixed() {
    return new PartitionKey(Kind.LENGTH_PREFIXED, 0, "");
  }

  /** The extractor of that name decides. */
  public static PartitionKey named(String extractor) {
    return new PartitionKey(Kind.NAMED, 0, extractor);
  }

  /**
   * Reads the text form.
   *
   * @throws StateStoreException of kind INVALID if it is none
   */
  public static PartitionKey parse(String text) {
    if (text.equals("whole")) {
      return whole();
    }
    if (text.equals("length-prefixed")) {
      return lengthPrefixed();
    }
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw notOne(text);
    }
    String rest = text.substring(colon + 1);
    return switch (text.substring(0, colon)) {
      case "first" -> first(number(text, rest));
      case "skip" -> skip(number(text, rest));
      case "named" -> named(rest);
      default -> throw notOne(text);
    };
  }

  private static int number(String text, String digits) {
    if (digits.isEmpty()
        || digits.length() > 5
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw notOne(text);
    }
    return Integer.parseInt(digits);
  }

  private static StateStoreException notOne(String text) {
    return StateStoreException.invalid(
        "'"
            + text
            + "' is no partition key; give whole, first:N, skip:N, length-prefixed or named:NAME");
  }

  @Override
  public String toString() {
    return switch (kind) {
      case WHOLE -> "whole";
      case FIRST -> "first:" + bytes;
      case SKIP -> "skip:" + bytes;
      case LENGTH_PREFIXED -> "length-prefixed";
      case NAMED -> "named:" + extractor;
    };
  }
}
