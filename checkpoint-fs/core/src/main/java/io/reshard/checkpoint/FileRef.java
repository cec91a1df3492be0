package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.Limits;
import io.reshard.spi.StateStoreException;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One SST file of a shard: where its bytes are, what they hash to, and what they hold. Immutable;
 * arrays it gives out must not be changed.
 *
 * <p>A store of 100 TB has 1.6 million of these in memory while it is planned. So hashes are kept
 * as bits, and the name of an object that follows from the hash is not kept at all: about 200 bytes
 * each.
 */
public final class FileRef implements FileHandle {
  /** Longest column family name there is. */
  private static final int MAX_NAME = 64;

  /** Sequence numbers have 56 bits. */
  private static final long MAX_SEQUENCE = (1L << 56) - 1;

  /** Bytes and entries of a file: so many that sums over a whole store cannot overflow. */
  static final long MAX_BYTES = 1L << 42;

  /** RocksDB's last level by default. */
  static final int MAX_LEVEL = 6;

  /** The order in file lists. */
  static final Comparator<FileRef> LIST_ORDER = FileRef::compareInList;

  private final String columnFamily;

  /** Null where it follows from the hash. */
  private final @Nullable String object;

  private final byte[] smallestKey;
  private final byte[] largestKey;
  private final int level;
  private final long offset;
  private final long length;
  private final long hash0;
  private final long hash1;
  private final long hash2;
  private final long hash3;
  private final long smallestSequence;
  private final long largestSequence;
  private final long deletions;
  private final long digestCount;
  private final long digestHigh;
  private final long digestLow;

  /**
   * Checks every part.
   *
   * @param columnFamily name of its column family
   * @param object name of the object that holds it: the file alone, or a pack of several
   * @param offset where it starts in the object
   * @param length its length in bytes
   * @param sha256 SHA-256 of its bytes, 64 lower-case hexadecimal digits
   * @param level LSM level: within a shard and column family, files of a level above 0 share at
   *     most a boundary key
   * @param smallestKey least user key, as stored (with slot prefix where there is one)
   * @param largestKey greatest user key, as stored
   * @param smallestSequence least sequence number
   * @param largestSequence greatest sequence number
   * @param deletions number of entries that are not puts
   * @param digest digest of its entries as they are; its count is the number of entries
   * @throws StateStoreException of kind INVALID if one is wrong
   */
  public FileRef(
      String columnFamily,
      String object,
      long offset,
      long length,
      String sha256,
      int level,
      byte[] smallestKey,
      byte[] largestKey,
      long smallestSequence,
      long largestSequence,
      long deletions,
      SetDigest digest) {
    this(
        new Parts(columnFamily, smallestKey, largestKey)
            .object(object)
            .place(offset, length)
            .sha256(sha256)
            .level(level)
            .sequences(smallestSequence, largestSequence)
            .entries(deletions, digest.count(), digest.high(), digest.low()));
  }

  /** Checks every part; what was read from bytes goes through here. */
  FileRef(Parts parts) {
    this.columnFamily = parts.columnFamily;
    this.object = parts.object;
    this.offset = parts.offset;
    this.length = parts.length;
    this.hash0 = parts.hash[0];
    this.hash1 = parts.hash[1];
    this.hash2 = parts.hash[2];
    this.hash3 = parts.hash[3];
    this.level = parts.level;
    this.smallestKey = parts.smallestKey;
    this.largestKey = parts.largestKey;
    this.smallestSequence = parts.smallestSequence;
    this.largestSequence = parts.largestSequence;
    this.deletions = parts.deletions;
    this.digestCount = parts.digestCount;
    this.digestHigh = parts.digestHigh;
    this.digestLow = parts.digestLow;
    check(!columnFamily.isEmpty() && columnFamily.length() <= MAX_NAME, "its column family's name");
    if (object != null) {
      ObjectNames.check(object);
    }
    if (!(offset >= 0 && offset <= MAX_BYTES && length > 0 && length <= MAX_BYTES)) {
      check(false, "its offset " + offset + " and length " + length);
    }
    check(level >= 0 && level <= MAX_LEVEL, "its level, 0 to 6");
    check(
        smallestKey.length <= Limits.MAX_KEY_BYTES
            && largestKey.length <= Limits.MAX_KEY_BYTES
            && Arrays.compareUnsigned(smallestKey, largestKey) <= 0,
        "its key bounds");
    check(
        smallestSequence >= 0
            && smallestSequence <= largestSequence
            && largestSequence <= MAX_SEQUENCE,
        "its sequence numbers");
    check(digestCount > 0 && digestCount <= MAX_BYTES, "its number of entries");
    check(deletions >= 0 && deletions <= digestCount, "its number of deletions");
  }

