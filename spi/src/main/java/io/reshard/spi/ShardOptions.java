package io.reshard.spi;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a shard is opened with.
 *
 * @param directory a directory of its own on local disk, made if missing; the backend owns what is
 *     in it
 * @param columnFamilies the column families, at least one, names unique
 */
public record ShardOptions(Path directory, List<ColumnFamily> columnFamilies) {
  /** Checks the column families and copies the list. */
  public ShardOptions {
    columnFamilies = List.copyOf(columnFamilies);
    if (columnFamilies.isEmpty() || columnFamilies.size() > ColumnFamily.MAX_COUNT) {
      throw StateStoreException.invalid(
          columnFamilies.size() + " column families; give 1 to " + ColumnFamily.MAX_COUNT);
    }
    Set<String> names = new HashSet<>();
    for (ColumnFamily columnFamily : columnFamilies) {
      if (!names.add(columnFamily.name())) {
        throw StateStoreException.invalid(
            "column family '" + columnFamily.name() + "' is declared twice; names must be unique");
      }
    }
  }
}
