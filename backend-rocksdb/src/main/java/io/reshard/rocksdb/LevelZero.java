package io.reshard.rocksdb;

import io.reshard.sst.RocksDirectory;
import java.util.Arrays;
import java.util.List;

/**
 * When RocksDB compacts, slows writers down and stops them for the sake of level 0.
 *
 * <p>RocksDB counts the files of level 0, as any of them may hold a key. In a database made of a
 * snapshot's files one flush may be there as many pieces that do not overlap: twenty files, say, of
 * which a read looks into three. Counted as twenty they would have RocksDB rewrite the whole shard
 * and hold up its writers at the first commit after a restore, and all of it would have to be
 * exported anew. So pieces beyond the number of files that overlap in a place are allowed on top.
 * The allowance ends when a compaction has taken the pieces.
 */
final class LevelZero {
  /** Files from which on level 0 is compacted, as RocksDB's default. */
  static final int COMPACT_AT = 4;

  /** Files from which on writers are slowed down, as RocksDB's default. */
  static final int SLOW_AT = 20;

  /** Files from which on writers are stopped, as RocksDB's default. */
  static final int STOP_AT = 36;

  private LevelZero() {}

  /** How many files of a column family's level 0 are to be left out of account. */
  static int allowance(List<RocksDirectory.Member> members, String columnFamily) {
    List<RocksDirectory.Member> files =
        members.stream()
            .filter(file -> file.level() == 0 && file.columnFamily().equals(columnFamily))
            .toList();
    int deepest = 0;
    for (RocksDirectory.Member file : files) {
      // Wherever most files overlap, one of them starts.
      int depth = (int) files.stream().filter(other -> contains(other, file.smallestKey())).count();
      deepest = Math.max(deepest, depth);
    }
    return files.size() - deepest;
  }

  private static boolean contains(RocksDirectory.Member file, byte[] key) {
    return Arrays.compareUnsigned(file.smallestKey(), key) <= 0
        && Arrays.compareUnsigned(key, file.largestKey()) <= 0;
  }
}