  private static void check(boolean valid, String what) {
    if (!valid) {
      throw StateStoreException.invalid("a reference to a file is wrong in " + what);
    }
  }

  /** The parts of a reference on their way together. Reused by whoever reads many. */
  static final class Parts {
    String columnFamily;
    byte[] smallestKey;
    byte[] largestKey;

    /** Null where it follows from the hash. */
    @Nullable String object;

    final long[] hash = new long[Sha256.LONGS];
    int level;
    long offset;
    long length;
    long smallestSequence;
    long largestSequence;
    long deletions;
    long digestCount;
    long digestHigh;
    long digestLow;

    Parts(String columnFamily, byte[] smallestKey, byte[] largestKey) {
      this.columnFamily = columnFamily;
      this.smallestKey = smallestKey;
      this.largestKey = largestKey;
    }

    private Parts object(String object) {
      this.object = object;
      return this;
    }

    private Parts place(long offset, long length) {
      this.offset = offset;
      this.length = length;
      return this;
    }

    /** After the object. */
    private Parts sha256(String sha256) {
      check(Sha256.isHex(sha256), "its SHA-256");
      Sha256.parse(sha256, hash);
      if (StoreNames.file(sha256, "").equals(object)) {
        object = null;
      }
      return this;
    }

    private Parts level(int level) {
      this.level = level;
      return this;
    }

    private Parts sequences(long smallest, long largest) {
      smallestSequence = smallest;
      largestSequence = largest;
      return this;
    }

    private Parts entries(long deletions, long count, long high, long low) {
      this.deletions = deletions;
      this.digestCount = count;
      this.digestHigh = high;
      this.digestLow = low;
      return this;
    }
  }

  /** Name of its column family. */
  public String columnFamily() {
    return columnFamily;
  }

  /** Name of the object that holds it: the file alone, or a pack of several. */
  public String object() {
    return object == null ? StoreNames.file(sha256(), "") : object;
  }

  /** Whether it lies alone in the object that its hash names. */
  boolean isAlone() {
    return object == null;
  }

  /** Whether two files lie in one object. */
  boolean isWith(FileRef other) {
    return object == null
        ? other.object == null && sameContent(other)
        : object.equals(other.object);
  }

  /** Where it starts in the object. */
  public long offset() {
    return offset;
  }

  /** Its length in bytes. */
  @Override
  public long length() {
    return length;
  }

  /** SHA-256 of its bytes, 64 hexadecimal digits. */
  public String sha256() {
    return Sha256.hex(hash0, hash1, hash2, hash3);
  }

  /** Whether two files have the same SHA-256. */
  boolean sameContent(FileRef other) {
    return hash0 == other.hash0
        && hash1 == other.hash1
        && hash2 == other.hash2
        && hash3 == other.hash3;
  }

  /** Bits 64 {@code i} to 64 {@code i} + 63 of the SHA-256. */
  long hash(int i) {
    return switch (i) {
      case 0 -> hash0;
      case 1 -> hash1;
      case 2 -> hash2;
      default -> hash3;
    };
  }

