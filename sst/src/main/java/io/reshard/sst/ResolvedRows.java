package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.Limits;
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
final class ResolvedRows extends EntryRows {
  private final RangeCover cover;
  private final @Nullable StringAppend append;
  private final long sequence;

  private final ByteView merged = new ByteView();
  private byte[] mergedBytes = new byte[0];
  private int mergedStart;

  /** The cursor stands on an entry that was not looked at yet. */
  private boolean pending;

  private boolean isMerged;

  /**
   * Rows of {@code entries}, which are closed with this.
   *
   * @param append resolves merge operands; null: none may decide
   * @param sequence greatest sequence number that is seen
   */
  ResolvedRows(
      EntryCursor entries, RangeCover cover, @Nullable StringAppend append, long sequence) {
    super(entries);
    this.cover = cover;
    this.append = append;
    this.sequence = sequence;
  }

  @Override
  boolean step() {
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
  ByteView currentKey() {
    return lastKey;
  }

  @Override
  ByteView currentValue() {
    return isMerged ? merged : entries.value();
  }
}
