package io.reshard.spi;

/** How the rows of a column family lie within a shard. */
public enum Placement {
  /**
   * In order of slot, then key. In a {@code slots} layout whole files can be handed from shard to
   * shard, so resizing moves little or nothing. A scan in key order over a shard is not possible; a
   * scan of one partition key's rows is.
   */
  HASHED,
  /**
   * In key order within a shard, for timers and range scans. Resizing streams every row of the
   * column family.
   */
  ORDERED
}
