package io.reshard.benchmarks;

import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.SetDigest;
import io.reshard.spi.ByteView;

/** Reads a whole result: the very rows of the source, each in the shard that its key hashes to. */
final class RowCheck {
  private RowCheck() {}

  /**
   * Checks.
   *
   * @throws IllegalStateException if a row is missing, doubled, changed or misplaced
   */
  static void check(Job job, Layout layout, Rival rival, SetDigest expected) {
    Layout.Placer placer = layout.placer();
    SetDigest found = new SetDigest();
    try {
      rival.visit(
          job,
          (shard, key, value) -> {
            found.add(Source.COLUMN_FAMILY.name(), key, 0, value);
            checkShard(placer, shard, key);
          });
    } catch (Exception e) {
      throw new IllegalStateException("the result of " + job + " cannot be read", e);
    }
    if (!found.equals(expected)) {
      throw new IllegalStateException(
          "rows in the result " + found + ", expected " + expected + ", job " + job);
    }
  }

  private static void checkShard(Layout.Placer placer, int shard, ByteView key) {
    if (placer.shard(key) != shard) {
      throw new IllegalStateException(
          "key " + key + " in shard " + shard + ", expected in " + placer.shard(key));
    }
  }
}
