package io.reshard.repartition;

import io.reshard.spi.ByteView;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Rows of several cursors in order of their keys. No key is in two of them: each was found in the
 * shard it hashes to.
 *
 * <p>A loser tree: each inner node holds the loser of the comparison made there, and the winner of
 * all is the current row. A step replays the comparisons on its way to the root, log2(n) of them.
 * Most are decided by the first eight bytes of the keys, kept as a number, without a look at the
 * cursors; so a merge of two costs one comparison of two numbers for each row.
 */
final class RowMerge implements RowCursor {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final List<RowCursor> all;
  private final RowCursor[] cursors;
  private final ByteView[] keys;

  /** First bytes of the present keys, so that they compare as signed numbers. */
  private final long[] prefixes;

  private final boolean[] ended;

  /** Losers at the inner nodes 1 to n - 1; the leaf of cursor i is node n + i. */
  private final int[] losers;

  private RowCursor current;
  private int winner = -1;

  /** Merges cursors, which are closed with this. */
  RowMerge(List<RowCursor> cursors) {
    this.all = List.copyOf(cursors);
    this.cursors = all.toArray(new RowCursor[0]);
    int count = this.cursors.length;
    this.keys = new ByteView[count];
    Arrays.fill(keys, new ByteView());
    this.prefixes = new long[count];
    this.ended = new boolean[count];
    this.losers = new int[count];
    this.current = this.cursors[0];
  }

  @Override
  public boolean next() {
    if (winner < 0) {
      for (int i = 0; i < cursors.length; i++) {
        step(i);
      }
      winner = play(1);
    } else if (!ended[winner]) {
      step(winner);
      replay();
    }
    current = cursors[winner];
    return !ended[winner];
  }

  private void step(int i) {
    RowCursor cursor = cursors[i];
    if (cursor.next()) {
      ByteView key = cursor.key();
      keys[i] = key;
      prefixes[i] = prefix(key.array(), key.offset(), key.length());
    } else {
      ended[i] = true;
    }
  }

  /** The first eight bytes, zeros where there are fewer. */
  private static long prefix(byte[] array, int offset, int length) {
    if (length >= Long.BYTES) {
      return (long) LONGS.get(array, offset) ^ Long.MIN_VALUE;
    }
    long prefix = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      prefix = prefix << 8 | (i < length ? array[offset + i] & 0xff : 0);
    }
    return prefix ^ Long.MIN_VALUE;
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

  private boolean isBefore(int left, int right) {
    if (ended[left] || ended[right]) {
      return !ended[left];
    }
    long leftPrefix = prefixes[left];
    long rightPrefix = prefixes[right];
    return leftPrefix != rightPrefix
        ? leftPrefix < rightPrefix
        : keys[left].compareTo(keys[right]) < 0;
  }

  @Override
  public ByteView key() {
    return current.key();
  }

  @Override
  public ByteView value() {
    return current.value();
  }

  @Override
  public int hash() {
    return current.hash();
  }

  @Override
  public void close() {
    Closing.all(all);
  }
}
