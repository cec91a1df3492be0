package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import java.util.Arrays;

/**
 * The rows that entries mean. The first entry of a key is its newest and decides; the others are
 * passed over, for which the key is remembered in an array of its own.
 */
final class RowIterator implements StateIterator {
  private final EntryCursor entries;
  private byte[] lastKey = new byte[64];
  private int lastLength = -1;
  private boolean onRow;
  private boolean finished;
  private boolean closed;
  private boolean failed;

  RowIterator(EntryCursor entries) {
    this.entries = entries;
  }

  @Override
  public boolean next() {
    if (closed) {
      throw StateStoreException.closed("row iterator");
    }
    if (failed) {
      throw StateStoreException.invalid(
          "this row iterator has failed, see the error then; open its files anew");
    }
    onRow = false;
    if (finished) {
      return false;
    }
    // Until the step is done: going on after an error could pass rows over.
    failed = true;
    onRow = step();
    failed = false;
    finished = !onRow;
    return onRow;
  }

  private boolean step() {
    while (entries.next()) {
      ByteView key = entries.key();
      if (isLastKey(key)) {
        continue;
      }
      remember(key);
      EntryType type = entries.type();
      if (type == EntryType.PUT) {
        return true;
      }
      if (type == EntryType.MERGE) {
        throw StateStoreException.incompatible(
            "key "
                + key
                + " ends in a merge operand, sequence number "
                + entries.sequence()
                + "; open the database with its merge operator and compact it, then read it again");
      }
    }
    return false;
  }

  private boolean isLastKey(ByteView key) {
    int length = key.length();
    return length == lastLength
        && Arrays.equals(key.array(), key.offset(), key.offset() + length, lastKey, 0, lastLength);
  }

  private void remember(ByteView key) {
    int length = key.length();
    if (lastKey.length < length) {
      lastKey = new byte[Math.max(length, lastKey.length * 2)];
    }
    System.arraycopy(key.array(), key.offset(), lastKey, 0, length);
    lastLength = length;
  }

  @Override
  public ByteView key() {
    checkOnRow();
    return entries.key();
  }

  @Override
  public ByteView value() {
    checkOnRow();
    return entries.value();
  }

  private void checkOnRow() {
    if (!onRow) {
      throw StateStoreException.invalid(
          "a row iterator has no current row; call next() and see it return true first");
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      onRow = false;
      entries.close();
    }
  }
}
