package io.reshard.checkpoint;

import io.reshard.spi.Limits;
import io.reshard.spi.StateStoreException;
import java.util.Arrays;

/**
 * One SST file of a shard: where its bytes are, what they hash to, and what they hold. Immutable.
 *
 * @param columnFamily name of its column family
 * @param object name of the object that holds it: the file alone, or a pack of several
 * @param offset where it starts in the object
 * @param length its length in bytes
 * @param sha256 SHA-256 of its bytes, 64 hexadecimal digits
 * @param level LSM level: within a shard and column family, files of a level above 0 share at most
 *     a boundary key
 * @param smallestKey least user key, as stored (with slot prefix where there is one)
 * @param largestKey greatest user key, as stored
 * @param smallestSequence least sequence number
 * @param largestSequence greatest sequence number
 * @param deletions number of entries that are not puts
 * @param digest digest of its entries as they are; its count is the number of entries
 */
@SuppressWarnings("ArrayRecordComponent") // Identity is the content hash; see equals.
public record FileRef(
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
  /** Longest column family name there is. */
  private static final int MAX_NAME = 64;

  /** Sequence numbers have 56 bits. */
  private static final long MAX_SEQUENCE = (1L << 56) - 1;

  /** Bytes and entries of a file: so many that sums over a whole store cannot overflow. */
  static final long MAX_BYTES = 1L << 42;

  /** RocksDB's last level by default. */
  static final int MAX_LEVEL = 6;

  /** Checks every part; what was read from bytes went through here. */
  public FileRef {
    check(!columnFamily.isEmpty() && columnFamily.length() <= MAX_NAME, "its column family's name");
    ObjectNames.check(object);
    check(
        offset >= 0 && offset <= MAX_BYTES && length > 0 && length <= MAX_BYTES,
        "its offset " + offset + " and length " + length);
    check(Sha256.isHex(sha256), "its SHA-256");
    check(level >= 0 && level <= MAX_LEVEL, "its level, 0 to " + MAX_LEVEL);
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
    check(digest.count() > 0 && digest.count() <= MAX_BYTES, "its number of entries");
    check(deletions >= 0 && deletions <= digest.count(), "its number of deletions");
  }

  private static void check(boolean valid, String what) {
    if (!valid) {
      throw StateStoreException.invalid("a reference to a file is wrong in " + what);
    }
  }

  /** Number of entries. */
  public long entries() {
    return digest.count();
  }

  /** The same file on another level. */
  FileRef withLevel(int level) {
    return new FileRef(
        columnFamily,
        object,
        offset,
        length,
        sha256,
        level,
        smallestKey,
        largestKey,
        smallestSequence,
        largestSequence,
        deletions,
        digest);
  }

  /** Two references are equal if they mean the same bytes in the same column family and level. */
  @Override
  public boolean equals(Object o) {
    return o instanceof FileRef other
        && sha256.equals(other.sha256)
        && columnFamily.equals(other.columnFamily)
        && level == other.level;
  }

  @Override
  public int hashCode() {
    return sha256.hashCode();
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
