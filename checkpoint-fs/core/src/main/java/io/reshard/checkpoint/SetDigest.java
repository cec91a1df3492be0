package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.EntryType;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A digest of a multiset of rows: their number and the sum of a 128-bit hash of each, modulo 2^128.
 * Addition commutes, so the same rows have the same digest in whatever order, files and shards they
 * lie; digests of disjoint parts add up to the digest of the whole.
 *
 * <p>The hash of an entry is XXH3-128 (seed 0) of these bytes, integers big-endian:
 *
 * <pre>
 *   byte  entry type      {@link EntryType#code()}: 1 for a row that is there
 *   byte  n               length of the column family's name
 *   n bytes               the name, ASCII
 *   int   k               length of the key
 *   k bytes               the key, without a slot prefix
 *   the rest              the value
 * </pre>
 *
 * <p>Sequence numbers do not count. Not thread-safe.
 */
public final class SetDigest {
  private static final int LENGTH = 48;

  /** The hasher of the last entry added by name; most digests are never added to. */
  private @Nullable EntryHasher hasher;

  private long count;
  private long high;
  private long low;

  /** The digest of nothing. */
  public SetDigest() {}

  /** A digest with known figures. */
  public static SetDigest of(long count, long high, long low) {
    SetDigest digest = new SetDigest();
    digest.count = count;
    digest.high = high;
    digest.low = low;
    return digest;
  }

  /**
   * Reads what {@link #toString()} wrote.
   *
   * @throws StateStoreException of kind CORRUPT if it is not that
   */
  public static SetDigest parse(String text) {
    int colon = text.indexOf(':');
    try {
      if (colon > 0 && text.length() - colon - 1 == 32) {
        long count = Long.parseLong(text, 0, colon, 10);
        if (count >= 0) {
          return of(
              count,
              HexFormat.fromHexDigitsToLong(text, colon + 1, colon + 17),
              HexFormat.fromHexDigitsToLong(text, colon + 17, colon + 33));
        }
      }
    } catch (IllegalArgumentException e) {
      // Falls through to the one message.
    }
    throw StateStoreException.corrupt(
        "'"
            + text.substring(0, Math.min(text.length(), LENGTH))
            + "' is no digest; expected a count, ':' and 32 hexadecimal digits");
  }

  /** Adds a row that is there. */
  public void add(String columnFamily, ByteView key, int keyPrefix, ByteView value) {
    add(columnFamily, EntryType.PUT, key, keyPrefix, value);
  }

  /**
   * Adds an entry.
   *
   * @param keyPrefix bytes at the front of {@code key} that do not count: 2 where a slot is in
   *     front, else 0
   */
  public void add(
      String columnFamily, EntryType type, ByteView key, int keyPrefix, ByteView value) {
    EntryHasher current = hasher;
    if (current == null || !current.isFor(columnFamily, keyPrefix)) {
      current = new EntryHasher(columnFamily, keyPrefix);
      hasher = current;
    }
    current.hash(type, key, value);
    add(current);
  }

  /** Adds the entry that {@code entry} has hashed last. */
  public void add(EntryHasher entry) {
    plus(1, entry.high(), entry.low());
  }

  /** Adds every entry of another digest. */
  public void add(SetDigest other) {
    plus(other.count, other.high, other.low);
  }

  void plus(long count, long high, long low) {
    this.count += count;
    long sum = this.low + low;
    this.high += high + (Long.compareUnsigned(sum, low) < 0 ? 1 : 0);
    this.low = sum;
  }

  /** Number of entries. */
  public long count() {
    return count;
  }

  /** Upper 64 bits of the sum. */
  long high() {
    return high;
  }

  /** Lower 64 bits of the sum. */
  long low() {
    return low;
  }

  /** A copy that changes no more with this one. */
  public SetDigest copy() {
    return of(count, high, low);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof SetDigest other
        && count == other.count
        && high == other.high
        && low == other.low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(count * 31 + high) * 31 + Long.hashCode(low);
  }

  /** {@code count:32 hexadecimal digits}. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return count + ":" + hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
