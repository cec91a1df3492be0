package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.Limits;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The rows that entries of any type mean, range deletions and a sequence number beside them; the
 * twin of {@link RowIterator} for what that does not know.
 *
 * <p>Of a key's entries, which come newest first, those above the sequence number are not seen. The
 * first seen decides:
 *
 * <ul>
 *   <li>deleted by a range (its sequence number is below that of a range deletion over the key),
 *       delete, single delete: there is no row;
 *   <li>put: its value;
 *   <li>merge operand: it and the operands below are gathered, down to the first entry that is
 *       none; a put there is the base value, anything else, or nothing, means there is no base.
 * </ul>
 *
 * <p>A single delete hides whatever is below it, as a delete does: RocksDB's iterator reads it so
 * too. What makes it special, that it and one put go together in a compaction, has happened or not
 * happened to the files by then.
 *
 * <p>Operands come newest first and stand last in the value, so the value is built from its end.
 * The key of a merged row is the copy remembered, as the cursor has gone on to find where the
 * operands end. Nothing is allocated per row, except where a merged value outgrows its buffer.
 */
final class ResolvedRows implements StateIterator {
  private final EntryCursor entries;
  private final RangeCover cover;
  private final @Nullable StringAppend append;
  private final long sequence;

  private final ByteView lastKey = new ByteView();
  private byte[] lastBytes = new byte[64];
  private boolean hasLast;

  private final ByteView merged = new ByteView();
  private byte[] mergedBytes = new byte[0];
  private int mergedStart;

  /** The cursor stands on an entry that was not looked at yet. */
  private boolean pending;

  private boolean isMerged;
  private boolean onRow;
  private boolean finished;
  private boolean closed;
  private boolean failed;

  /**
   * Rows of {@code entries}, which are closed with this.
   *
   * @param append resolves merge operands; null: none may decide
   * @param sequence greatest sequence number that is seen
   */
  ResolvedRows(
      EntryCursor entries, RangeCover cover, @Nullable StringAppend append, long sequence) {
    this.entries = entries;
    this.cover = cover;
    this.append = append;
    this.sequence = sequence;
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
    isMerged = false;
    while (nextEntry()) {
      if (entries.sequence() > sequence || isLastKey()) {
        continue;
      }
      remember();
      long deletedBelow = cover.over(lastKey);
      if (entries.sequence() < deletedBelow) {
        continue;
      }
      EntryType type = entries.type();
      if (type == EntryType.PUT) {
        return true;
      }
      if (type == EntryType.MERGE) {
        merge(deletedBelow);
        return true;
      }
    }
    return false;
  }

  private boolean nextEntry() {
    if (pending) {
      pending = false;
      return true;
    }
    return entries.next();
  }

  private boolean isLastKey() {
    return hasLast && lastKey.compareTo(entries.key()) == 0;
  }

  private void remember() {
    ByteView key = entries.key();
    int length = key.length();
    if (lastBytes.length < length) {
      lastBytes = new byte[Math.max(length, lastBytes.length * 2)];
    }
    System.arraycopy(key.array(), key.offset(), lastBytes, 0, length);
    lastKey.set(lastBytes, 0, length);
    hasLast = true;
  }

  /** The cursor stands on the newest operand. */
  private void merge(long deletedBelow) {
    StringAppend operator = append;
    if (operator == null) {
      throw StateStoreException.incompatible(
          "key "
              + lastKey
              + " ends in a merge operand, sequence number "
              + entries.sequence()
              + "; read it with the merge operator of its database, if that is string append, or"
              + " open the database with its operator and compact it");
    }
    mergedStart = mergedBytes.length;
    prepend(entries.value());
    while (true) {
      if (!entries.next()) {
        break;
      }
      if (!isLastKey()) {
        pending = true;
        break;
      }
      EntryType type = entries.type();
      if (entries.sequence() < deletedBelow
          || type == EntryType.DELETE
          || type == EntryType.SINGLE_DELETE) {
        break;
      }
      prependDelimiter(operator);
      prepend(entries.value());
      if (type == EntryType.PUT) {
        break;
      }
    }
    merged.set(mergedBytes, mergedStart, mergedBytes.length - mergedStart);
    isMerged = true;
  }

  private void prepend(ByteView value) {
    int start = ensure(value.length());
    System.arraycopy(value.array(), value.offset(), mergedBytes, start, value.length());
  }

  private void prependDelimiter(StringAppend operator) {
    int start = ensure(operator.delimiterLength());
    operator.putDelimiter(mergedBytes, start);
  }

  /** Makes room in front; returns where it starts. */
  private int ensure(int more) {
    int used = mergedBytes.length - mergedStart;
    long needed = (long) used + more;
    if (needed > Limits.MAX_VALUE_BYTES) {
      throw StateStoreException.incompatible(
          "key "
              + lastKey
              + " has merge operands of more than "
              + Limits.MAX_VALUE_BYTES
              + " bytes together, the most a value may have; put a shorter value in their place");
    }
    if (needed > mergedBytes.length) {
      byte[] larger = new byte[Math.max(Math.max(256, (int) needed), 2 * mergedBytes.length)];
      System.arraycopy(mergedBytes, mergedStart, larger, larger.length - used, used);
      mergedBytes = larger;
    }
    mergedStart = mergedBytes.length - (int) needed;
    return mergedStart;
  }

  @Override
  public ByteView key() {
    checkOnRow();
    return lastKey;
  }

  @Override
  public ByteView value() {
    checkOnRow();
    return isMerged ? merged : entries.value();
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
