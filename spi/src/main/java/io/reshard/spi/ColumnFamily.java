package io.reshard.spi;

import java.util.regex.Pattern;

/**
 * A named part of a store's keyed state with an order and a placement of its own.
 *
 * @param name 1 to 64 characters of {@code a-z 0-9 _ -}, a letter first; part of the format
 * @param placement how its rows lie within a shard
 * @param partitionKey which bytes of a key decide the shard
 */
public record ColumnFamily(String name, Placement placement, PartitionKey partitionKey) {
  /** The column family of a store that declares none. */
  public static final String DEFAULT_NAME = "default";

  /** How many column families a store may have at most. */
  public static final int MAX_COUNT = 256;

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,63}");

  /** Checks the name. */
  public ColumnFamily {
    if (!NAME.matcher(name).matches()) {
      throw StateStoreException.invalid(
          "column family name '"
              + name
              + "'; give 1 to 64 characters of a-z, 0-9, '_' and '-', a letter first");
    }
  }

  /** A {@link Placement#HASHED} column family placed by its whole key. */
  public static ColumnFamily hashed(String name) {
    return new ColumnFamily(name, Placement.HASHED, PartitionKey.whole());
  }

  /** An {@link Placement#ORDERED} column family placed by its whole key. */
  public static ColumnFamily ordered(String name) {
    return new ColumnFamily(name, Placement.ORDERED, PartitionKey.whole());
  }

  /** The same with another partition key. */
  public ColumnFamily withPartitionKey(PartitionKey partitionKey) {
    return new ColumnFamily(name, placement, partitionKey);
  }
}
