package io.reshard.checkpoint;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * A set of millions of object names, each of which can be ticked off. In place of a name 126 bits
 * of its XXH3-128 are kept, in a table with open addressing: 32 to 64 bytes a name. Names that
 * agree in those bits count as one. Names are hashes of content, so that does not happen by chance;
 * and whoever makes it happen keeps an object that could have been deleted. Thread-safe.
 */
final class NameSet {
  private static final Hasher128 HASHER = Hashing.xxh3_128();

  /** In the lower half of an entry: that it is one, and that it is ticked off. */
  private static final long USED = 2;

  private static final long TICKED = 1;

  /** Two longs for each entry; the number of entries is a power of two. */
  private long[] table = new long[2 << 10];

  private int size;
  private int ticked;

  /** Adds a name. */
  void add(String name) {
    HashValue128 hash = HASHER.hashCharsTo128Bits(name);
    synchronized (this) {
      int at = find(table, high(hash), low(hash));
      if (table[at + 1] == 0) {
        table[at] = high(hash);
        table[at + 1] = low(hash);
        size++;
        if (size > table.length / 4) {
          grow();
        }
      }
    }
  }

  boolean contains(String name) {
    return lower(name) != 0;
  }

  /** Ticks a name off, if it is there. */
  void tick(String name) {
    HashValue128 hash = HASHER.hashCharsTo128Bits(name);
    synchronized (this) {
      int at = find(table, high(hash), low(hash));
      if (table[at + 1] != 0 && (table[at + 1] & TICKED) == 0) {
        table[at + 1] |= TICKED;
        ticked++;
      }
    }
  }

  /** Whether a name is there and was ticked off. */
  boolean isTicked(String name) {
    return (lower(name) & TICKED) != 0;
  }

  private long lower(String name) {
    HashValue128 hash = HASHER.hashCharsTo128Bits(name);
    synchronized (this) {
      return table[find(table, high(hash), low(hash)) + 1];
    }
  }

  /** Whether every name was ticked off. */
  synchronized boolean areAllTicked() {
    return ticked == size;
  }

  /** Number of names. */
  synchronized int size() {
    return size;
  }

  private static long high(HashValue128 hash) {
    return hash.getMostSignificantBits();
  }

  private static long low(HashValue128 hash) {
    return (hash.getLeastSignificantBits() & ~TICKED) | USED;
  }

  private void grow() {
    long[] larger = new long[Math.multiplyExact(table.length, 2)];
    for (int at = 0; at < table.length; at += 2) {
      if (table[at + 1] != 0) {
        int to = find(larger, table[at], table[at + 1] & ~TICKED);
        larger[to] = table[at];
        larger[to + 1] = table[at + 1];
      }
    }
    table = larger;
  }

  /** Where an entry stands, or may be put. */
  private static int find(long[] table, long high, long low) {
    int mask = table.length / 2 - 1;
    int at = Spread.of(high, low) & mask;
    while (table[2 * at + 1] != 0
        && (table[2 * at] != high || (table[2 * at + 1] & ~TICKED) != low)) {
      at = (at + 1) & mask;
    }
    return 2 * at;
  }
}
