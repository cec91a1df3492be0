package io.reshard.checkpoint;

import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One version of a store: layout, column families, and for every shard where its file list is. The
 * object's creation is the commit. Immutable.
 *
 * @param storeId identity of the store
 * @param version from 1 on
 * @param parent the version it was made from; 0 for none
 * @param writer id of who published it, unique per writer
 * @param createdMillis when it was published, milliseconds since 1970 by the writer's clock
 * @param operation what made it
 * @param backend name of the backend that wrote the state
 * @param layout how keys map to shards
 * @param columnFamilies the column families, in order
 * @param shards one entry per shard
 * @param properties the user's own words, such as what a loader stored
 */
public record Manifest(
    String storeId,
    long version,
    long parent,
    String writer,
    long createdMillis,
    Operation operation,
    String backend,
    Layout layout,
    List<ColumnFamily> columnFamilies,
    List<ShardRef> shards,
    Map<String, String> properties) {

  /** What made a version. */
  public enum Operation {
    /** A commit of a keyed store. */
    COMMIT,
    /** A repartition. */
    REPARTITION,
    /** A return to an earlier version's content. */
    ROLLBACK
  }

  /** Copies the lists and checks what can be checked without reading more. */
  public Manifest {
    columnFamilies = List.copyOf(columnFamilies);
    shards = List.copyOf(shards);
    properties = Properties.check(properties);
    if (version < 0 || parent < 0 || (version == 0 ? parent != 0 : parent >= version)) {
      throw StateStoreException.invalid(
          "version " + version + " made from version " + parent + "; a parent comes before");
    }
    if (shards.size() != layout.shards()) {
      throw StateStoreException.invalid(
          shards.size() + " shards in a layout of " + layout.shards() + "; one each expected");
    }
    checkColumnFamilies(columnFamilies);
  }

  private static void checkColumnFamilies(List<ColumnFamily> columnFamilies) {
    Set<String> names = new HashSet<>();
    columnFamilies.forEach(columnFamily -> names.add(columnFamily.name()));
    if (names.isEmpty()
        || names.size() != columnFamilies.size()
        || names.size() > ColumnFamily.MAX_COUNT) {
      throw StateStoreException.invalid(
          "column families "
              + columnFamilies.stream().map(ColumnFamily::name).toList()
              + "; give 1 to "
              + ColumnFamily.MAX_COUNT
              + " of different names");
    }
  }

  /** The column family of that name. */
  public ColumnFamily columnFamily(String name) {
    for (ColumnFamily columnFamily : columnFamilies) {
      if (columnFamily.name().equals(name)) {
        return columnFamily;
      }
    }
    throw StateStoreException.invalid(
        "no column family '"
            + name
            + "'; there are: "
            + String.join(", ", columnFamilies.stream().map(ColumnFamily::name).toList()));
  }

  /** Bytes in front of stored keys of a column family that are not part of the key: 2 or 0. */
  public int keyPrefix(ColumnFamily columnFamily) {
    return layout.keyPrefix(columnFamily);
  }

  /** Bytes of all files of all shards. */
  public long bytes() {
    return shards.stream().mapToLong(ShardRef::bytes).sum();
  }

  /** Number of files of all shards. */
  public long files() {
    return shards.stream().mapToLong(ShardRef::files).sum();
  }

  /** Entries of all files of all shards; the number of rows where nothing was overwritten. */
  public long entries() {
    return digest().count();
  }

  /** Sum of the shards' digests. */
  public SetDigest digest() {
    SetDigest sum = new SetDigest();
    for (ShardRef shard : shards) {
      sum.add(shard.digest());
    }
    return sum;
  }
}
