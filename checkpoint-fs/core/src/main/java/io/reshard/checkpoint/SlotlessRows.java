package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;

/** Rows with the slot in front of their keys left out. */
final class SlotlessRows implements StateIterator {
  private final StateIterator rows;
  private final ByteView key = new ByteView();

  SlotlessRows(StateIterator rows) {
    this.rows = rows;
  }

  @Override
  public boolean next() {
    return rows.next();
  }

  @Override
  public ByteView key() {
    ByteView stored = rows.key();
    if (stored.length() < Layout.SLOT_BYTES) {
      throw StateStoreException.corrupt(
          "a stored key of "
              + stored.length()
              + " bytes has no slot in front; 2 bytes expected. Verify the version it came from");
    }
    key.set(
        stored.array(), stored.offset() + Layout.SLOT_BYTES, stored.length() - Layout.SLOT_BYTES);
    return key;
  }

  @Override
  public ByteView value() {
    return rows.value();
  }

  @Override
  public void close() {
    rows.close();
  }
}
