package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Merges cursors with a loser tree: each inner node of a binary tree over the cursors holds the
 * loser of the comparison made there, and the overall winner is kept apart. A step replays the
 * comparisons on the winner's way to the root, log2(n) of them. Most are decided by the first eight
 * bytes of the keys, kept as a number.
 *
 * <p>The views are those of the winning cursor; nothing is copied or allocated per entry. A cursor
 * that has no more entries is closed at once, so that its buffers are free for others.
 */
final class MergeCursor implements EntryCursor {
  private static final ByteView NOTHING = new ByteView();

  private final EntryCursor[] cursors;
  private final boolean[] closed;
  private final boolean[] exhausted;
  private final ByteView[] keys;
  private final long[] prefixes;

  /** Losers at the inner nodes 1 to n - 1; the leaf of cursor i is node n + i. */
  private final int[] losers;

  private int winner = -1;
  private boolean finished;
  private boolean allClosed;
  private boolean failed;

  MergeCursor(List<? extends EntryCursor> sources) {
    int count = sources.size();
    this.cursors = sources.toArray(new EntryCursor[0]);
    this.closed = new boolean[count];
    this.exhausted = new boolean[count];
    this.keys = new ByteView[count];
    Arrays.fill(keys, NOTHING);
    this.prefixes = new long[count];
    this.losers = new int[Math.max(1, count)];
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
    if (winner < 0) {
      start();
    } else {
      step(winner);
      replay();
    }
    failed = false;
    finished = cursors.length == 0 || exhausted[winner];
    return !finished;
  }

  private void start() {
    for (int i = 0; i < cursors.length; i++) {
      step(i);
    }
    winner = cursors.length == 0 ? 0 : play(1);
  }

  /** Fills the tree below a node; returns its winner. */
  private int play(int node) {
    int count = cursors.length;
    if (node >= count) {
      return node - count;
    }
    int left = play(2 * node);
    int right = play(2 * node + 1);
    boolean leftWins = isBefore(left, right);
    losers[node] = leftWins ? right : left;
    return leftWins ? left : right;
  }

  private void replay() {
    int best = winner;
    for (int node = (best + cursors.length) >> 1; node > 0; node >>= 1) {
      int other = losers[node];
      if (isBefore(other, best)) {
        losers[node] = best;
        best = other;
      }
    }
    winner = best;
  }

  private void step(int i) {
    if (!cursors[i].next()) {
      exhausted[i] = true;
      close(i);
      return;
    }
    ByteView key = cursors[i].key();
    keys[i] = key;
    prefixes[i] = Bytes.prefix(key.array(), key.offset(), key.length()) ^ Long.MIN_VALUE;
  }

  private boolean isBefore(int left, int right) {
    if (exhausted[left] || exhausted[right]) {
      return !exhausted[left] && exhausted[right];
    }
    long leftPrefix = prefixes[left];
    long rightPrefix = prefixes[right];
    if (leftPrefix != rightPrefix) {
      return leftPrefix < rightPrefix;
    }
    int order = keys[left].compareTo(keys[right]);
    if (order != 0) {
      return order < 0;
    }
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
    if (winner < 0 || finished) {
      throw StateStoreException.invalid(
          "a merge of cursors has no current entry; call next() and see it return true first");
    }
    return cursors[winner];
  }

  private void close(int i) {
    if (!closed[i]) {
      closed[i] = true;
      cursors[i].close();
    }
  }

  @Override
  public void close() {
    finished = true;
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
