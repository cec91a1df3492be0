package io.reshard.repartition;

import io.reshard.spi.ByteView;
import java.util.List;

/**
 * Rows of several cursors in order of their keys. No key is in two of them: each was found in the
 * shard it hashes to. A binary heap whose root is the current cursor.
 */
final class RowMerge implements RowCursor {
  private final List<RowCursor> all;
  private final RowCursor[] heap;
  private int size;
  private boolean started;

  /** Merges cursors, which are closed with this. */
  RowMerge(List<RowCursor> cursors) {
    this.all = List.copyOf(cursors);
    this.heap = new RowCursor[all.size()];
  }

  @Override
  public boolean next() {
    if (!started) {
      start();
    } else if (size > 0) {
      if (!heap[0].next()) {
        size--;
        heap[0] = heap[size];
      }
      sink(0);
    }
    return size > 0;
  }

  private void start() {
    started = true;
    for (RowCursor cursor : all) {
      if (cursor.next()) {
        heap[size] = cursor;
        size++;
      }
    }
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i);
    }
  }

  private void sink(int from) {
    int at = from;
    RowCursor moved = heap[at];
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && heap[child + 1].key().compareTo(heap[child].key()) < 0) {
        child++;
      }
      if (moved.key().compareTo(heap[child].key()) <= 0) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = moved;
  }

  @Override
  public ByteView key() {
    return heap[0].key();
  }

  @Override
  public ByteView value() {
    return heap[0].value();
  }

  @Override
  public int hash() {
    return heap[0].hash();
  }

  @Override
  public void close() {
    Closing.all(all);
  }
}
