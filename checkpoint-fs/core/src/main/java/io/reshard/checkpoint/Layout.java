package io.reshard.checkpoint;

import com.dynatrace.hash4j.hashing.Hasher32;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.Placement;
import io.reshard.spi.StateStoreException;
import java.util.Locale;

/**
 * How keys map to shards. Stored in every manifest with the name and seed of its hash, never
 * inferred.
 *
 * <ul>
 *   <li>{@link Kind#SLOTS}: slot = top 16 bits of a 64-bit hash of the partition key; shard s of N
 *       owns the slots from {@code ceil(s * 65536 / N)} to {@code ceil((s + 1) * 65536 / N)},
 *       exclusive. Keys of HASHED column families are stored as {@code slot (2 bytes, big-endian),
 *       key}; those of ORDERED column families as they are.
 *   <li>{@link Kind#MODULO}: shard = floorMod(32-bit hash of the partition key, N); keys are stored
 *       as they are.
 * </ul>
 *
 * Hashes: {@code xxh3-64} for slots, {@code murmur3-32} (Murmur3 x86 32 bit) for modulo.
 *
 * @param kind slots or modulo
 * @param shards N, 1 to 65,536
 * @param hash name of the hash
 * @param seed seed of the hash
 */
public record Layout(Kind kind, int shards, String hash, long seed) {
  /** The two kinds of layout. */
  public enum Kind {
    /** Contiguous ranges of hash slots. */
    SLOTS,
    /** Hash modulo number of shards. */
    MODULO;

    /** The name in manifests and on the command line. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Number of slots. */
  public static final int SLOTS = 65_536;

  /** Greatest number of shards. */
  public static final int MAX_SHARDS = 65_536;

  /** Bytes of a slot prefix. */
  public static final int SLOT_BYTES = 2;

  private static final String SLOTS_HASH = "xxh3-64";
  private static final String MODULO_HASH = "murmur3-32";

  /** Checks number of shards and hash. */
  public Layout {
    checkShards(shards);
    String expected = kind == Kind.SLOTS ? SLOTS_HASH : MODULO_HASH;
    if (!hash.equals(expected)) {
      throw StateStoreException.incompatible(
          "hash '" + hash + "' of a " + kind.label() + " layout; this version knows " + expected);
    }
    if (kind == Kind.MODULO && seed != (int) seed) {
      throw StateStoreException.invalid("seed " + seed + " of " + hash + "; it has 32 bits");
    }
  }

  /**
   * Checks a number of shards.
   *
   * @throws StateStoreException of kind INVALID if it is not 1 to 65,536
   */
  public static int checkShards(long shards) {
    if (shards < 1 || shards > MAX_SHARDS) {
      throw StateStoreException.invalid(shards + " shards; give a number from 1 to " + MAX_SHARDS);
    }
    return (int) shards;
  }

  /** The {@code slots} layout with {@code shards} shards, seed 0. */
  public static Layout slots(int shards) {
    return new Layout(Kind.SLOTS, shards, SLOTS_HASH, 0);
  }

  /** The {@code modulo} layout with {@code shards} shards, seed 42. */
  public static Layout modulo(int shards) {
    return new Layout(Kind.MODULO, shards, MODULO_HASH, 42);
  }

  /** The same layout with another number of shards. */
  public Layout withShards(int shards) {
    return new Layout(kind, shards, hash, seed);
  }

  /** Bytes in front of stored keys of a column family that are not part of the key: 2 or 0. */
  public int keyPrefix(ColumnFamily columnFamily) {
    return kind == Kind.SLOTS && columnFamily.placement() == Placement.HASHED ? SLOT_BYTES : 0;
  }

  /** A function that places partition keys; not thread-safe, make one per thread. */
  public Placer placer() {
    return new Placer(this);
  }

  /** First slot of shard {@code shard}: {@code ceil(shard * 65536 / N)}; SLOTS for shard = N. */
  public int firstSlot(int shard) {
    return firstSlot(shard, shards);
  }

  static int firstSlot(int shard, int shards) {
    return (int) (((long) shard * SLOTS + shards - 1) / shards);
  }

  /** The shard that owns a slot. */
  public int shardOfSlot(int slot) {
    return (int) ((long) slot * shards / SLOTS);
  }

  /** The shard of a partition key whose {@link Placer#hash} is {@code hash}. */
  public int shardOfHash(int hash) {
    return kind == Kind.SLOTS ? shardOfSlot(hash) : Math.floorMod(hash, shards);
  }

  /** Places partition keys. */
  public static final class Placer {
    private final boolean slots;
    private final Layout layout;
    private final Hasher64 hash64;
    private final Hasher32 hash32;

    private Placer(Layout layout) {
      this.layout = layout;
      this.slots = layout.kind == Kind.SLOTS;
      this.hash64 = Hashing.xxh3_64(layout.seed);
      this.hash32 = Hashing.murmur3_32((int) layout.seed);
    }

    /** The slot of a partition key, 0 to 65,535; only for a slots layout. */
    public int slot(ByteView partitionKey) {
      long hash =
          hash64.hashBytesToLong(
              partitionKey.array(), partitionKey.offset(), partitionKey.length());
      return (int) (hash >>> 48);
    }

    /**
     * What of a partition key decides the shard whatever their number: the slot in a slots layout,
     * the 32-bit hash in a modulo layout. See {@link Layout#shardOfHash}.
     */
    public int hash(ByteView partitionKey) {
      return slots
          ? slot(partitionKey)
          : hash32.hashBytesToInt(
              partitionKey.array(), partitionKey.offset(), partitionKey.length());
    }

    /** The shard of a partition key, 0 to N - 1. */
    public int shard(ByteView partitionKey) {
      return layout.shardOfHash(hash(partitionKey));
    }
  }
}
