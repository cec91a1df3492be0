package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import java.util.List;

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
