package io.reshard.rocksdb;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The rows of a moment: what the database held then, under the uncommitted writes of then. Of a key
 * in both the uncommitted write counts.
 *
 * <p>Its monitor guards the native iterator: {@link #release()} may come from the thread that
 * closes the store while another is in {@link #next()}.
 */
final class Scan implements StateIterator {
  private final WorkingState state;
  private final Life life;
  private final Database database;
  private final @Nullable NativeRows below;
  private final StateIterator above;

  /** 1 or -1: turns a comparison of keys into one of places in the scan. */
  private final int sign;

  private final ByteView belowKey = new ByteView();
  private final ByteView key = new ByteView();
  private final ByteView value = new ByteView();
  private boolean stepBelow = true;
  private boolean stepAbove = true;
  private boolean onBelow;
  private boolean onAbove;
  private boolean onRow;
  private boolean released;

  /** Takes over a reference of {@code database}, {@code below} and {@code above}. */
  Scan(
      WorkingState state,
      Life life,
      Database database,
      @Nullable NativeRows below,
      StateIterator above,
      boolean forward) {
    this.state = state;
    this.life = life;
    this.database = database;
    this.below = below;
    this.above = above;
    this.sign = forward ? 1 : -1;
  }

  @Override
  public synchronized boolean next() {
    onRow = false;
    life.checkOpen();
    if (released) {
      throw StateStoreException.closed("the iterator");
    }
    try {
      onRow = step();
      return onRow;
    } catch (RocksDBException e) {
      throw life.fail(Errors.of(e, "reading rows", database.directory()));
    }
  }

  private boolean step() throws RocksDBException {
    while (true) {
      if (stepBelow) {
        onBelow = below != null && below.next(belowKey);
        stepBelow = false;
      }
      if (stepAbove) {
        onAbove = above.next();
        stepAbove = false;
      }
      if (onAbove && (!onBelow || belowKey.compareTo(above.key()) * sign >= 0)) {
        stepAbove = true;
        stepBelow = onBelow && belowKey.equals(above.key());
        if (!Overlay.isDeleted(above.value())) {
          point(key, above.key());
          point(value, above.value());
          return true;
        }
      } else if (onBelow && below != null) {
        stepBelow = true;
        point(key, belowKey);
        below.value(value);
        return true;
      } else {
        return false;
      }
    }
  }

  private static void point(ByteView view, ByteView at) {
    view.set(at.array(), at.offset(), at.length());
  }

  @Override
  public ByteView key() {
    checkOnRow();
    return key;
  }

  @Override
  public ByteView value() {
    checkOnRow();
    return value;
  }

  private void checkOnRow() {
    if (!onRow) {
      throw StateStoreException.invalid(
          "the iterator stands on no row; call key() and value() after next() returned true");
    }
  }

  @Override
  public synchronized void close() {
    onRow = false;
    release();
  }

  /**
   * Gives up the native side. The current row stays readable, as it lies on the heap: whoever
   * closes the store must not pull it from under a thread that is looking at it.
   */
  synchronized void release() {
    if (released) {
      return;
    }
    released = true;
    above.close();
    if (below != null) {
      below.close();
    }
    database.release();
    // Last, so that a store being closed waits until the native side is gone.
    state.forget(this);
  }
}
