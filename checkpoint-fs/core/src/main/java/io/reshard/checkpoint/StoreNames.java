package io.reshard.checkpoint;

import org.jspecify.annotations.Nullable;

/** Where what lies in a store; {@code docs/checkpoint-format.md} shows it as a tree. */
final class StoreNames {
  static final String STORE = "store.json";
  static final String MANIFESTS = "manifests/";
  static final String SHARDS = "shards/";
  static final String FILES = "files/";
  static final String JOBS = "jobs/";
  static final String BOUNDARIES = "gc/boundary-";

  private static final String JSON = ".json";
  private static final String PACK = ".pack";
  private static final String SST = ".sst";
  private static final int DIGITS = 20;

  /** Where the hash stands in {@link #file} without a suffix. */
  static final int FILE_HASH_AT = FILES.length() + 3;

  private static final int FILE_LENGTH = FILE_HASH_AT + 16 * Sha256.LONGS + SST.length();

  private StoreNames() {}

  static String manifest(long version) {
    return numbered(MANIFESTS, version);
  }

  static String boundary(long number) {
    return numbered(BOUNDARIES, number);
  }

  static String job(String job) {
    return JOBS + job + "/";
  }

  static String jobResult(String job, String task) {
    return job(job) + task + JSON;
  }

  /** {@code suffix} is empty, or tells this object from one of the same content. */
  static String shardLists(String sha256, String suffix) {
    return SHARDS + sha256 + suffix + JSON;
  }

  static String file(String sha256, String suffix) {
    return FILES + sha256.substring(0, 2) + "/" + sha256 + suffix + SST;
  }

  static String pack(String sha256, String suffix) {
    return FILES + sha256.substring(0, 2) + "/" + sha256 + suffix + PACK;
  }

  /**
   * Puts the rest of {@link #file} around a hash that stands in {@code text} at {@link
   * #FILE_HASH_AT}; returns its length.
   */
  static int putFile(char[] text) {
    FILES.getChars(0, FILES.length(), text, 0);
    text[FILES.length()] = text[FILE_HASH_AT];
    text[FILES.length() + 1] = text[FILE_HASH_AT + 1];
    text[FILES.length() + 2] = '/';
    SST.getChars(0, SST.length(), text, FILE_LENGTH - SST.length());
    return FILE_LENGTH;
  }

  /** Whether a name is that of {@link #file} without a suffix. */
  static boolean isFile(String name, long[] sha256) {
    if (name.length() != FILE_LENGTH
        || !name.startsWith(FILES)
        || !name.endsWith(SST)
        || name.charAt(FILE_HASH_AT - 1) != '/'
        || !name.regionMatches(FILES.length(), name, FILE_HASH_AT, 2)) {
      return false;
    }
    for (int i = 0; i < 16 * Sha256.LONGS; i++) {
      int digit = (int) (sha256[i / 16] >>> (60 - 4 * (i % 16))) & 15;
      if (Hex.digit(name.charAt(FILE_HASH_AT + i)) != digit) {
        return false;
      }
    }
    return true;
  }

  /** Whether an object may hold several files. */
  static boolean isPack(String object) {
    return object.endsWith(PACK);
  }

  private static String numbered(String prefix, long number) {
    String digits = Long.toString(number);
    return prefix + "0".repeat(DIGITS - digits.length()) + digits + JSON;
  }

  /** The number in a name that {@link #numbered} made; null for any other name. */
  static @Nullable Long number(String prefix, String name) {
    if (name.length() != prefix.length() + DIGITS + JSON.length()
        || !name.startsWith(prefix)
        || !name.endsWith(JSON)) {
      return null;
    }
    long number = 0;
    for (int i = prefix.length(); i < prefix.length() + DIGITS; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9 || number > (Long.MAX_VALUE - digit) / 10) {
        return null;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
