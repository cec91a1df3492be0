package io.reshard.repartition;

import io.reshard.checkpoint.Layout;

/**
 * How many files lie across each boundary between two slots: what it takes to say, for any number
 * of shards, whether one would have to be cut, without looking at the files again.
 */
final class SlotBoundaries {
  /** By slot: files whose first boundary lies before it, less those whose last does. */
  private final int[] changes = new int[Layout.SLOTS + 1];

  private long files;

  /** Adds a file that holds keys of slots {@code first} to {@code last}. */
  void add(int first, int last) {
    changes[first + 1]++;
    changes[last + 1]--;
    files++;
  }

  /** Files added. */
  long files() {
    return files;
  }

  /** Whether no file lies across a boundary of a layout's shards. */
  boolean areFree(Layout layout) {
    int across = 0;
    int shard = 1;
    for (int slot = 0; slot < Layout.SLOTS && shard < layout.shards(); slot++) {
      across += changes[slot];
      if (slot == layout.firstSlot(shard)) {
        if (across > 0) {
          return false;
        }
        while (shard < layout.shards() && layout.firstSlot(shard) == slot) {
          shard++;
        }
      }
    }
    return true;
  }
}
