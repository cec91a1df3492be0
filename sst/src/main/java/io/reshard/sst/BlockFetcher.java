package io.reshard.sst;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Fetches blocks of a file: reads them through a window, checks the checksum, decompresses. A block
 * stored uncompressed is handed out as a range of the window itself.
 *
 * <p>A fetcher that is asked for one block after another reads ahead: each refill reads more than
 * the one before, up to the whole window, so that a scan costs few reads and a look at one block
 * costs little.
 *
 * <p>Used by one thread. What is handed out is valid until the next {@link #fetch}.
 */
final class BlockFetcher implements AutoCloseable {
  private static final int FIRST_READ = 32 << 10;
  private static final byte[] EMPTY = new byte[0];

  private static final long NOT_INGESTED = -1;

  /** What of the property's name its block may not share with the name before. */
  private static final byte[] GLOBAL_SEQUENCE = ".global_seqno".getBytes(StandardCharsets.US_ASCII);

  private final SstSource source;
  private final String file;
  private final int contextBase;
  private final long end;
  private final BlockChecksum checksum;
  private final Decompressor decompressor;

  private byte @Nullable [] window;
  private long windowStart;
  private int windowLength;
  private int nextRead = FIRST_READ;

  private byte[] array = EMPTY;
  private int start;
  private int limit;

  /** Fetches blocks that need no dictionary: all but data blocks. */
  BlockFetcher(SstSource source, Footer footer) {
    this(source, footer, null);
  }

  /**
   * Fetches blocks.
   *
   * @param dictionary what data blocks are decompressed with; null if the file has none
   */
  BlockFetcher(SstSource source, Footer footer, byte @Nullable [] dictionary) {
    this.source = source;
    this.file = source.name();
    this.contextBase = footer.contextBase();
    this.end = source.size() - Footer.BYTES;
    this.checksum = new BlockChecksum(footer.checksum());
    this.decompressor = new Decompressor(file, dictionary);
  }

  /** Where the fetched block lies. */
  byte[] array() {
    return array;
  }

  /** Where the fetched block starts in {@link #array()}. */
  int start() {
    return start;
  }

  /** Where the fetched block ends in {@link #array()}. */
  int limit() {
    return limit;
  }

  /**
   * Fetches a block.
   *
   * @param what names the block in errors
   * @param maxBytes most it may have, stored and decompressed
   */
  void fetch(long offset, long size, String what, int maxBytes) {
    fetch(offset, size, what, maxBytes, NOT_INGESTED);
  }

  /**
   * Fetches the properties block, into which an ingestion may have written a sequence number.
   *
   * @param sequence what the database says of the file; 0 if it is not known
   */
  void fetchProperties(BlockHandle handle, int maxBytes, long sequence) {
    fetch(handle.offset(), handle.size(), "properties block", maxBytes, sequence);
  }

  private void fetch(long offset, long size, String what, int maxBytes, long ingested) {
    if (offset < 0 || size < 0 || size > end || offset > end - size - BlockHandle.TRAILER) {
      throw Faults.corrupt(
          file,
          offset,
          what + " of " + size + " bytes goes beyond the end of blocks at " + end + " bytes");
    }
    if (size > maxBytes) {
      throw Faults.corrupt(
          file, offset, what + " of " + size + " bytes, most allowed is " + maxBytes);
    }
    int stored = (int) size;
    int at = readThrough(offset, stored + BlockHandle.TRAILER);
    byte[] bytes = window();
    int type = bytes[at + stored] & 0xff;
    verify(bytes, at, stored, offset, what, ingested);
    if (type == Compression.NONE.code()) {
      array = bytes;
      start = at;
      limit = at + stored;
      return;
    }
    if (!Decompressor.supports(type)) {
      throw Faults.incompatible(
          file,
          "has "
              + what
              + " at offset "
              + offset
              + " with "
              + PropertyReader.compressionName(type)
              + " (compression type "
              + type
              + ")",
          "write it anew with LZ4, ZSTD, Snappy, Zlib or no compression");
    }
    decompressor.decompress(type, bytes, at, at + stored, offset, maxBytes);
    array = decompressor.buffer();
    start = 0;
    limit = decompressor.length();
  }

  private void verify(byte[] bytes, int at, int stored, long offset, String what, long ingested) {
    int expected = Bytes.getInt(bytes, at + stored + 1);
    int actual = checksum(bytes, at, stored, offset);
    if (actual != expected
        && (ingested == NOT_INGESTED
            || !matchesBeforeIngestion(bytes, at, stored, offset, expected, ingested))) {
      throw Faults.corrupt(
          file,
          offset,
          "checksum of "
              + what
              + " is "
              + Integer.toHexString(actual)
              + ", stored is "
              + Integer.toHexString(expected));
    }
  }

  private int checksum(byte[] bytes, int at, int stored, long offset) {
    return checksum.compute(bytes, at, stored + 1) + BlockChecksum.context(contextBase, offset);
  }

  /**
   * Whether the block is a properties block into which an ingestion wrote its sequence number:
   * RocksDB (write_global_seqno) overwrites the value and leaves the checksum, which was taken with
   * the value 0. A flipped bit there would look the same, so the database must know the number too.
   */
  private boolean matchesBeforeIngestion(
      byte[] bytes, int at, int stored, long offset, int expected, long sequence) {
    int value = endOf(GLOBAL_SEQUENCE, bytes, at, at + stored - Long.BYTES);
    if (value < 0) {
      return false;
    }
    long written = Bytes.getLong(bytes, value);
    Bytes.putLong(bytes, value, 0);
    boolean matches = checksum(bytes, at, stored, offset) == expected;
    Bytes.putLong(bytes, value, written);
    if (matches && written != sequence) {
      throw Faults.incompatible(
          file,
          "has property '"
              + PropertyNames.EXTERNAL_SEQUENCE
              + "' = "
              + written
              + ", which its checksum does not cover, and "
              + (sequence == 0 ? "its database was not asked" : "its database says " + sequence),
          "give the largest sequence number that the database has for the file");
    }
    return matches;
  }

  /** Where the first occurrence of {@code text} ends; -1 if it does not end by {@code end}. */
  private static int endOf(byte[] text, byte[] bytes, int start, int end) {
    for (int i = start; i <= end - text.length; i++) {
      if (Arrays.equals(bytes, i, i + text.length, text, 0, text.length)) {
        return i + text.length;
      }
    }
    return -1;
  }

  private byte[] window() {
    byte[] present = window;
    if (present == null) {
      present = Windows.take();
      window = present;
    }
    return present;
  }

  /** Makes the window hold {@code length} bytes from {@code offset}; returns where they start. */
  private int readThrough(long offset, int length) {
    long inWindow = offset - windowStart;
    if (window != null && inWindow >= 0 && inWindow + length <= windowLength) {
      return (int) inWindow;
    }
    byte[] bytes = window();
    if (bytes.length < length) {
      Windows.giveBack(bytes);
      bytes = new byte[length];
      window = bytes;
    }
    int wanted = Math.max(length, Math.min(nextRead, bytes.length));
    windowLength = 0;
    int read = (int) Math.min(wanted, end - offset);
    source.read(offset, bytes, 0, read);
    windowStart = offset;
    windowLength = read;
    nextRead = Math.min(Windows.BYTES, nextRead * 4);
    return 0;
  }

  @Override
  public void close() {
    byte[] present = window;
    window = null;
    windowLength = 0;
    array = EMPTY;
    start = 0;
    limit = 0;
    decompressor.close();
    if (present != null) {
      Windows.giveBack(present);
    }
  }
}