  /** LSM level, 0 to 6. */
  public int level() {
    return level;
  }

  /** Least user key, as stored (with slot prefix where there is one); not to be changed. */
  public byte[] smallestKey() {
    return smallestKey;
  }

  /** Greatest user key, as stored; not to be changed. */
  public byte[] largestKey() {
    return largestKey;
  }

  /** Least sequence number. */
  public long smallestSequence() {
    return smallestSequence;
  }

  /** Greatest sequence number. */
  public long largestSequence() {
    return largestSequence;
  }

  /** Number of entries that are not puts. */
  public long deletions() {
    return deletions;
  }

  /** Digest of its entries as they are; a copy. */
  @Override
  public SetDigest digest() {
    return SetDigest.of(digestCount, digestHigh, digestLow);
  }

  /** Adds the digest of its entries to a sum. */
  public void addDigestTo(SetDigest sum) {
    sum.plus(digestCount, digestHigh, digestLow);
  }

  /** Number of entries. */
  public long entries() {
    return digestCount;
  }

  long digestHigh() {
    return digestHigh;
  }

  long digestLow() {
    return digestLow;
  }

  @Override
  public FileRef ref() {
    return this;
  }

  /** The same file on another level. */
  public FileRef withLevel(int level) {
    if (level == this.level) {
      return this;
    }
    Parts parts =
        new Parts(columnFamily, smallestKey, largestKey)
            .place(offset, length)
            .level(level)
            .sequences(smallestSequence, largestSequence)
            .entries(deletions, digestCount, digestHigh, digestLow);
    parts.object = object;
    for (int i = 0; i < Sha256.LONGS; i++) {
      parts.hash[i] = hash(i);
    }
    return new FileRef(parts);
  }

  private int compareInList(FileRef other) {
    int order = columnFamily.compareTo(other.columnFamily);
    if (order == 0) {
      order = Integer.compare(level, other.level);
    }
    if (order == 0) {
      order = Arrays.compareUnsigned(smallestKey, other.smallestKey);
    }
    if (order == 0) {
      order = Long.compare(smallestSequence, other.smallestSequence);
    }
    for (int i = 0; order == 0 && i < Sha256.LONGS; i++) {
      order = Long.compareUnsigned(hash(i), other.hash(i));
    }
    if (order == 0) {
      order = object().compareTo(other.object());
    }
    return order == 0 ? Long.compare(offset, other.offset) : order;
  }

  /** Two references are equal if they mean the same bytes in the same column family and level. */
  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof FileRef other
        && sameContent(other)
        && columnFamily.equals(other.columnFamily)
        && level == other.level;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(hash0);
  }

  @Override
  public String toString() {
    return "file of SHA-256 "
        + sha256()
        + " in object '"
        + object()
        + "' at offset "
        + offset
        + ", "
        + length
        + " bytes, column family '"
        + columnFamily
        + "', level "
        + level
        + ", keys "
        + new ByteView(smallestKey)
        + " to "
        + new ByteView(largestKey)
        + ", sequence numbers "
        + smallestSequence
        + " to "
        + largestSequence
        + ", "
        + deletions
        + " deletions, digest "
        + digest();
  }

  /** The slot in front of a stored key. */
  static int slotOf(byte[] storedKey) {
    if (storedKey.length < Layout.SLOT_BYTES) {
      throw StateStoreException.corrupt(
          "a stored key of " + storedKey.length + " bytes has no slot in front; 2 bytes expected");
    }
    return (storedKey[0] & 0xff) << 8 | (storedKey[1] & 0xff);
  }

  /** Slot of {@link #smallestKey}; only in a HASHED column family of a slots layout. */
  public int firstSlot() {
    return slotOf(smallestKey);
  }

  /** Slot of {@link #largestKey}; only in a HASHED column family of a slots layout. */
  public int lastSlot() {
    return slotOf(largestKey);
  }
}
