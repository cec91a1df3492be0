package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Manifest;
import java.util.List;

/**
 * Predicts, from the keys that are there, how large the shards would be with other counts, and
 * suggests counts. Rewrites nothing.
 */
public final class Advisor {
  /**
   * One candidate.
   *
   * @param shards number of shards
   * @param smallestBytes bytes of the smallest shard
   * @param medianBytes bytes of the median shard
   * @param largestBytes bytes of the largest shard
   * @param skew largest divided by mean
   * @param emptyShards shards without a row
   * @param bytesRewritten bytes a repartition to it would rewrite
   */
  public record Candidate(
      int shards,
      long smallestBytes,
      long medianBytes,
      long largestBytes,
      double skew,
      int emptyShards,
      long bytesRewritten) {}

  /**
   * What was found.
   *
   * @param rows rows read
   * @param bytes bytes of keys and values
   * @param heaviestKeyShare share of the bytes that the heaviest partition key has, 0 to 1: no
   *     count makes the largest shard smaller than that
   * @param candidates one per count asked for
   * @param suggestions sentences for a person
   */
  public record Advice(
      long rows,
      long bytes,
      double heaviestKeyShare,
      List<Candidate> candidates,
      List<String> suggestions) {}

  private Advisor() {}

  /** Reads the keys of a version once and predicts every count asked for. */
  public static Advice advise(CheckpointStore store, Manifest manifest, List<Integer> counts) {
    throw new UnsupportedOperationException("stub");
  }
}
