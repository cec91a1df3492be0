package io.reshard.sst;

import io.reshard.spi.ByteView;

/**
 * Says that every entry of a key with {@code begin <= key < end} and a smaller sequence number is
 * gone. Lies in a block of its own ({@link RangeDeletionBlock}), beside the entries of its file.
 *
 * @param begin first user key deleted; not copied
 * @param end user key behind the last one deleted; not copied
 * @param sequence its sequence number, 0 to 2^56 - 1
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, not compared.
public record RangeDeletion(byte[] begin, byte[] end, long sequence) {
  /** RocksDB's value type (db/dbformat.h, kTypeRangeDeletion). */
  public static final int CODE = 15;

  @Override
  public String toString() {
    return new ByteView(begin) + " to " + new ByteView(end) + "@" + sequence;
  }
}
