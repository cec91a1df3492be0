package io.reshard.sst;

/**
 * Puts data blocks whose values lie apart into the usual form, so that there is one way to step
 * through entries. Such blocks come from RocksDB 11.1 and later with {@code
 * separateKeyValueInDataBlock} (table/block_based/block_builder.cc):
 *
 * <pre>
 *   block = entry* value* restart* [hash index] int values, word     ({@link BlockTail})
 *   entry = varint32 shared, varint32 nonShared, varint32 valueLength,
 *           [varint32 valueOffset], key suffix
 * </pre>
 *
 * <p>Values follow each other in the order of the entries, from offset {@code values} of the block
 * on. Entries at restarts say where theirs starts, counted from there; the others leave it out.
 * What is put together is never longer than the block was. Used by one thread.
 */
final class ValuesApart {
  /** Readers of entries may look at the three bytes of lengths at once. */
  private static final int SLACK = 4;

  private byte[] buffer = new byte[0];

  /** The entries that {@link #join} put together; valid until the next call. */
  byte[] array() {
    return buffer;
  }

  /**
   * Puts entries and values together, at the start of {@link #array()}.
   *
   * @param offset offset of the block in the file, for errors
   * @return their length
   */
  int join(String file, long offset, byte[] block, int start, int limit) {
    int restartsAt = BlockTail.restartsAt(file, offset, block, start, limit);
    int restarts = BlockTail.restarts(block, limit);
    int values = Bytes.getInt(block, limit - 2 * Integer.BYTES);
    if (values < 0 || values > restartsAt - start) {
      throw Faults.corrupt(
          file,
          offset,
          "values of a block start at "
              + Integer.toUnsignedString(values)
              + ", and end at "
              + (restartsAt - start));
    }
    BlockTail.checkRestarts(file, offset, block, restartsAt, restarts, values);
    if (buffer.length < limit - start + SLACK) {
      buffer = new byte[limit - start + SLACK];
    }
    ByteInput entries = new ByteInput(file, offset, block, start, start + values);
    int valuesAt = start + values;
    int nextValue = valuesAt;
    int restart = 0;
    int at = 0;
    while (entries.hasMore()) {
      boolean isRestart =
          restart < restarts
              && entries.position() - start
                  == Bytes.getInt(block, restartsAt + restart * Integer.BYTES);
      int shared = entries.varint32("shared length of a key");
      int suffix = entries.varint32("length of a key");
      int length = entries.varint32("length of a value");
      if (isRestart) {
        restart++;
        int valueOffset = entries.varint32("offset of a value");
        if (valueOffset != nextValue - valuesAt) {
          throw entries.corrupt(
              "a value at " + valueOffset + " behind values that end at " + (nextValue - valuesAt));
        }
      }
      int key = entries.skip(suffix, "key");
      if (length > restartsAt - nextValue) {
        throw entries.corrupt(
            "a value of " + length + " bytes, but only " + (restartsAt - nextValue) + " remain");
      }
      at = Bytes.putVarint(buffer, at, shared);
      at = Bytes.putVarint(buffer, at, suffix);
      at = Bytes.putVarint(buffer, at, length);
      System.arraycopy(block, key, buffer, at, suffix);
      System.arraycopy(block, nextValue, buffer, at + suffix, length);
      at += suffix + length;
      nextValue += length;
    }
    if (restart != restarts || nextValue != restartsAt) {
      throw entries.corrupt(
          "values that end at "
              + (nextValue - start)
              + " instead of "
              + (restartsAt - start)
              + ", or "
              + restart
              + " restarts at entries instead of "
              + restarts);
    }
    return at;
  }

  /** Gives up the buffer. */
  void clear() {
    buffer = new byte[0];
  }
}
