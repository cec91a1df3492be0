package io.reshard.sst;

import io.reshard.spi.StateIterator;
import java.util.List;

/** Puts cursors together. Closing what is returned closes what was given. */
public final class Cursors {
  private Cursors() {}

  /**
   * One cursor over the entries of several, ordered by user key, then by descending sequence
   * number, then by position in the list (an earlier cursor is the newer one). Memory: a heap of
   * cursors.
   */
  public static EntryCursor merge(List<? extends EntryCursor> cursors) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * The rows that entries mean: for each key its newest entry, if that is a put.
   *
   * @throws io.reshard.spi.StateStoreException INCOMPATIBLE at a merge operand
   */
  public static StateIterator rows(EntryCursor merged) {
    throw new UnsupportedOperationException("stub");
  }

  /** Rows as put entries of sequence number 0. */
  public static EntryCursor entries(StateIterator rows) {
    throw new UnsupportedOperationException("stub");
  }

  /** No entries. */
  public static EntryCursor empty() {
    return merge(List.of());
  }
}
