package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstReader;
import java.util.Arrays;

/**
 * What an SST file holds, found by reading every entry.
 *
 * @param smallestKey least user key
 * @param largestKey greatest user key
 * @param smallestSequence least sequence number
 * @param largestSequence greatest sequence number
 * @param deletions number of entries that are not puts
 * @param digest digest of the entries
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, not compared.
record FileContents(
    byte[] smallestKey,
    byte[] largestKey,
    long smallestSequence,
    long largestSequence,
    long deletions,
    SetDigest digest) {

  /**
   * Reads a file.
   *
   * @param name what errors call it
   * @param check is shown every entry
   * @throws StateStoreException CORRUPT if the entries are not in order or not as many as the file
   *     says; INCOMPATIBLE if it has entries that portable snapshots do not have; INVALID if it has
   *     none at all
   */
  static FileContents read(
      SstReader reader, String name, String columnFamily, int keyPrefix, EntryCheck check) {
    checkFeatures(reader, name);
    Scan scan = new Scan(name, columnFamily, keyPrefix, reader.properties().entries());
    try (EntryCursor cursor = reader.cursor()) {
      while (cursor.next()) {
        ByteView key = cursor.key();
        EntryType type = cursor.type();
        ByteView value = cursor.value();
        scan.add(key, cursor.sequence(), type, value);
        check.check(key, type, value);
      }
    }
    if (scan.digest.count() != reader.properties().entries()) {
      throw StateStoreException.corrupt(
          "file '"
              + name
              + "' holds "
              + scan.digest.count()
              + " entries, its properties say "
              + reader.properties().entries());
    }
    return scan.finish();
  }

  /**
   * Checks what a file's properties say.
   *
   * @throws StateStoreException INCOMPATIBLE if it has entries that portable snapshots do not have
   */
  static void checkFeatures(SstReader reader, String name) {
    checkAbsent(name, "range deletes", reader.properties().rangeDeletions());
    checkAbsent(name, "merge operands", reader.properties().mergeOperands());
  }

  private static void checkAbsent(String name, String what, long count) {
    if (count > 0) {
      throw StateStoreException.incompatible(
          "file '"
              + name
              + "' has "
              + count
              + " "
              + what
              + ", which snapshots do not have; compact the shard before exporting");
    }
  }

  /** What a reference says. */
  static FileContents of(FileRef file) {
    return new FileContents(
        file.smallestKey(),
        file.largestKey(),
        file.smallestSequence(),
        file.largestSequence(),
        file.deletions(),
        file.digest());
  }

  /** Whether a file holds what its reference says. */
  boolean matches(FileRef file) {
    return digest.equals(file.digest())
        && deletions == file.deletions()
        && smallestSequence == file.smallestSequence()
        && largestSequence == file.largestSequence()
        && Arrays.equals(smallestKey, file.smallestKey())
        && Arrays.equals(largestKey, file.largestKey());
  }

  @Override
  public String toString() {
    return "digest "
        + digest
        + ", "
        + deletions
        + " deletions, keys "
        + new ByteView(smallestKey)
        + " to "
        + new ByteView(largestKey)
        + ", sequence numbers "
        + smallestSequence
        + " to "
        + largestSequence;
  }

  /** Adds up entries; allocates nothing per entry. */
  private static final class Scan {
    private final String name;
    private final String columnFamily;
    private final int keyPrefix;
    private final long expected;
    private final EntryHasher hasher;
    private final SetDigest digest = new SetDigest();
    private byte[] first = new byte[0];
    private byte[] last = new byte[0];
    private long smallestSequence = Long.MAX_VALUE;
    private long largestSequence = -1;
    private long deletions;

    /** Of a file that says it has {@code expected} entries. */
    Scan(String name, String columnFamily, int keyPrefix, long expected) {
      this.name = name;
      this.columnFamily = columnFamily;
      this.keyPrefix = keyPrefix;
      this.expected = expected;
      this.hasher = new EntryHasher(columnFamily, keyPrefix);
    }

    /** The cursor has checked that entries are in order. */
    void add(ByteView key, long sequence, EntryType type, ByteView value) {
      if (key.length() < keyPrefix) {
        throw StateStoreException.corrupt(
            "file '"
                + name
                + "': key "
                + key
                + " is shorter than the "
                + keyPrefix
                + " bytes of slot in front of every key of column family '"
                + columnFamily
                + "'");
      }
      if (type == EntryType.MERGE) {
        throw StateStoreException.incompatible(
            "file '"
                + name
                + "' has a merge operand at key "
                + key
                + ", which snapshots do not have; compact the shard before exporting");
      }
      smallestSequence = Math.min(smallestSequence, sequence);
      largestSequence = Math.max(largestSequence, sequence);
      if (type != EntryType.PUT) {
        deletions++;
      }
      hasher.hash(type, key, value);
      digest.add(hasher);
      if (digest.count() == 1) {
        first = key.toByteArray();
      }
      if (digest.count() == expected) {
        last = key.toByteArray();
      }
    }

    FileContents finish() {
      if (digest.count() == 0) {
        throw StateStoreException.invalid(
            "file '" + name + "' has no entries; leave files without entries out of a snapshot");
      }
      return new FileContents(first, last, smallestSequence, largestSequence, deletions, digest);
    }
  }
}
