package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.Limits;
import io.reshard.spi.StateStoreException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Steps through the entries of a file.
 *
 * <pre>
 *   dataBlock   = entry* tail                      ({@link BlockTail})
 *   entry       = varint32 shared, varint32 nonShared, varint32 valueLength, key suffix, value
 *   internalKey = user key, long (sequence number << 8 | type)
 * </pre>
 *
 * <p>An entry's internal key is the first {@code shared} bytes of the one before and the suffix.
 * The cursor keeps the present user key in one array and lays each suffix over it, so a step copies
 * the suffix and nothing else; the value view points into the block. The trailer is read where it
 * lies: a load of bytes that were just stored would have to wait for them. The order of keys is
 * checked before the suffix is laid over, mostly by one byte: where keys are coded as tightly as
 * they can be, the first byte not shared is the one in which they differ.
 *
 * <p>Nothing is allocated per row.
 */
final class SstCursor implements EntryCursor {
  /** Bytes behind the user key in an internal key. */
  static final int TRAILER = 8;

  /** Greatest sequence number. */
  static final long MAX_SEQUENCE = (1L << 56) - 1;

  /** Most bytes a data block may have: the largest entry, and as much again for its neighbours. */
  static final int MAX_BLOCK_BYTES = 2 * (Limits.MAX_VALUE_BYTES + Limits.MAX_KEY_BYTES);

  /** Types that are known and not supported, for errors. */
  private static final int BLOB_INDEX = 0x11;

  private static final int DELETION_WITH_TIMESTAMP = 0x14;
  private static final int WIDE_COLUMNS = 0x16;
  private static final int PUT_WITH_WRITE_TIME = 0x18;

  private static final byte[] EMPTY = new byte[0];

  // The first four bytes of an entry, as a little-endian number, have these bits set where a length
  // goes on beyond its byte.
  private static final int MORE_THAN_THREE_BYTES = 0x00808080;
  private static final int MORE_THAN_FOUR_BYTES = 0x80808080;
  private static final int LAST_TWO_ARE_ONE_LENGTH = 0x00800000;

  private static final int PUT = EntryType.PUT.code();
  private static final @Nullable EntryType[] TYPES = new EntryType[256];

  static {
    for (EntryType type : EntryType.values()) {
      TYPES[type.code()] = type;
    }
  }

  private final SstReader reader;
  private final String file;
  private final BlockFetcher fetcher;
  private final byte @Nullable [] from;
  private final byte @Nullable [] to;
  private final long globalSequence;
  private final IndexIterator upperIndex;
  private @Nullable IndexIterator index;
  private final ValuesApart valuesApart = new ValuesApart();

  private byte[] block = EMPTY;
  private int at;
  private int end;
  private long blockOffset;
  private long blocksEnd;
  private boolean checkTo;
  private boolean positioned;
  private boolean finished;
  private boolean closed;
  private @Nullable Throwable failure;

  /** The present user key, and room for a trailer behind it. */
  private byte[] key = new byte[256];

  private int keyLength;

  /** How much of the present key the next entry may share: nothing at the start of a block. */
  private int shareable;

  private long packed;
  private long entries;
  private final ByteView keyView = new ByteView();
  private final ByteView valueView = new ByteView();

  // What parseLengths found, and how far it came.
  private int parsed;
  private int parsedShared;
  private int parsedSuffix;
  private int parsedValue;

  SstCursor(SstReader reader, BlockFetcher fetcher, byte @Nullable [] from, byte @Nullable [] to) {
    this.reader = reader;
    this.file = reader.file();
    this.fetcher = fetcher;
    this.from = from;
    this.to = to;
    this.globalSequence = reader.globalSequence();
    this.upperIndex = reader.index();
    this.positioned = from == null;
  }

  @Override
  public boolean next() {
    try {
      if (!positioned) {
        return seek();
      }
      return step() && (!checkTo || isBeforeEnd());
    } catch (RuntimeException | Error e) {
      // Going on could skip what could not be read: a cursor that failed fails for ever.
      failure = e;
      at = end;
      throw e;
    }
  }

  /** Skips the entries before the lower bound, once. */
  private boolean seek() {
    positioned = true;
    byte[] bound = from;
    while (step()) {
      if (bound == null || keyView.compareTo(bound) >= 0) {
        return !checkTo || isBeforeEnd();
      }
    }
    return false;
  }

  private boolean isBeforeEnd() {
    if (to == null || keyView.compareTo(to) < 0) {
      return true;
    }
    finish();
    return false;
  }

