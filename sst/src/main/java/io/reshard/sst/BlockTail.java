package io.reshard.sst;

/**
 * The end of a block: the restart array and the word behind it.
 *
 * <pre>
 *   block    = entry* restart* [hash index] word
 *            | entry* value* restart* [hash index] int values, word     ({@link ValuesApart})
 *   restart  = int, offset of an entry whose key is stored whole
 *   word     = int: bits 0 to 27 the number of restarts,
 *              28 values lie apart: behind the entries, from offset {@code values} on,
 *              29 keys evenly spread (a hint only), 30 reserved,
 *              31 there is a hash index: bucket*, short bucketCount; a bucket is one byte
 * </pre>
 *
 * <p>Only data blocks have hash indexes or values apart.
 */
final class BlockTail {
  private static final int COUNT_MASK = (1 << 28) - 1;
  private static final int VALUES_APART = 1 << 28;
  private static final int RESERVED = 1 << 30;
  private static final int HASH_INDEX = 1 << 31;

  private BlockTail() {}

  /**
   * Checks the tail of a block and finds where its entries end.
   *
   * @param offset offset of the block in the file, for errors
   */
  static int entriesEnd(String file, long offset, byte[] block, int start, int limit) {
    if (hasValuesApart(block, start, limit)) {
      throw Faults.corrupt(file, offset, "a block other than a data block has its values apart");
    }
    int end = restartsAt(file, offset, block, start, limit);
    checkRestarts(file, offset, block, end, restarts(block, limit), end - start);
    return end;
  }

  /** Whether the values of a block lie behind its entries; false if it is too short to say. */
  static boolean hasValuesApart(byte[] block, int start, int limit) {
    return limit - start >= Integer.BYTES
        && (Bytes.getInt(block, limit - Integer.BYTES) & VALUES_APART) != 0;
  }

  /** The number of restarts, of a block that {@link #restartsAt} accepted. */
  static int restarts(byte[] block, int limit) {
    return Bytes.getInt(block, limit - Integer.BYTES) & COUNT_MASK;
  }

  /** Where the restart array starts, which is inside of the block. */
  static int restartsAt(String file, long offset, byte[] block, int start, int limit) {
    if (limit - start < Integer.BYTES) {
      throw Faults.corrupt(file, offset, "a block of " + (limit - start) + " bytes");
    }
    int end = limit - Integer.BYTES;
    int word = Bytes.getInt(block, end);
    if ((word & RESERVED) != 0) {
      throw Faults.incompatible(
          file,
          "sets reserved bit 30 in the tail of the block at offset " + offset,
          "write it anew with a RocksDB that this library knows");
    }
    if ((word & VALUES_APART) != 0) {
      end -= Integer.BYTES;
      if (end < start) {
        throw Faults.corrupt(file, offset, "no room for the offset of values in a block");
      }
    }
    if ((word & HASH_INDEX) != 0) {
      end = beforeHashIndex(file, offset, block, start, end);
    }
    int count = word & COUNT_MASK;
    if (count > (end - start) / Integer.BYTES) {
      throw Faults.corrupt(
          file, offset, count + " restarts in a block of " + (limit - start) + " bytes");
    }
    return end - count * Integer.BYTES;
  }

  private static int beforeHashIndex(String file, long offset, byte[] block, int start, int end) {
    if (end - start < Short.BYTES) {
      throw Faults.corrupt(file, offset, "no room for the hash index of a block");
    }
    int buckets = (block[end - 2] & 0xff) | (block[end - 1] & 0xff) << 8;
    if (buckets > end - start - Short.BYTES) {
      throw Faults.corrupt(file, offset, "a hash index of " + buckets + " buckets in a block");
    }
    return end - Short.BYTES - buckets;
  }

  /**
   * Checks that restarts ascend and lie within the entries.
   *
   * @param at where the restart array starts
   * @param entryBytes length of the entries
   */
  static void checkRestarts(
      String file, long offset, byte[] block, int at, int count, int entryBytes) {
    int previous = -1;
    for (int i = 0; i < count; i++) {
      int restart = Bytes.getInt(block, at + i * Integer.BYTES);
      // The only restart of a block without entries points at its end.
      if (restart <= previous || restart > entryBytes - (entryBytes == 0 ? 0 : 1)) {
        throw Faults.corrupt(
            file,
            offset,
            "restart " + i + " of a block is " + restart + ", of " + entryBytes + " bytes");
      }
      previous = restart;
    }
  }
}
