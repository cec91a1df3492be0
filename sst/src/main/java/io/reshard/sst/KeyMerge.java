package io.reshard.sst;

import io.reshard.spi.ByteView;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds, step by step, which of several sources in order of keys has the least key.
 *
 * <p>A loser tree: each inner node of a binary tree over the sources holds the loser of the
 * comparison made there, and the overall winner is kept apart. A step replays the comparisons on
 * the winner's way to the root, log2(n) of them. Most are decided by the first eight bytes of the
 * keys, kept as a number, without a look at the sources; so a merge of two costs one comparison of
 * two numbers for each step. Nothing is allocated per step.
 *
 * <p>What a source is, only the subclass knows. Used by one thread.
 */
public abstract class KeyMerge {
  private static final ByteView NOTHING = new ByteView();

  private final ByteView[] keys;

  /** First bytes of the present keys, so that they compare as signed numbers. */
  private final long[] prefixes;

  private final boolean[] ended;

  /** Losers at the inner nodes 1 to n - 1; the leaf of source i is node n + i. */
  private final int[] losers;

  private int winner = -1;

  /** A merge of {@code count} sources, numbered from 0. */
  protected KeyMerge(int count) {
    this.keys = new ByteView[count];
    Arrays.fill(keys, NOTHING);
    this.prefixes = new long[count];
    this.ended = new boolean[count];
    this.losers = new int[count];
  }

  /**
   * Goes on to the next key of a source; null at its end, after which it is not asked again. The
   * view must show that key until the next call for the same source.
   */
  protected abstract @Nullable ByteView advance(int source);

  /** Whether {@code left} comes before {@code right}, where both have the same key. */
  protected abstract boolean isFirstOfEqual(int left, int right);

  /** Goes on to the source that has the next key; -1 if all are at their ends. */
  protected final int step() {
    int count = losers.length;
    if (count == 0 || (winner >= 0 && ended[winner])) {
      return -1;
    }
    if (winner < 0) {
      for (int i = 0; i < count; i++) {
        read(i);
      }
      winner = play(1);
    } else {
      read(winner);
      replay();
    }
    return ended[winner] ? -1 : winner;
  }

  private void read(int source) {
    ByteView key = advance(source);
    if (key == null) {
      ended[source] = true;
      return;
    }
    keys[source] = key;
    prefixes[source] = Bytes.prefix(key.array(), key.offset(), key.length()) ^ Long.MIN_VALUE;
  }

  /** Fills the tree below a node; returns its winner. */
  private int play(int node) {
    int count = losers.length;
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
    for (int node = (best + losers.length) >> 1; node > 0; node >>= 1) {
      int other = losers[node];
      if (isBefore(other, best)) {
        losers[node] = best;
        best = other;
      }
    }
    winner = best;
  }

  private boolean isBefore(int left, int right) {
    if (ended[left] || ended[right]) {
      return !ended[left];
    }
    long leftPrefix = prefixes[left];
    long rightPrefix = prefixes[right];
    if (leftPrefix != rightPrefix) {
      return leftPrefix < rightPrefix;
    }
    int order = keys[left].compareTo(keys[right]);
    return order != 0 ? order < 0 : isFirstOfEqual(left, right);
  }
}
