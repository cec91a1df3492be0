package io.reshard.spi;

/** Bounds that every backend keeps and every reader checks before it allocates. */
public final class Limits {
  /** Longest key, in bytes, a {@link ShardStore} must take. An empty key is a key. */
  public static final int MAX_KEY_BYTES = 1 << 20;

  /** Longest value, in bytes, a {@link ShardStore} must take. An empty value is a value. */
  public static final int MAX_VALUE_BYTES = 64 << 20;

  private Limits() {}

  /**
   * Rule S-105: a longer key or value is INVALID.
   *
   * @throws StateStoreException of kind INVALID if a length is out of bounds
   */
  public static void check(int keyBytes, int valueBytes) {
    if (keyBytes > MAX_KEY_BYTES) {
      throw StateStoreException.invalid(
          "key of " + keyBytes + " bytes; the longest allowed is " + MAX_KEY_BYTES);
    }
    if (valueBytes > MAX_VALUE_BYTES) {
      throw StateStoreException.invalid(
          "value of " + valueBytes + " bytes; the longest allowed is " + MAX_VALUE_BYTES);
    }
  }
}
