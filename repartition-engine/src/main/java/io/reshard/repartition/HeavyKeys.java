package io.reshard.repartition;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.reshard.spi.ByteView;
import java.util.Arrays;

/**
 * Finds the partition key with the most bytes, in bounded memory.
 *
 * <p>A partition key lies in one shard, so the table is emptied after each shard. It is a hash
 * table of 64-bit hashes (XXH3) and bytes; two keys of one hash would be taken for one, at odds of
 * one in 10^8 for a million keys in a shard. Up to {@link #MAX_KEYS} keys of a shard it is exact.
 * Above, it becomes the sketch of Misra and Gries in the form of Anderson et al. ("A
 * High-Performance Algorithm for Identifying Frequent Items in Data Streams", IMC 2017): when full,
 * the median of a sample is taken off every key and those with nothing left go; the sum of what was
 * taken off bounds the error.
 */
final class HeavyKeys {
  /** Keys of a shard that are counted exactly: with 16 bytes each 4 MiB. */
  static final int MAX_KEYS = 3 << 16;

  private static final int INITIAL = 1 << 10;
  private static final int MAX = 1 << 18;
  private static final int SAMPLE = 1 << 10;

  private final Hasher64 hasher = Hashing.xxh3_64();
  private final int maxKeys;
  private long[] hashes = new long[INITIAL];
  private long[] bytes = new long[INITIAL];
  private int size;
  private long takenOff;
  private boolean exact = true;
  private long heaviestHash;
  private long heaviestBytes;
  private byte[] heaviestKey = {};

  HeavyKeys() {
    this(MAX_KEYS);
  }

  /** For tests: exact up to fewer keys. */
  HeavyKeys(int maxKeys) {
    this.maxKeys = maxKeys;
  }

  /** A row of {@code more} bytes of a partition key. */
  void add(ByteView partitionKey, long more) {
    long hash =
        hasher.hashBytesToLong(partitionKey.array(), partitionKey.offset(), partitionKey.length());
    // 0 marks an empty place.
    hash = hash == 0 ? 1 : hash;
    int at = place(hash);
    if (hashes[at] == 0) {
      hashes[at] = hash;
      size++;
    }
    bytes[at] += more;
    if (bytes[at] + takenOff > heaviestBytes) {
      heaviestBytes = bytes[at] + takenOff;
      if (hash != heaviestHash) {
        heaviestHash = hash;
        heaviestKey = partitionKey.toByteArray();
      }
    }
    if (size >= maxKeys) {
      purge();
    } else if (size >= hashes.length / 4 * 3 && hashes.length < MAX) {
      rehash(hashes.length * 2, 0);
    }
  }

  /** The shard is done; its keys are in no other. */
  void endShard() {
    if (size > 0) {
      hashes = new long[INITIAL];
      bytes = new long[INITIAL];
      size = 0;
    }
    takenOff = 0;
    // The next shard's keys are others, even if one has the same hash.
    heaviestHash = 0;
  }

  private int place(long hash) {
    int mask = hashes.length - 1;
    int at = (int) hash & mask;
    while (hashes[at] != 0 && hashes[at] != hash) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private void purge() {
    exact = false;
    long[] sample = new long[SAMPLE];
    int n = 0;
    for (int i = 0; i < bytes.length && n < SAMPLE; i++) {
      if (hashes[i] != 0) {
        sample[n] = bytes[i];
        n++;
      }
    }
    Arrays.sort(sample, 0, n);
    long median = sample[n / 2];
    takenOff += median;
    rehash(hashes.length, median);
  }

  private void rehash(int length, long less) {
    long[] oldHashes = hashes;
    long[] oldBytes = bytes;
    hashes = new long[length];
    bytes = new long[length];
    size = 0;
    for (int i = 0; i < oldHashes.length; i++) {
      if (oldHashes[i] != 0 && oldBytes[i] > less) {
        int at = place(oldHashes[i]);
        hashes[at] = oldHashes[i];
        bytes[at] = oldBytes[i] - less;
        size++;
      }
    }
  }

  /** Whether the figures are exact; else {@link #heaviestBytes} is an upper bound. */
  boolean isExact() {
    return exact;
  }

  /** Bytes of the heaviest partition key. */
  long heaviestBytes() {
    return heaviestBytes;
  }

  /** The heaviest partition key. */
  ByteView heaviestKey() {
    return new ByteView(heaviestKey);
  }
}
