package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;

/**
 * The rows that entries mean. The first entry of a key is its newest and decides; the others are
 * passed over.
 */
final class RowIterator extends EntryRows {
  RowIterator(EntryCursor entries) {
    super(entries);
  }

  @Override
  boolean step() {
    while (entries.next()) {
      if (isLastKey()) {
        continue;
      }
      remember();
      EntryType type = entries.type();
      if (type == EntryType.PUT) {
        return true;
      }
      if (type == EntryType.MERGE) {
        throw StateStoreException.incompatible(
            "key "
                + lastKey
                + " ends in a merge operand, sequence number "
                + entries.sequence()
                + "; open the database with its merge operator and compact it, then read it again");
      }
    }
    return false;
  }

  @Override
  ByteView currentKey() {
    return entries.key();
  }

  @Override
  ByteView currentValue() {
    return entries.value();
  }
}
