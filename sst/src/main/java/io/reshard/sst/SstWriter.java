package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.Limits;
import io.reshard.spi.StateStoreException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes one SST file from entries in order, in the layout that {@link SstReader} and {@link
 * SstCursor} describe: data blocks, a Bloom filter of ten bits a key ({@link BloomFilterBuilder}),
 * a binary-search index with delta-capable values, properties, metaindex, footer. The same entries
 * and options give the same bytes.
 *
 * <p>An entry is compared with the one before once: where the two keys part tells both that they
 * are in order and how much of the key need not be written. Nothing is allocated per entry. Memory:
 * the block being filled, a write buffer, the index, and 8 bytes per key for the filter.
 *
 * <p>Used by one thread.
 */
public final class SstWriter implements AutoCloseable {
  private final String name;
  private final SstWriterOptions options;
  private final BlockSink sink;
  private final Compressor compressor;
  private final BlockBuilder block;
  private final IndexBuilder index = new IndexBuilder();
  private final BloomFilterBuilder filter = new BloomFilterBuilder();
  private final int blockBytes;
  private final int blockBytesFull;

  private final List<RangeDeletion> rangeDeletions = new ArrayList<>();
  private long rangeDeletionBytes;

  private byte[] lastKey = new byte[256];
  private int lastLength;
  private long lastPacked;

  private long entries;
  private long deletions;
  private long mergeOperands;
  private long rawKeyBytes;
  private long rawValueBytes;
  private long smallestSequence = Long.MAX_VALUE;
  private long largestSequence;

  /** Some block is compressed: compression may have paid for none. */
  private boolean compressed;

  private boolean done;

  private SstWriter(String name, OutputStream out, SstWriterOptions options) {
    this.name = name;
    this.options = options;
    this.compressor = new Compressor(options.compression());
    this.sink = new BlockSink(name, out, compressor, options);
    this.block =
        new BlockBuilder(options.restartInterval(), Math.min(1 << 20, 2 * options.blockBytes()));
    this.blockBytes = options.blockBytes();
    this.blockBytesFull = blockBytes - blockBytes / 10;
  }

  /**
   * Starts a file.
   *
   * @param name what errors call it
   * @param out receives the bytes in order, in large pieces; not closed by the writer
   */
  public static SstWriter create(String name, OutputStream out, SstWriterOptions options) {
    return new SstWriter(name, out, options);
  }

  /**
   * Adds an entry: user keys ascend, and sequence numbers descend for one key.
   *
   * @param value empty for deletes
   * @throws io.reshard.spi.StateStoreException INVALID if the order is violated, if a key, value or
   *     sequence number is out of bounds, or if an ingestible file gets a sequence number other
   *     than 0; UNAVAILABLE if the stream fails; CLOSED after {@link #finish()} or {@link #close()}
   */
  public void add(ByteView key, long sequence, EntryType type, ByteView value) {
    if (done) {
      throw StateStoreException.closed("writer of SST file '" + name + "'");
    }
    byte[] keyArray = key.array();
    int keyOffset = key.offset();
    int keyLength = key.length();
    int valueLength = value.length();
    check(key, sequence, type, valueLength);
    long packed = sequence << 8 | type.code();
    int shared = commonPrefix(key, keyArray, keyOffset, keyLength, sequence);
    if (shared >= 0) {
      filter.add(keyArray, keyOffset, keyLength);
    } else {
      shared = keyLength;
    }
    if (isBlockFull(keyLength - shared + valueLength)) {
      endBlock(keyArray, keyOffset, keyLength);
    }
    block.add(
        shared, keyArray, keyOffset, keyLength, packed, value.array(), value.offset(), valueLength);
    if (lastKey.length < keyLength) {
      lastKey = Arrays.copyOf(lastKey, Math.max(keyLength, lastKey.length * 2));
    }
    System.arraycopy(keyArray, keyOffset + shared, lastKey, shared, keyLength - shared);
    lastLength = keyLength;
    lastPacked = packed;
    count(type, sequence, keyLength, valueLength);
  }

  /**
   * Adds a range deletion, in any order, also before, between and after entries. It is kept in
   * memory until {@link #finish()}.
   *
   * @throws io.reshard.spi.StateStoreException INVALID if it ends before it begins, if a key or the
   *     sequence number is out of bounds, if an ingestible file gets a sequence number other than
   *     0, or if there are too many for one file; CLOSED after {@link #finish()} or {@link
   *     #close()}
   */
  public void add(RangeDeletion deletion) {
    if (done) {
      throw StateStoreException.closed("writer of SST file '" + name + "'");
    }
    ByteView begin = new ByteView(deletion.begin());
    checkSequence(begin, deletion.sequence());
    Limits.check(begin.length(), 0);
    Limits.check(deletion.end().length, 0);
    if (begin.compareTo(deletion.end()) > 0) {
      throw invalid("range deletion " + deletion + " ends before it begins; swap its keys");
    }
    int bytes = begin.length() + SstCursor.TRAILER + deletion.end().length;
    // As stored: three lengths of at most three bytes, and a restart.
    rangeDeletionBytes += bytes + 13L;
    if (rangeDeletionBytes > RangeDeletionBlock.MAX_BYTES) {
      throw invalid(
          "range deletions of more than "
              + RangeDeletionBlock.MAX_BYTES
              + " bytes; end the file earlier");
    }
    rangeDeletions.add(deletion);
    rawKeyBytes += begin.length() + SstCursor.TRAILER;
    rawValueBytes += deletion.end().length;
    smallestSequence = Math.min(smallestSequence, deletion.sequence());
    largestSequence = Math.max(largestSequence, deletion.sequence());
  }

