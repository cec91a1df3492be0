package io.reshard.repartition;

import io.reshard.spi.ByteView;
import io.reshard.sst.KeyMerge;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of several cursors in order of their keys. No key is in two of them: each was found in the
 * shard it hashes to.
 */
final class RowMerge extends KeyMerge implements RowCursor {
  private final List<RowCursor> all;
  private final RowCursor[] cursors;
  private RowCursor current;

  /** Merges cursors, which are closed with this. */
  RowMerge(List<RowCursor> cursors) {
    super(cursors.size());
    this.all = List.copyOf(cursors);
    this.cursors = all.toArray(new RowCursor[0]);
    this.current = this.cursors[0];
  }

  @Override
  public boolean next() {
    int winner = step();
    if (winner < 0) {
      return false;
    }
    current = cursors[winner];
    return true;
  }

  @Override
  protected @Nullable ByteView advance(int source) {
    RowCursor cursor = cursors[source];
    return cursor.next() ? cursor.key() : null;
  }

  @Override
  protected boolean isFirstOfEqual(int left, int right) {
    return false;
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
