package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Merges cursors by their keys ({@link KeyMerge}); of entries of one key the one with the greatest
 * sequence number comes first.
 *
 * <p>The views are those of the winning cursor; nothing is copied or allocated per entry. A cursor
 * that has no more entries is closed at once, so that its buffers are free for others.
 */
final class MergeCursor extends KeyMerge implements EntryCursor {
  private final EntryCursor[] cursors;
  private final boolean[] closed;
  private @Nullable EntryCursor current;
  private boolean finished;
  private boolean allClosed;
  private boolean failed;

  MergeCursor(List<? extends EntryCursor> sources) {
    super(sources.size());
    this.cursors = sources.toArray(new EntryCursor[0]);
    this.closed = new boolean[cursors.length];
  }

  @Override
  public boolean next() {
    if (allClosed) {
      throw StateStoreException.closed("merge of cursors");
    }
    if (finished) {
      return false;
    }
    if (failed) {
      throw StateStoreException.invalid(
          "a cursor of this merge has failed, see the error then; merge cursors opened anew");
    }
    // Until the step is done: going on after an error could pass entries over.
    failed = true;
    int winner = step();
    failed = false;
    finished = winner < 0;
    current = finished ? null : cursors[winner];
    return !finished;
  }

  @Override
  protected @Nullable ByteView advance(int source) {
    EntryCursor cursor = cursors[source];
    if (cursor.next()) {
      return cursor.key();
    }
    close(source);
    return null;
  }

  @Override
  protected boolean isFirstOfEqual(int left, int right) {
    long leftSequence = cursors[left].sequence();
    long rightSequence = cursors[right].sequence();
    return leftSequence != rightSequence ? leftSequence > rightSequence : left < right;
  }

  @Override
  public ByteView key() {
    return current().key();
  }

  @Override
  public ByteView value() {
    return current().value();
  }

  @Override
  public long sequence() {
    return current().sequence();
  }

  @Override
  public EntryType type() {
    return current().type();
  }

  private EntryCursor current() {
    EntryCursor cursor = current;
    if (cursor == null) {
      throw StateStoreException.invalid(
          "a merge of cursors has no current entry; call next() and see it return true first");
    }
    return cursor;
  }

  private void close(int i) {
    if (!closed[i]) {
      closed[i] = true;
      cursors[i].close();
    }
  }

  @Override
  public void close() {
    current = null;
    allClosed = true;
    RuntimeException failure = null;
    for (int i = 0; i < cursors.length; i++) {
      try {
        close(i);
      } catch (RuntimeException e) {
        failure = combine(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static RuntimeException combine(@Nullable RuntimeException first, RuntimeException more) {
    if (first == null) {
      return more;
    }
    first.addSuppressed(more);
    return first;
  }
}
