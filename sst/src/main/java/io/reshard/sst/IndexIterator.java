package io.reshard.sst;

import io.reshard.spi.Limits;
import java.util.Arrays;

/**
 * Steps through an index block. Each entry has a separator, which is at least the last key of its
 * data block and less than the first of the next, and where the data block lies:
 *
 * <pre>
 *   entry    = varint32 shared, varint32 nonShared, [varint32 valueLength], key suffix, value
 *   value    = handle [varint32 length, first internal key]
 *   handle   = varint64 offset, varint64 size
 *            | zigzag size minus size of the block before   (values delta-encoded and shared > 0)
 * </pre>
 *
 * <p>The value length is left out where values are delta-encoded; the first key is there in index
 * type 3. Separators are user keys or internal keys, as the properties say. Used by one thread.
 */
final class IndexIterator {
  private final String file;
  private final IndexFormat format;
  private final ByteInput input;
  private byte[] key = new byte[64];
  private int keyLength;
  private long offset;
  private long size;
  private boolean started;

  /**
   * Steps through the block in {@code block} from {@code start} to {@code limit}, which must not
   * change meanwhile.
   *
   * @param blockOffset where the index block lies in the file, for errors
   */
  IndexIterator(
      String file, long blockOffset, IndexFormat format, byte[] block, int start, int limit) {
    this.file = file;
    this.format = format;
    int end = BlockTail.entriesEnd(file, blockOffset, block, start, limit);
    this.input = new ByteInput(file, blockOffset, block, start, end);
  }

  /** Offset of the block the entry points at. */
  long offset() {
    return offset;
  }

  /** Size of the block the entry points at. */
  long size() {
    return size;
  }

  /** Compares the user key of the separator with another. */
  int compareSeparator(byte[] other, int from, int to) {
    return Arrays.compareUnsigned(key, 0, userLength(keyLength), other, from, to);
  }

  /** The user key of the separator. */
  byte[] separator() {
    return Arrays.copyOf(key, userLength(keyLength));
  }

  boolean next() {
    if (!input.hasMore()) {
      return false;
    }
    int shared = input.varint32("shared length of an index key");
    int suffix = input.varint32("length of an index key");
    int valueLength = format.deltaValues() ? -1 : input.varint32("length of an index value");
    readKey(shared, suffix);
    int valueStart = input.position();
    readHandle(shared);
    if (format.firstKeys()) {
      int length = input.varint32("length of a first key");
      int unused = input.skip(length, "first key");
    }
    if (valueLength >= 0 && input.position() - valueStart != valueLength) {
      throw input.corrupt(
          "an index value of "
              + valueLength
              + " bytes has "
              + (input.position() - valueStart)
              + " bytes");
    }
    started = true;
    return true;
  }

  /** Lays the suffix over the key before, as {@link SstCursor} does. */
  private void readKey(int shared, int suffix) {
    int trailer = format.userKeys() ? 0 : SstCursor.TRAILER;
    int from = input.skip(suffix, "index key");
    if (shared > keyLength) {
      throw input.corrupt("an index key shares " + shared + " bytes with one of " + keyLength);
    }
    long length = (long) shared + suffix;
    if (length < trailer || length - trailer > Limits.MAX_KEY_BYTES) {
      throw input.corrupt("an index key of " + length + " bytes");
    }
    int newLength = (int) length;
    if (started
        && Bytes.compareToPrevious(
                key, userLength(keyLength), shared, input.array(), from, userLength(newLength))
            < 0) {
      throw input.corrupt("index keys do not ascend");
    }
    if (key.length < newLength) {
      key = Arrays.copyOf(key, Math.max(newLength, key.length * 2));
    }
    System.arraycopy(input.array(), from, key, shared, suffix);
    keyLength = newLength;
  }

  private int userLength(int length) {
    return format.userKeys() ? length : length - SstCursor.TRAILER;
  }

  private void readHandle(int shared) {
    if (format.deltaValues() && shared > 0) {
      long delta = input.zigzag("size of a block");
      offset = offset + size + BlockHandle.TRAILER;
      size += delta;
    } else {
      offset = input.varint64("offset of a block");
      size = input.varint64("size of a block");
    }
    if (offset < 0 || size < 0) {
      throw Faults.corrupt(file, offset, "an index entry points at " + size + " bytes there");
    }
  }

  /**
   * How an index is written.
   *
   * @param userKeys separators are user keys, else internal keys
   * @param deltaValues handles are delta-encoded
   * @param firstKeys values hold the first key of the block
   * @param partitioned entries point at index blocks, which point at data blocks
   */
  record IndexFormat(
      boolean userKeys, boolean deltaValues, boolean firstKeys, boolean partitioned) {}
}