  private void check(ByteView key, long sequence, EntryType type, int valueLength) {
    Limits.check(key.length(), valueLength);
    checkSequence(key, sequence);
    if (valueLength != 0 && !type.hasValue()) {
      throw invalid("a " + type + " of key " + key + " with a value; give an empty one");
    }
  }

  private void checkSequence(ByteView key, long sequence) {
    if (sequence < 0 || sequence > SstCursor.MAX_SEQUENCE) {
      throw invalid("sequence number " + sequence + " of key " + key + "; give 0 to 2^56 - 1");
    }
    if (options.ingestible() && sequence != 0) {
      throw invalid(
          "sequence number " + sequence + " of key " + key + "; a file to be ingested has only 0");
    }
  }

  /**
   * How many bytes a key shares with the one before; -1 if it is the same key.
   *
   * @throws StateStoreException of kind INVALID if it is not in order
   */
  private int commonPrefix(ByteView key, byte[] array, int offset, int length, long sequence) {
    if (entries == 0) {
      return 0;
    }
    int difference = Arrays.mismatch(lastKey, 0, lastLength, array, offset, offset + length);
    if (difference < 0) {
      if (sequence >= lastPacked >>> 8) {
        throw unordered(key, sequence);
      }
    } else if (difference == length
        || (difference < lastLength
            && (array[offset + difference] & 0xff) < (lastKey[difference] & 0xff))) {
      throw unordered(key, sequence);
    }
    return difference;
  }

  private boolean isBlockFull(int more) {
    if (block.isEmpty()) {
      return false;
    }
    int bytes = block.bytes();
    return bytes >= blockBytes
        || (bytes >= blockBytesFull && (long) bytes + more + SstCursor.TRAILER > blockBytes);
  }

  private void count(EntryType type, long sequence, int keyLength, int valueLength) {
    entries++;
    if (type != EntryType.PUT) {
      if (type == EntryType.MERGE) {
        mergeOperands++;
      } else {
        deletions++;
      }
    }
    rawKeyBytes += keyLength + SstCursor.TRAILER;
    rawValueBytes += valueLength;
    smallestSequence = Math.min(smallestSequence, sequence);
    largestSequence = Math.max(largestSequence, sequence);
  }

  /** Writes the block being filled; {@code nextOffset} is -1 where no key follows. */
  private void endBlock(byte[] next, int nextOffset, int nextLength) {
    int length = block.finish();
    long offset = sink.position();
    int stored = sink.writeCompressed(block.array(), length);
    compressed |= stored < length;
    index.add(lastKey, lastLength, lastPacked, next, nextOffset, nextLength, offset, stored);
    block.clear();
  }

  /**
   * Bytes written so far plus the block being filled: what the file would about be if finished now.
   */
  public long estimatedBytes() {
    return sink.position() + (block.isEmpty() ? 0 : block.bytes()) + rangeDeletionBytes;
  }

  /** Entries and range deletions added so far. */
  public long entries() {
    return entries + rangeDeletions.size();
  }

  /**
   * Writes the rest: last block, filter, properties, index, footer. The stream is not flushed.
   *
   * @return length of the file in bytes
   * @throws io.reshard.spi.StateStoreException UNAVAILABLE if the stream fails; CLOSED at a second
   *     call and after {@link #close()}
   */
  public long finish() {
    if (done) {
      throw StateStoreException.closed("writer of SST file '" + name + "'");
    }
    if (!block.isEmpty()) {
      endBlock(lastKey, -1, 0);
    }
    long dataBytes = sink.position();
    BlockHandle filterHandle = writeFilter();
    BlockHandle indexHandle = write(index.build());
    BlockHandle rangeDeletionHandle =
        rangeDeletions.isEmpty() ? null : write(RangeDeletionBlock.build(rangeDeletions));
    BlockHandle propertiesHandle = write(properties(dataBytes, filterHandle, indexHandle).block());
    PropertyWriter metaindex =
        new PropertyWriter().bytes(PropertyNames.PROPERTIES_BLOCK, propertiesHandle.toBytes());
    if (filterHandle != null) {
      metaindex.bytes(PropertyNames.BLOOM_FILTER_BLOCK, filterHandle.toBytes());
    }
    if (rangeDeletionHandle != null) {
      metaindex.bytes(PropertyNames.RANGE_DELETION_BLOCK, rangeDeletionHandle.toBytes());
    }
    boolean extended = options.formatVersion() >= Footer.CONTEXT_VERSION;
    if (extended) {
      metaindex.bytes(PropertyNames.INDEX_BLOCK, indexHandle.toBytes());
    }
    BlockHandle metaindexHandle = write(metaindex.block());
    Footer footer =
        new Footer(
            options.formatVersion(),
            options.checksumCode(),
            sink.contextBase(),
            metaindexHandle,
            extended ? null : indexHandle);
    sink.writeRaw(footer.toBytes(sink.position()));
    sink.flush();
    close();
    return sink.position();
  }

