package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts cursors together. Closing what is returned closes what was given. */
public final class Cursors {
  private Cursors() {}

  /**
   * One cursor over the entries of several, ordered by user key, then by descending sequence
   * number, then by position in the list (an earlier cursor is the newer one). Memory: a tree of
   * cursors. A cursor is closed as soon as it has no more entries.
   */
  public static EntryCursor merge(List<? extends EntryCursor> cursors) {
    return cursors.size() == 1 ? cursors.get(0) : new MergeCursor(cursors);
  }

  /**
   * The rows that entries mean: for each key its newest entry, if that is a put.
   *
   * @throws io.reshard.spi.StateStoreException from {@code next()}, INCOMPATIBLE at a merge operand
   *     that is the newest entry of its key
   */
  public static StateIterator rows(EntryCursor merged) {
    return new RowIterator(merged);
  }

  /**
   * The rows that entries, and range deletions beside them, mean up to a sequence number.
   *
   * @param merged entries of all files
   * @param deletions range deletions of all files, each cut at the bounds of its file ({@link
   *     LevelRows#rangeDeletions})
   * @param append resolves merge operands; null: there are none that count
   * @param sequence greatest sequence number that is seen, or {@link LevelRows#NEWEST}
   * @throws io.reshard.spi.StateStoreException from {@code next()}, INCOMPATIBLE at a merge operand
   *     that is the newest entry of its key, where there is no operator, and where a merged value
   *     is beyond {@link io.reshard.spi.Limits}
   */
  public static StateIterator rows(
      EntryCursor merged,
      List<RangeDeletion> deletions,
      @Nullable StringAppend append,
      long sequence) {
    return new ResolvedRows(merged, new RangeCover(deletions, sequence), append, sequence);
  }

  /** Rows as put entries of sequence number 0. */
  public static EntryCursor entries(StateIterator rows) {
    return new RowEntries(rows);
  }

  /** No entries. */
  public static EntryCursor empty() {
    return merge(List.of());
  }

  private record RowEntries(StateIterator rows) implements EntryCursor {
    @Override
    public boolean next() {
      return rows.next();
    }

    @Override
    public ByteView key() {
      return rows.key();
    }

    @Override
    public ByteView value() {
      return rows.value();
    }

    @Override
    public long sequence() {
      return 0;
    }

    @Override
    public EntryType type() {
      return EntryType.PUT;
    }

    @Override
    public void close() {
      rows.close();
    }
  }
}