  private boolean step() {
    if (at == end && !nextBlock()) {
      return false;
    }
    // At least 4 more bytes follow, in most blocks those of the tail, so they are there whatever
    // they mean.
    byte[] bytes = block;
    int position = at;
    int head = Bytes.getInt(bytes, position);
    int shared = head & 0x7f;
    int suffix = head >>> 8 & 0x7f;
    int valueLength = head >>> 16 & 0x7f;
    if ((head & MORE_THAN_THREE_BYTES) == 0) {
      position += 3;
    } else if ((head & MORE_THAN_FOUR_BYTES) == LAST_TWO_ARE_ONE_LENGTH) {
      valueLength |= head >>> 24 << 7;
      position += 4;
    } else {
      position = parseLengths();
      shared = parsedShared;
      suffix = parsedSuffix;
      valueLength = parsedValue;
    }
    int rest = end - position;
    if (shared > shareable || suffix > rest || valueLength > rest - suffix) {
      throw badLengths(shared, suffix, valueLength);
    }
    int own = suffix - TRAILER;
    int length = shared + own;
    if (length < 0 || length > Limits.MAX_KEY_BYTES || valueLength > Limits.MAX_VALUE_BYTES) {
      throw badLengths(shared, suffix, valueLength);
    }
    byte[] target = key.length - TRAILER < length ? grow(length) : key;
    if (shared > keyLength) {
      keepTrailer();
    }
    long newPacked =
        own >= 0 ? Bytes.getLong(bytes, position + own) : sharedTrailer(position, shared, suffix);
    if (shared >= keyLength
        || shared >= length
        || (bytes[position] & 0xff) <= (target[shared] & 0xff)) {
      checkOrder(position, shared, length, newPacked);
    }
    int code = (int) newPacked & 0xff;
    if (code != PUT) {
      checkType(code, valueLength);
    }
    if (globalSequence != 0 && newPacked >>> 8 != 0) {
      throw corrupt("an entry of an external file has sequence number " + (newPacked >>> 8));
    }
    if (own > 2 * Long.BYTES) {
      System.arraycopy(bytes, position, target, shared, own);
    } else if (own > 0) {
      // Whole words: the trailer follows in the one array, room for one in the other.
      Bytes.putLong(target, shared, Bytes.getLong(bytes, position));
      if (own > Long.BYTES) {
        Bytes.putLong(target, shared + Long.BYTES, Bytes.getLong(bytes, position + Long.BYTES));
      }
    }
    packed = newPacked;
    keyLength = length;
    shareable = length + TRAILER;
    entries++;
    keyView.set(target, 0, length);
    position += suffix;
    at = position + valueLength;
    valueView.set(bytes, position, valueLength);
    return true;
  }

  /** Makes room for a user key of {@code length} bytes and a trailer. */
  private byte[] grow(int length) {
    byte[] larger = Arrays.copyOf(key, Math.max(length, key.length * 2) + TRAILER);
    key = larger;
    return larger;
  }

  /** Puts the trailer of the present key behind it, where the next one shares bytes of it. */
  private void keepTrailer() {
    Bytes.putLong(key, keyLength, packed);
  }

  /** The trailer of a key that shares the first bytes of it, or all, with the one before. */
  private long sharedTrailer(int position, int shared, int suffix) {
    byte[] trailer = new byte[TRAILER];
    int common = TRAILER - suffix;
    System.arraycopy(key, shared - common, trailer, 0, common);
    System.arraycopy(block, position, trailer, common, suffix);
    return Bytes.getLong(trailer, 0);
  }

  /** Checks an entry against the one before where one byte does not tell. */
  private void checkOrder(int position, int shared, int length, long newPacked) {
    if (entries == 0) {
      return;
    }
    int order = Bytes.compareToPrevious(key, keyLength, shared, block, position, length);
    if (order < 0 || (order == 0 && Long.compareUnsigned(newPacked, packed) >= 0)) {
      throw unordered(position, shared, length);
    }
  }

  private void checkType(int code, int valueLength) {
    EntryType type = TYPES[code];
    if (type == null || (valueLength != 0 && !type.hasValue())) {
      throw badType(code, valueLength);
    }
  }

  /** Parses the lengths of the entry at {@link #at}; returns where its suffix starts. */
  private int parseLengths() {
    parsed = at;
    parsedShared = varint32("shared length of a key");
    parsedSuffix = varint32("length of a key");
    parsedValue = varint32("length of a value");
    return parsed;
  }

  /** Parses the varint at {@link #parsed} and steps over it. */
  private int varint32(String what) {
    byte[] bytes = block;
    int position = parsed;
    int value = 0;
    for (int shift = 0; shift < 32 && position < end; shift += 7) {
      byte b = bytes[position++];
      value |= (b & 0x7f) << shift;
      if (b >= 0 && (shift < 28 || b < 8)) {
        parsed = position;
        return value;
      }
    }
    ByteInput input = new ByteInput(file, blockOffset, block, parsed, end);
    int tooLong = input.varint32(what);
    throw input.corrupt(what + " of " + tooLong + " is a varint of more than 32 bits");
  }