  private @Nullable BlockHandle writeFilter() {
    if (filter.count() == 0) {
      return null;
    }
    byte[] bytes = filter.build();
    long offset = sink.position();
    return new BlockHandle(offset, sink.write(bytes, bytes.length));
  }

  private BlockHandle write(BlockBuilder finished) {
    long offset = sink.position();
    int length = finished.finish();
    return new BlockHandle(offset, sink.write(finished.array(), length));
  }

  private PropertyWriter properties(
      long dataBytes, @Nullable BlockHandle filterHandle, BlockHandle indexHandle) {
    PropertyWriter properties =
        new PropertyWriter()
            .text(PropertyNames.COMPARATOR, PropertyNames.BYTEWISE_COMPARATOR)
            .text(PropertyNames.COMPRESSION, compressionName())
            .text(PropertyNames.COLUMN_FAMILY_NAME, options.columnFamily())
            // The id a file gets is decided where it is used; this is RocksDB's "unknown".
            .number(PropertyNames.COLUMN_FAMILY_ID, 0x7fffffffL)
            .number(PropertyNames.CREATION_TIME, 0)
            .number(PropertyNames.DATA_SIZE, dataBytes)
            .number(PropertyNames.DELETED_KEYS, deletions + rangeDeletions.size())
            .text(PropertyNames.FILTER_POLICY, PropertyNames.BLOOM_FILTER_POLICY)
            .number(
                PropertyNames.FILTER_SIZE,
                filterHandle == null ? 0 : filterHandle.size() + BlockHandle.TRAILER)
            .number(PropertyNames.FIXED_KEY_LENGTH, 0)
            .number(PropertyNames.FORMAT_VERSION, 0)
            .number(PropertyNames.INDEX_KEY_IS_USER_KEY, index.userKeys() ? 1 : 0)
            .number(PropertyNames.INDEX_SIZE, indexHandle.size() + BlockHandle.TRAILER)
            .fixed32(PropertyNames.INDEX_TYPE, 0)
            .number(PropertyNames.INDEX_VALUE_IS_DELTA_ENCODED, 1)
            .number(PropertyNames.MERGE_OPERANDS, mergeOperands)
            .text(PropertyNames.MERGE_OPERATOR, "nullptr")
            .number(PropertyNames.DATA_BLOCKS, index.count())
            .number(PropertyNames.ENTRIES, entries())
            .number(PropertyNames.FILTER_ENTRIES, filter.count())
            .number(PropertyNames.RANGE_DELETIONS, rangeDeletions.size())
            .number(PropertyNames.OLDEST_KEY_TIME, 0)
            .number(PropertyNames.ORIGINAL_FILE_NUMBER, 0)
            .text(PropertyNames.PREFIX_EXTRACTOR, "nullptr")
            .text(PropertyNames.PREFIX_FILTERING, "0")
            .text(PropertyNames.PROPERTY_COLLECTORS, "[]")
            .number(PropertyNames.RAW_KEY_SIZE, rawKeyBytes)
            .number(PropertyNames.RAW_VALUE_SIZE, rawValueBytes)
            .number(PropertyNames.TAIL_START, dataBytes)
            .text(PropertyNames.WHOLE_KEY_FILTERING, "1");
    if (entries() > 0) {
      properties
          .number(PropertyNames.KEY_SMALLEST_SEQUENCE, smallestSequence)
          .number(PropertyNames.KEY_LARGEST_SEQUENCE, largestSequence);
    }
    if (options.ingestible()) {
      properties
          .fixed32(PropertyNames.EXTERNAL_VERSION, 2)
          .fixed64(PropertyNames.EXTERNAL_SEQUENCE, 0);
    }
    return properties;
  }

  /** What {@link PropertyReader#compression} reads. */
  private String compressionName() {
    Compression compression = options.compression();
    if (options.formatVersion() < Footer.COMPRESSION_MANAGER_VERSION) {
      return compression.rocksName();
    }
    String manager = compression == Compression.NONE ? "" : PropertyNames.COMPRESSION_MANAGER;
    String codes = compressed ? String.format("%02X", compression.code()) : "";
    return manager + ";" + codes + ";";
  }

  /** Gives up a file that was not finished; does nothing after {@link #finish()}. */
  @Override
  public void close() {
    if (!done) {
      done = true;
      compressor.close();
    }
  }

  private StateStoreException unordered(ByteView key, long sequence) {
    return invalid(
        "key "
            + key
            + " with sequence number "
            + sequence
            + " after key "
            + new ByteView(lastKey, 0, lastLength)
            + " with "
            + (lastPacked >>> 8)
            + "; add keys ascending, and for one key sequence numbers descending");
  }

  private StateStoreException invalid(String what) {
    return StateStoreException.invalid("SST file '" + name + "': " + what);
  }
}
