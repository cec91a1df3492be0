package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What must hold of the files of one shard, as far as their references tell: column families are
 * declared; in a HASHED column family of a slots layout every key's slot is the shard's; and files
 * of one level above 0 do not overlap. Neighbours there may share the key where one ends and the
 * next begins: RocksDB makes such pairs, when it moves files from level 0 without a look into them.
 */
final class ShardRules {
  /** Files of one level of one column family one behind another, as their keys lie. */
  private static final Comparator<FileRef> RUNS =
      Comparator.comparing(FileRef::columnFamily)
          .thenComparingInt(FileRef::level)
          .thenComparing(FileRef::smallestKey, Arrays::compareUnsigned)
          .thenComparing(FileRef::largestKey, Arrays::compareUnsigned);

  private final Layout layout;
  private final Map<String, ColumnFamily> columnFamilies;

  ShardRules(Layout layout, List<ColumnFamily> columnFamilies) {
    this.layout = layout;
    this.columnFamilies =
        columnFamilies.stream().collect(Collectors.toMap(ColumnFamily::name, Function.identity()));
  }

  /**
   * Checks a shard's files.
   *
   * @param kind what a violation is: INVALID of files to be published, CORRUPT of published ones
   */
  void check(int shard, List<FileRef> files, StateStoreException.Kind kind) {
    boolean ordered = true;
    FileRef last = null;
    for (FileRef file : files) {
      ColumnFamily columnFamily = columnFamilies.get(file.columnFamily());
      if (columnFamily == null) {
        throw violation(kind, shard, file, "belongs to a column family that is not declared");
      }
      if (layout.keyPrefix(columnFamily) > 0) {
        checkSlots(shard, file, kind);
      }
      ordered &= last == null || RUNS.compare(last, file) <= 0;
      last = file;
    }
    if (ordered) {
      checkOverlap(shard, files, kind);
    } else {
      List<FileRef> runs = new ArrayList<>(files);
      runs.sort(RUNS);
      checkOverlap(shard, runs, kind);
    }
  }

  private void checkSlots(int shard, FileRef file, StateStoreException.Kind kind) {
    int first = layout.firstSlot(shard);
    int end = layout.firstSlot(shard + 1);
    boolean within =
        file.smallestKey().length >= Layout.SLOT_BYTES
            && file.largestKey().length >= Layout.SLOT_BYTES
            && file.firstSlot() >= first
            && file.lastSlot() < end;
    if (!within) {
      throw violation(
          kind, shard, file, "holds keys outside the shard's slots " + first + " to " + (end - 1));
    }
  }

  private static void checkOverlap(int shard, List<FileRef> run, StateStoreException.Kind kind) {
    for (int i = 1; i < run.size(); i++) {
      FileRef previous = run.get(i - 1);
      FileRef next = run.get(i);
      if (next.level() > 0
          && next.level() == previous.level()
          && next.columnFamily().equals(previous.columnFamily())
          && Arrays.compareUnsigned(previous.largestKey(), next.smallestKey()) > 0) {
        throw violation(
            kind,
            shard,
            next,
            "overlaps the file of SHA-256 "
                + previous.sha256()
                + " with keys up to "
                + new ByteView(previous.largestKey())
                + " on the same level "
                + previous.level());
      }
    }
  }

  private static StateStoreException violation(
      StateStoreException.Kind kind, int shard, FileRef file, String what) {
    return new StateStoreException(
        kind,
        "shard "
            + shard
            + ": the file of SHA-256 "
            + file.sha256()
            + " in object '"
            + file.object()
            + "' at offset "
            + file.offset()
            + ", column family '"
            + file.columnFamily()
            + "', keys "
            + new ByteView(file.smallestKey())
            + " to "
            + new ByteView(file.largestKey())
            + ", "
            + what);
  }
}
