package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import java.util.Arrays;

/**
 * What every way to make rows of entries has in common: its states, and the last key it has looked
 * at, which is remembered in an array of its own so that older entries of it are known.
 *
 * <p>Before the first row and after the last there is no current row; a step that failed ends it,
 * since going on after an error could pass rows over; closing it closes the entries.
 */
abstract class EntryRows implements StateIterator {
  final EntryCursor entries;

  /** The key remembered last. */
  final ByteView lastKey = new ByteView();

  private byte[] lastBytes = new byte[64];
  private boolean hasLast;
  private boolean onRow;
  private boolean finished;
  private boolean closed;
  private boolean failed;

  /** Rows of {@code entries}, which are closed with this. */
  EntryRows(EntryCursor entries) {
    this.entries = entries;
  }

  /** Goes on to the next row; false if there is none. */
  abstract boolean step();

  /** The key of the row that the last step found. */
  abstract ByteView currentKey();

  /** The value of the row that the last step found. */
  abstract ByteView currentValue();

  /** Whether the present entry's key is the one remembered. */
  final boolean isLastKey() {
    ByteView key = entries.key();
    int length = key.length();
    return hasLast
        && length == lastKey.length()
        && Arrays.equals(key.array(), key.offset(), key.offset() + length, lastBytes, 0, length);
  }

  /** Remembers the present entry's key. */
  final void remember() {
    ByteView key = entries.key();
    int length = key.length();
    if (lastBytes.length < length) {
      lastBytes = new byte[Math.max(length, lastBytes.length * 2)];
    }
    System.arraycopy(key.array(), key.offset(), lastBytes, 0, length);
    lastKey.set(lastBytes, 0, length);
    hasLast = true;
  }

  @Override
  public final boolean next() {
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
    failed = true;
    onRow = step();
    failed = false;
    finished = !onRow;
    return onRow;
  }

  @Override
  public final ByteView key() {
    checkOnRow();
    return currentKey();
  }

  @Override
  public final ByteView value() {
    checkOnRow();
    return currentValue();
  }

  private void checkOnRow() {
    if (!onRow) {
      throw StateStoreException.invalid(
          "a row iterator has no current row; call next() and see it return true first");
    }
  }

  @Override
  public final void close() {
    if (!closed) {
      closed = true;
      onRow = false;
      entries.close();
    }
  }
}
