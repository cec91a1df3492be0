package io.reshard.sst;

/**
 * The end of a block: the restart array and the word behind it.
 *
 * <pre>
 *   block    = entry* restart* word
 *   restart  = int, offset of an entry whose key is stored whole
 *   word     = int: bits 0 to 27 the number of restarts,
 *              28 keys and values stored apart (not supported),
 *              29 keys evenly spread (a hint only), 30 reserved,
 *              31 a hash index lies between restarts and word: bucket*, short bucketCount;
 *                 a bucket is one byte
 * </pre>
 */
final class BlockTail {
  private static final int COUNT_MASK = (1 << 28) - 1;
  private static final int SEPARATE_VALUES = 1 << 28;
  private static final int RESERVED = 1 << 30;
  private static final int HASH_INDEX = 1 << 31;

  private BlockTail() {}

  /**
   * Checks the tail of a block and finds where its entries end.
   *
   * @param offset offset of the block in the file, for errors
   */
  static int entriesEnd(String file, long offset, byte[] block, int start, int limit) {
    if (limit - start < Integer.BYTES) {
      throw Faults.corrupt(file, offset, "a block of " + (limit - start) + " bytes");
    }
    int end = limit - Integer.BYTES;
    int word = Bytes.getInt(block, end);
    if ((word & SEPARATE_VALUES) != 0) {
      throw Faults.incompatible(
          file,
          "stores keys and values of a block apart (block at offset " + offset + ")",
          "write it anew with separateKeyValueInDataBlock off");
    }
    if ((word & RESERVED) != 0) {
      throw Faults.incompatible(
          file,
          "sets a reserved bit in the tail of the block at offset " + offset,
          "write it anew with a RocksDB that this library knows");
    }
    if ((word & HASH_INDEX) != 0) {
      end = beforeHashIndex(file, offset, block, start, end);
    }
    int count = word & COUNT_MASK;
    if (count > (end - start) / Integer.BYTES) {
      throw Faults.corrupt(
          file, offset, count + " restarts in a block of " + (limit - start) + " bytes");
    }
    end -= count * Integer.BYTES;
    checkRestarts(file, offset, block, end, count, end - start);
    return end;
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

  private static void checkRestarts(
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
