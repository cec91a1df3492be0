package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.IndexIterator.IndexFormat;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads one SST file of RocksDB's block-based table format. Thread-safe; each cursor belongs to one
 * thread.
 *
 * <p>The file, front to back:
 *
 * <pre>
 *   file      = dataBlock* [filter] [other meta blocks] index properties metaindex footer
 *   each block is followed by byte compressionType, int checksum
 *   metaindex = name of a meta block → varint64 offset, varint64 size
 *   footer    = see {@link Footer}
 * </pre>
 *
 * <p>Read are format versions 2 to 7; blocks uncompressed or with LZ4, LZ4HC, ZSTD, Snappy or Zlib,
 * with or without a dictionary; checksums CRC-32C, xxHash, xxHash64, XXH3 and none; index types
 * binary search, hash search (by its binary search part), with first key, and partitioned; blocks
 * with a hash index, and with values apart. Filters are passed over. Refused as INCOMPATIBLE are
 * other comparators than the bytewise one, blob references, wide columns and whatever is newer: the
 * whole list is docs/sst-format.md.
 *
 * <p>{@link #open} reads footer, metaindex, properties and index, the index is kept in memory
 * (about 1 % of the file with blocks of 4 KiB). Cursors read data blocks through a window of their
 * own.
 */
public final class SstReader implements AutoCloseable {
  private static final int MAX_META_BYTES = 16 << 20;

  /** Most bytes of an index block: of files of some 50 GB with blocks of 4 KiB. */
  private static final int MAX_INDEX_BYTES = 512 << 20;

  private final SstSource source;
  private final Footer footer;
  private final SstProperties properties;
  private final long globalSequence;
  private final IndexFormat indexFormat;
  private final long indexOffset;
  private final int maxIndexBytes;
  private final int maxDataBlockBytes;
  private final int maxRangeDeletionBytes;
  private final byte[] index;
  private final byte @Nullable [] dictionary;
  private final @Nullable BlockHandle rangeDeletions;
  private volatile boolean closed;

  private SstReader(SstSource source, Footer footer, BlockFetcher fetcher, long largestSequence) {
    this.source = source;
    this.footer = footer;
    String file = source.name();
    long metaindexOffset = footer.metaindex().offset();
    fetcher.fetch(metaindexOffset, footer.metaindex().size(), "metaindex block", MAX_META_BYTES);
    Map<String, byte[]> metaindex = entries(fetcher, metaindexOffset);
    BlockHandle propertiesHandle = handle(metaindex, PropertyNames.PROPERTIES_BLOCK);
    fetcher.fetchProperties(propertiesHandle, MAX_META_BYTES, largestSequence);
    PropertyReader reader =
        new PropertyReader(
            file, propertiesHandle.offset(), entries(fetcher, propertiesHandle.offset()));
    reader.checkSupported();
    checkMetaBlocks(metaindex);
    this.properties = reader.properties(footer.formatVersion());
    this.rangeDeletions = rangeDeletions(metaindex);
    this.globalSequence = reader.globalSequence(largestSequence);
    this.indexFormat = reader.indexFormat();
    this.maxIndexBytes = reader.maxIndexBytes(MAX_INDEX_BYTES);
    this.maxDataBlockBytes = reader.maxEntryBytes(SstCursor.MAX_BLOCK_BYTES);
    this.maxRangeDeletionBytes = reader.maxEntryBytes(RangeDeletionBlock.MAX_BYTES);
    BlockHandle indexHandle = footer.index();
    if (indexHandle == null) {
      indexHandle = handle(metaindex, PropertyNames.INDEX_BLOCK);
    }
    this.indexOffset = indexHandle.offset();
    fetcher.fetch(indexHandle.offset(), indexHandle.size(), "index block", maxIndexBytes);
    this.index = Arrays.copyOfRange(fetcher.array(), fetcher.start(), fetcher.limit());
    this.dictionary = readDictionary(fetcher, metaindex);
  }

  /**
   * Opens a file: checks footer, properties and what features it uses. Takes over {@code source}
   * and closes it, also when this throws.
   *
   * @throws io.reshard.spi.StateStoreException CORRUPT naming file and offset; INCOMPATIBLE naming
   *     the property that is not supported
   */
  public static SstReader open(SstSource source) {
    return open(source, 0);
  }

  /**
   * Opens a file of a database. A file that was ingested has sequence number 0 in all its entries;
   * the one they count with is in the database's MANIFEST only, as least and greatest of the file.
   *
   * @param largestSequence greatest sequence number that the database gives for the file: that of
   *     every entry where the file is an external one; ignored for other files, and where 0
   * @throws io.reshard.spi.StateStoreException as {@link #open(SstSource)}, and CORRUPT if the file
   *     itself names another sequence number, INCOMPATIBLE if it names one outside its checksum
   *     (RocksDB's write_global_seqno) that is not this
   */
  public static SstReader open(SstSource source, long largestSequence) {
    try {
      Footer footer = Footer.read(source);
      try (BlockFetcher fetcher = new BlockFetcher(source, footer)) {
        return new SstReader(source, footer, fetcher, largestSequence);
      }
    } catch (RuntimeException | Error e) {
      try {
        source.close();
      } catch (StateStoreException closing) {
        e.addSuppressed(closing);
      }
      throw e;
    }
  }

  /** What the properties block says. */
  public SstProperties properties() {
    return properties;
  }

  /**
   * Every entry. Block checksums are verified, and that there are as many entries as the properties
   * say.
   *
   * @throws io.reshard.spi.StateStoreException INCOMPATIBLE if the file has range deletions,
   *     without which its entries mean something else; then read {@link #entries()} and {@link
   *     #rangeDeletions()}
   */
  public EntryCursor cursor() {
    return cursor(null, null);
  }

  /** The entries with {@code from <= user key < to}; null means no bound. Else as the other. */
  public EntryCursor cursor(byte @Nullable [] from, byte @Nullable [] to) {
    if (properties.rangeDeletions() > 0) {
      throw Faults.incompatible(
          source.name(),
          "has property '"
              + PropertyNames.RANGE_DELETIONS
              + "' = "
              + properties.rangeDeletions()
              + ", and its entries alone are asked for",
          "let RocksDB compact the database, which removes range deletions");
    }
    return entries(from, to);
  }

  /** Every entry, for one who asks for the {@link #rangeDeletions()} as well. */
  public EntryCursor entries() {
    return entries(null, null);
  }

  /** The entries with {@code from <= user key < to}; null means no bound. */
  public EntryCursor entries(byte @Nullable [] from, byte @Nullable [] to) {
    checkOpen();
    return new SstCursor(this, new BlockFetcher(source, footer, dictionary), from, to);
  }

  /**
   * The range deletions, read now, in the order in which they lie in the file. They may reach
   * beyond the bounds that the database has of the file: see {@link LevelRows}.
   */
  public List<RangeDeletion> rangeDeletions() {
    checkOpen();
    BlockHandle handle = rangeDeletions;
    if (handle == null) {
      return List.of();
    }
    try (BlockFetcher fetcher = new BlockFetcher(source, footer)) {
      fetcher.fetch(handle.offset(), handle.size(), "range deletion block", maxRangeDeletionBytes);
      return RangeDeletionBlock.read(
          source.name(),
          handle.offset(),
          fetcher.array(),
          fetcher.start(),
          fetcher.limit(),
          globalSequence,
          properties.rangeDeletions());
    }
  }

  private void checkOpen() {
    if (closed) {
      throw StateStoreException.closed("SST file '" + source.name() + "'");
    }
  }

  /** How many entries there are beside the range deletions, as the properties say. */
  long expectedEntries() {
    return properties.entries() - properties.rangeDeletions();
  }

  /**
   * User keys that divide the file into parts of about the same size, from the index alone: of
   * {@code parts - 1} keys in ascending order, or fewer where the index has fewer entries.
   *
   * @param parts parts wanted, at least 1
   */
  public List<byte[]> splitKeys(int parts) {
    int entries = 0;
    for (IndexIterator index = index(); index.next(); ) {
      entries++;
    }
    List<byte[]> keys = new ArrayList<>();
    int seen = 0;
    for (IndexIterator index = index(); index.next() && keys.size() < parts - 1; ) {
      seen++;
      if ((long) seen * parts >= (long) entries * (keys.size() + 1) && seen < entries) {
        keys.add(index.separator());
      }
    }
    return keys;
  }

  /**
   * Closes the source; cursors still open fail with CLOSED when they need another block of it.
   * Idempotent.
   */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      source.close();
    }
  }

  String file() {
    return source.name();
  }

  long size() {
    return source.size();
  }

  /** Sequence number of all entries, where it is not 0. */
  long globalSequence() {
    return globalSequence;
  }

  /** Most bytes that a data block may have, decompressed. */
  int maxDataBlockBytes() {
    return maxDataBlockBytes;
  }

  /** A new pass over the index: over the upper level of a partitioned one. */
  IndexIterator index() {
    return new IndexIterator(file(), indexOffset, indexFormat, index, 0, index.length);
  }

  /** Entries of the upper level lead to index blocks. */
  boolean isPartitioned() {
    return indexFormat.partitioned();
  }

  /** A pass over the lower level of a partitioned index, at the present entry of the upper one. */
  IndexIterator partition(IndexIterator upper) {
    try (BlockFetcher fetcher = new BlockFetcher(source, footer)) {
      fetcher.fetch(upper.offset(), upper.size(), "index partition", maxIndexBytes);
      byte[] copy = Arrays.copyOfRange(fetcher.array(), fetcher.start(), fetcher.limit());
      return new IndexIterator(file(), upper.offset(), indexFormat, copy, 0, copy.length);
    }
  }

  private Map<String, byte[]> entries(BlockFetcher fetcher, long offset) {
    return MetaBlock.read(source.name(), offset, fetcher.array(), fetcher.start(), fetcher.limit());
  }

  private BlockHandle handle(Map<String, byte[]> metaindex, String name) {
    byte[] value = metaindex.get(name);
    if (value == null) {
      throw Faults.corrupt(
          source.name(), footer.metaindex().offset(), "the metaindex does not name '" + name + "'");
    }
    return new ByteInput(source.name(), footer.metaindex().offset(), value, 0, value.length)
        .handle("handle of '" + name + "'");
  }

  private @Nullable BlockHandle rangeDeletions(Map<String, byte[]> metaindex) {
    if (properties.rangeDeletions() > 0) {
      return handle(metaindex, PropertyNames.RANGE_DELETION_BLOCK);
    }
    if (metaindex.containsKey(PropertyNames.RANGE_DELETION_BLOCK)) {
      throw Faults.incompatible(
          source.name(),
          "has a block '"
              + PropertyNames.RANGE_DELETION_BLOCK
              + "' and no property '"
              + PropertyNames.RANGE_DELETIONS
              + "'",
          "let RocksDB compact the database, which removes range deletions");
    }
    return null;
  }

  private void checkMetaBlocks(Map<String, byte[]> metaindex) {
    for (String name : metaindex.keySet()) {
      if (!PropertyNames.isKnownBlock(name)) {
        throw Faults.incompatible(
            source.name(),
            "has an unknown block " + new ByteView(name.getBytes(StandardCharsets.ISO_8859_1)),
            "write it anew with options that this library knows");
      }
    }
  }

  /** What data blocks are decompressed with; null if there is none. */
  private byte @Nullable [] readDictionary(BlockFetcher fetcher, Map<String, byte[]> metaindex) {
    if (!metaindex.containsKey(PropertyNames.COMPRESSION_DICTIONARY_BLOCK)) {
      return null;
    }
    BlockHandle handle = handle(metaindex, PropertyNames.COMPRESSION_DICTIONARY_BLOCK);
    fetcher.fetch(handle.offset(), handle.size(), "compression dictionary", MAX_META_BYTES);
    if (fetcher.start() == fetcher.limit()) {
      throw Faults.corrupt(source.name(), handle.offset(), "an empty compression dictionary");
    }
    return Arrays.copyOfRange(fetcher.array(), fetcher.start(), fetcher.limit());
  }
}
