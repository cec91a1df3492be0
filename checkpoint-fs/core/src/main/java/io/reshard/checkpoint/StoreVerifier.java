package io.reshard.checkpoint;

import java.util.List;
import java.util.function.Consumer;

/**
 * Recomputes from the bytes everything a version claims: length and SHA-256 of every file, block
 * checksums, order, digest and key bounds of every file, sums of every shard, and that every row
 * hashes to the shard it lies in.
 */
public final class StoreVerifier {
  /**
   * One shard as found.
   *
   * @param shard its number
   * @param files number of files
   * @param bytes bytes of its files
   * @param entries digest of the entries as they lie in files
   * @param rows digest of the rows they mean, deletes and overwrites resolved
   */
  public record Shard(int shard, int files, long bytes, SetDigest entries, SetDigest rows) {}

  /**
   * A version as found.
   *
   * @param version the version
   * @param shards its shards
   * @param rows digest of all rows
   */
  public record Report(long version, List<Shard> shards, SetDigest rows) {}

  private StoreVerifier() {}

  /**
   * Verifies a version, several shards at once.
   *
   * @param threads how many shards at once, at least 1
   * @param progress is told of every shard when it is done, from several threads, one at a time
   * @throws io.reshard.spi.StateStoreException CORRUPT at the first thing that is not as claimed
   */
  public static Report verify(
      CheckpointStore store, Manifest manifest, int threads, Consumer<Shard> progress) {
    throw new UnsupportedOperationException("stub");
  }
}
