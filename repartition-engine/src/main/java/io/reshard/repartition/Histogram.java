package io.reshard.repartition;

import io.reshard.checkpoint.Layout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Bytes of rows by where they would lie: in a slots layout by slot, from which every number of
 * shards follows; in a modulo layout by shard, for each number asked for.
 */
final class Histogram {
  private final Layout layout;
  private final Layout[] candidates;
  private final long[][] bytes;
  private final BitSet[] occupied;

  Histogram(Layout layout, List<Integer> counts) {
    this.layout = layout;
    boolean slots = layout.kind() == Layout.Kind.SLOTS;
    this.candidates = counts.stream().map(layout::withShards).toArray(Layout[]::new);
    int[] sizes =
        slots ? new int[] {Layout.SLOTS} : counts.stream().mapToInt(count -> count).toArray();
    this.bytes = Arrays.stream(sizes).mapToObj(long[]::new).toArray(long[][]::new);
    this.occupied = Arrays.stream(sizes).mapToObj(BitSet::new).toArray(BitSet[]::new);
  }

  /** Adds a row by {@link Layout.Placer#hash} of its partition key. */
  void add(int hash, long size) {
    if (layout.kind() == Layout.Kind.SLOTS) {
      add(0, hash, size);
      return;
    }
    for (int i = 0; i < candidates.length; i++) {
      add(i, candidates[i].shardOfHash(hash), size);
    }
  }

  private void add(int histogram, int at, long size) {
    bytes[histogram][at] += size;
    occupied[histogram].set(at);
  }

  /** The i-th candidate. */
  Advisor.Candidate candidate(int i, long bytesRewritten) {
    int shards = candidates[i].shards();
    long[] sizes = new long[shards];
    int empty = 0;
    for (int shard = 0; shard < shards; shard++) {
      boolean hasRows;
      if (layout.kind() == Layout.Kind.SLOTS) {
        int from = candidates[i].firstSlot(shard);
        int to = candidates[i].firstSlot(shard + 1);
        for (int slot = from; slot < to; slot++) {
          sizes[shard] += bytes[0][slot];
        }
        int next = occupied[0].nextSetBit(from);
        hasRows = next >= 0 && next < to;
      } else {
        sizes[shard] = bytes[i][shard];
        hasRows = occupied[i].get(shard);
      }
      empty += hasRows ? 0 : 1;
    }
    Arrays.sort(sizes);
    long total = Arrays.stream(sizes).sum();
    double mean = (double) total / shards;
    return new Advisor.Candidate(
        shards,
        sizes[0],
        sizes[shards / 2],
        sizes[shards - 1],
        total == 0 ? 1 : sizes[shards - 1] / mean,
        empty,
        bytesRewritten);
  }
}
