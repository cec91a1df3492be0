package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.Limits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The meta block {@code rocksdb.range_del}: the range deletions of a file.
 *
 * <pre>
 *   block = entry* tail                      (as a data block, {@link SstCursor}, {@link BlockTail})
 *   key   = begin, long (sequence number << 8 | 15)
 *   value = end
 * </pre>
 *
 * <p>RocksDB writes every key whole. A flush or a compaction writes fragments: ranges that are the
 * same or do not overlap, in order. An external file, and a database of before 2018, may hold
 * ranges that overlap, an external file in any order. Here no order is expected.
 */
final class RangeDeletionBlock {
  /** Bound on the block, and on all keys together: sharing could make a small block mean much. */
  static final int MAX_BYTES = 256 << 20;

  private static final Comparator<RangeDeletion> ORDER =
      Comparator.comparing(RangeDeletion::begin, Arrays::compareUnsigned)
          .thenComparing(Comparator.comparingLong(RangeDeletion::sequence).reversed())
          .thenComparing(RangeDeletion::end, Arrays::compareUnsigned);

  private RangeDeletionBlock() {}

  /**
   * Everything in the block.
   *
   * @param offset where it lies in the file, for errors
   * @param globalSequence sequence number of all entries of the file, where it is not 0
   * @param count how many there must be
   */
  static List<RangeDeletion> read(
      String file,
      long offset,
      byte[] block,
      int start,
      int limit,
      long globalSequence,
      long count) {
    int end = BlockTail.entriesEnd(file, offset, block, start, limit);
    ByteInput input = new ByteInput(file, offset, block, start, end);
    List<RangeDeletion> deletions = new ArrayList<>();
    byte[] key = {};
    long keyBytes = 0;
    while (input.hasMore()) {
      int shared = input.varint32("shared length of a range deletion");
      int suffix = input.varint32("length of a range deletion's begin");
      int length = input.varint32("length of a range deletion's end");
      if (shared > key.length) {
        throw input.corrupt(
            "a range deletion shares " + shared + " bytes with one of " + key.length);
      }
      long keyLength = (long) shared + suffix;
      if (keyLength < SstCursor.TRAILER
          || keyLength - SstCursor.TRAILER > Limits.MAX_KEY_BYTES
          || length > Limits.MAX_KEY_BYTES) {
        throw input.corrupt(
            "a range deletion with a begin of " + keyLength + " and an end of " + length);
      }
      keyBytes += keyLength + length;
      if (keyBytes > MAX_BYTES) {
        throw input.corrupt("range deletions with keys of more than " + MAX_BYTES + " bytes");
      }
      int from = input.skip(suffix, "begin of a range deletion");
      key = Arrays.copyOf(key, (int) keyLength);
      System.arraycopy(input.array(), from, key, shared, suffix);
      byte[] to = input.bytes(length, "end of a range deletion");
      deletions.add(deletion(input, key, to, globalSequence));
    }
    if (deletions.size() != count) {
      throw Faults.corrupt(
          file,
          offset,
          "it has "
              + deletions.size()
              + " range deletions, and property '"
              + PropertyNames.RANGE_DELETIONS
              + "' says "
              + count);
    }
    return deletions;
  }

  private static RangeDeletion deletion(
      ByteInput input, byte[] key, byte[] end, long globalSequence) {
    int userLength = key.length - SstCursor.TRAILER;
    long packed = Bytes.getLong(key, userLength);
    byte[] begin = Arrays.copyOf(key, userLength);
    if ((packed & 0xff) != RangeDeletion.CODE) {
      throw input.corrupt("a range deletion of type " + (packed & 0xff));
    }
    if (Arrays.compareUnsigned(begin, end) > 0) {
      throw input.corrupt(
          "a range deletion from " + new ByteView(begin) + " down to " + new ByteView(end));
    }
    long sequence = packed >>> 8;
    if (globalSequence != 0 && sequence != 0) {
      throw input.corrupt("a range deletion of an external file has sequence number " + sequence);
    }
    return new RangeDeletion(begin, end, globalSequence != 0 ? globalSequence : sequence);
  }

  /** A block of these, in order, every key whole. */
  static BlockBuilder build(List<RangeDeletion> deletions) {
    List<RangeDeletion> sorted = new ArrayList<>(deletions);
    sorted.sort(ORDER);
    BlockBuilder block = new BlockBuilder(1, 4096);
    for (RangeDeletion deletion : sorted) {
      byte[] begin = deletion.begin();
      byte[] end = deletion.end();
      long packed = deletion.sequence() << 8 | RangeDeletion.CODE;
      block.add(0, begin, 0, begin.length, packed, end, 0, end.length);
    }
    return block;
  }
}