  private boolean nextBlock() {
    if (closed) {
      throw StateStoreException.closed("cursor over SST file '" + file + "'");
    }
    rethrowFailure();
    if (finished) {
      return false;
    }
    checkSeparator();
    // The separator of the block just read was not below the upper bound: nothing more is.
    IndexIterator entry = checkTo ? null : nextIndexEntry();
    if (entry == null) {
      finish();
      checkCount();
      return false;
    }
    blockOffset = entry.offset();
    fetcher.fetch(blockOffset, entry.size(), "data block", reader.maxDataBlockBytes());
    block = fetcher.array();
    at = fetcher.start();
    if (BlockTail.hasValuesApart(block, at, fetcher.limit())) {
      end = valuesApart.join(file, blockOffset, block, at, fetcher.limit());
      block = valuesApart.array();
      at = 0;
    } else {
      end = BlockTail.entriesEnd(file, blockOffset, block, at, fetcher.limit());
    }
    if (at == end) {
      throw corrupt("no entries");
    }
    shareable = 0;
    checkTo = to != null && entry.compareSeparator(to, 0, to.length) >= 0;
    return true;
  }

  private void rethrowFailure() {
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
    if (failure instanceof Error error) {
      throw error;
    }
  }

  /** The index entry of the next block that may have keys from the lower bound on. */
  private @Nullable IndexIterator nextIndexEntry() {
    while (true) {
      IndexIterator lower = index;
      if (lower == null || !lower.next()) {
        lower = reader.isPartitioned() ? nextPartition() : lower == null ? upperIndex : null;
        index = lower;
        if (lower == null || !lower.next()) {
          if (lower == null || !reader.isPartitioned()) {
            return null;
          }
          continue;
        }
      }
      checkPlace(lower);
      if (!isBelowFrom(lower)) {
        return lower;
      }
    }
  }

  private @Nullable IndexIterator nextPartition() {
    while (upperIndex.next()) {
      if (!isBelowFrom(upperIndex)) {
        return reader.partition(upperIndex);
      }
    }
    return null;
  }

  private boolean isBelowFrom(IndexIterator entry) {
    return from != null && entry.compareSeparator(from, 0, from.length) < 0;
  }

  /** Blocks lie one behind another, so an index cannot lead in circles. */
  private void checkPlace(IndexIterator entry) {
    long size = reader.size();
    if (entry.offset() < blocksEnd || entry.size() > size || entry.offset() > size - entry.size()) {
      throw Faults.corrupt(
          file,
          entry.offset(),
          "the index points at a block of "
              + entry.size()
              + " bytes there, which is not between the block before (end at "
              + blocksEnd
              + ") and the end of the file ("
              + size
              + ")");
    }
    blocksEnd = entry.offset() + entry.size() + BlockHandle.TRAILER;
  }

  private void checkSeparator() {
    if (index != null && entries > 0 && index.compareSeparator(key, 0, keyLength) < 0) {
      throw corrupt("key " + keyView + " is beyond what the index says about its block");
    }
  }

  private void checkCount() {
    if (from == null && to == null && entries != reader.expectedEntries()) {
      throw Faults.corrupt(
          file,
          blocksEnd,
          "it has "
              + entries
              + " entries, and properties '"
              + PropertyNames.ENTRIES
              + "' less '"
              + PropertyNames.RANGE_DELETIONS
              + "' say "
              + reader.expectedEntries());
    }
  }

  private void finish() {
    finished = true;
    at = 0;
    end = 0;
    valuesApart.clear();
    fetcher.close();
  }

  @Override
  public ByteView key() {
    return keyView;
  }

  @Override
  public ByteView value() {
    return valueView;
  }

  @Override
  public long sequence() {
    return globalSequence != 0 ? globalSequence : packed >>> 8;
  }

  @Override
  public EntryType type() {
    EntryType type = TYPES[(int) packed & 0xff];
    return type == null ? EntryType.PUT : type;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      finish();
    }
  }

  private StateStoreException corrupt(String what) {
    return Faults.corrupt(file, blockOffset, "data block: " + what);
  }

  private StateStoreException badLengths(int shared, int suffix, int length) {
    return corrupt(
        "an entry of "
            + shared
            + " shared, "
            + suffix
            + " own and "
            + length
            + " value bytes, with "
            + (end - at)
            + " bytes left and "
            + shareable
            + " to share");
  }

  private StateStoreException unordered(int position, int shared, int length) {
    byte[] shown = Arrays.copyOf(key, length);
    if (length > shared) {
      System.arraycopy(block, position, shown, shared, length - shared);
    }
    return corrupt(
        "key "
            + new ByteView(shown)
            + " is not beyond the one before, or not older than the same key before");
  }

  private StateStoreException badType(int code, int length) {
    String what =
        switch (code) {
          case BLOB_INDEX -> "references to blob files";
          case DELETION_WITH_TIMESTAMP -> "user-defined timestamps";
          case WIDE_COLUMNS -> "wide columns";
          case PUT_WITH_WRITE_TIME -> "values with write times";
          default -> "";
        };
    if (!what.isEmpty()) {
      return Faults.incompatible(
          file,
          "has " + what + " (type " + code + ", block at offset " + blockOffset + ")",
          "write it anew without");
    }
    return corrupt("an entry of type " + code + " with a value of " + length + " bytes");
  }
}
