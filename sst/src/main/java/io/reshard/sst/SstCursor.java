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
 * The cursor keeps the present key in one array and lays each suffix over it, so a step copies the
 * suffix and nothing else; the value view points into the block. The order of keys is checked
 * before the suffix is laid over, mostly by one byte: where keys are coded as tightly as they can
 * be, the first byte not shared is the one in which they differ.
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

  private byte[] key = new byte[256];
  private int keyLength;

  /** How much of the present key the next entry may share: nothing at the start of a block. */
  private int shareable;

  private long packed;
  private long entries;
  private EntryType type = EntryType.PUT;
  private final ByteView keyView = new ByteView();
  private final ByteView valueView = new ByteView();

  // What parseLengths found, and how far it came.
  private int parsed;
  private int sharedLength;
  private int suffixLength;
  private int valueLength;

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
    // At least 4 more bytes follow, in most blocks those of the tail, so three bytes are there
    // whatever they mean.
    byte[] bytes = block;
    int position = at;
    int shared = bytes[position];
    int suffix = bytes[position + 1];
    int length = bytes[position + 2];
    if ((shared | suffix | length) >= 0) {
      position += 3;
    } else {
      position = parseLengths();
      shared = sharedLength;
      suffix = suffixLength;
      length = valueLength;
    }
    int rest = end - position;
    if (shared > shareable || suffix > rest || length > rest - suffix) {
      throw badLengths(shared, suffix, length);
    }
    int newLength = shared + suffix;
    int userLength = newLength - TRAILER;
    if (userLength < 0 || userLength > Limits.MAX_KEY_BYTES || length > Limits.MAX_VALUE_BYTES) {
      throw badLengths(shared, suffix, length);
    }
    byte[] target = key;
    int order =
        entries == 0
            ? 1
            : Bytes.compareToPrevious(
                target, keyLength - TRAILER, shared, bytes, position, userLength);
    if (target.length < newLength) {
      target = Arrays.copyOf(target, Math.max(newLength, target.length * 2));
      key = target;
    }
    System.arraycopy(bytes, position, target, shared, suffix);
    long newPacked = Bytes.getLong(target, userLength);
    if (order < 0 || (order == 0 && Long.compareUnsigned(newPacked, packed) >= 0)) {
      throw unordered(userLength);
    }
    EntryType newType = TYPES[(int) newPacked & 0xff];
    if (newType == null || (length != 0 && !newType.hasValue())) {
      throw badType((int) newPacked & 0xff, length);
    }
    if (globalSequence != 0 && newPacked >>> 8 != 0) {
      throw corrupt("an entry of an external file has sequence number " + (newPacked >>> 8));
    }
    packed = newPacked;
    keyLength = newLength;
    shareable = newLength;
    type = newType;
    at = position + suffix + length;
    entries++;
    keyView.set(target, 0, userLength);
    valueView.set(bytes, position + suffix, length);
    return true;
  }

  /** Parses the lengths of the entry at {@link #at}; returns where its suffix starts. */
  private int parseLengths() {
    parsed = at;
    sharedLength = varint32("shared length of a key");
    suffixLength = varint32("length of a key");
    valueLength = varint32("length of a value");
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
    if (index != null && keyLength > 0 && index.compareSeparator(key, 0, keyLength - TRAILER) < 0) {
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
    return type;
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

  private StateStoreException unordered(int userLength) {
    return corrupt(
        "key "
            + new ByteView(key, 0, userLength)
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
