package io.reshard.checkpoint;

import io.reshard.spi.ColumnFamily;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstReader;
import io.reshard.sst.SstSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Receives one shard's version from a backend.
 *
 * <p>A file of a HASHED column family in a slots layout that straddles a boundary at which the
 * {@link CutRule} would end a file is split there, entry by entry: the first growth then references
 * whole files. Every other file is linked as it is.
 */
final class ShardExport implements SnapshotWriter {
  /** Rows have no history: they lie where nothing is below them. */
  private static final int ROWS_LEVEL = FileRef.MAX_LEVEL;

  private final Upload upload;
  private final Layout layout;
  private final Map<String, ColumnFamily> columnFamilies;
  private final Map<String, List<FileRef>> known;
  private final Map<String, List<FileHandle>> byId = new HashMap<>();
  private final List<FileHandle> files = new ArrayList<>();

  ShardExport(
      Upload upload,
      Layout layout,
      Map<String, ColumnFamily> columnFamilies,
      Map<String, List<FileRef>> known) {
    this.upload = upload;
    this.layout = layout;
    this.columnFamilies = columnFamilies;
    this.known = known;
  }

  /** Files of the shard. */
  List<FileHandle> files() {
    return List.copyOf(files);
  }

  /** The same by the backend's ids; files written from rows have none. */
  Map<String, List<FileHandle>> byId() {
    return byId;
  }

  @Override
  public boolean reuse(String fileId) {
    return reuse(fileId, -1);
  }

  @Override
  public boolean reuse(String fileId, int level) {
    List<FileRef> there = known.get(fileId);
    if (there == null) {
      return false;
    }
    List<FileHandle> handles = new ArrayList<>();
    for (FileRef file : there) {
      boolean moved = level >= 0 && level != file.level();
      handles.add(FileHandle.existing(moved ? file.withLevel(level) : file));
    }
    add(fileId, handles);
    return true;
  }

  @Override
  public void addFile(SnapshotFile file) {
    ColumnFamily columnFamily = columnFamily(file.columnFamily());
    long sequence = sequenceForAll(file);
    boolean rewrite = sequence > 0 || straddles(file, columnFamily);
    add(
        file.id(),
        rewrite ? rewritten(file, columnFamily, sequence) : List.of(linked(file, columnFamily)));
  }

  private void add(String fileId, List<FileHandle> handles) {
    if (byId.putIfAbsent(fileId, handles) != null) {
      throw StateStoreException.invalid(
          "file '" + fileId + "' is exported twice; give each file of a version once");
    }
    files.addAll(handles);
  }

  private boolean straddles(SnapshotFile file, ColumnFamily columnFamily) {
    if (layout.keyPrefix(columnFamily) == 0) {
      return false;
    }
    int first = FileRef.slotOf(file.smallestKey());
    int last = FileRef.slotOf(file.largestKey());
    return last > first && CutRule.endsBetween(layout.shards(), first, last, file.size());
  }

  /**
   * A file that was ingested has one sequence number for all its entries, which the database keeps
   * and the file does not: in the file they are 0. It is written anew with the number it counts
   * with.
   *
   * @return that number; 0 for any other file
   */
  private static long sequenceForAll(SnapshotFile file) {
    if (file.smallestSequence() != file.largestSequence() || file.smallestSequence() == 0) {
      return 0;
    }
    try (SstReader reader = SstReader.open(SstSource.ofFile(file.path()));
        EntryCursor cursor = reader.cursor()) {
      return cursor.next() && cursor.sequence() == 0 ? file.smallestSequence() : 0;
    }
  }

  private FileHandle linked(SnapshotFile file, ColumnFamily columnFamily) {
    Path link = upload.directory().resolve(UUID.randomUUID() + ".sst");
    LocalFiles.linkOrCopy(file.path(), link);
    try {
      return upload.add(link, columnFamily.name(), file.level(), layout.keyPrefix(columnFamily));
    } catch (RuntimeException e) {
      LocalFiles.deleteQuietly(link); // It was not taken.
      throw e;
    }
  }

  /** Writes a file's entries anew, cut where files should end. */
  private List<FileHandle> rewritten(
      SnapshotFile file, ColumnFamily columnFamily, long sequenceForAll) {
    int keyPrefix = layout.keyPrefix(columnFamily);
    SetDigest read = new SetDigest();
    try (SstReader reader = SstReader.open(SstSource.ofFile(file.path()));
        ShardFileWriter writer = new ShardFileWriter(upload, layout, columnFamily, file.level())) {
      FileContents.checkFeatures(reader, file.path().toString());
      try (EntryCursor cursor = reader.cursor()) {
        while (cursor.next()) {
          long sequence = sequenceForAll > 0 ? sequenceForAll : cursor.sequence();
          writer.add(cursor.key(), sequence, cursor.type(), cursor.value());
          read.add(columnFamily.name(), cursor.type(), cursor.key(), keyPrefix, cursor.value());
        }
      }
      return proven(file.path().toString(), read, writer.finish());
    }
  }

  @Override
  public void addRows(String name, StateIterator rows) {
    ColumnFamily columnFamily = columnFamily(name);
    int keyPrefix = layout.keyPrefix(columnFamily);
    SetDigest read = new SetDigest();
    try (ShardFileWriter writer = new ShardFileWriter(upload, layout, columnFamily, ROWS_LEVEL)) {
      while (rows.next()) {
        writer.add(rows.key(), 0, EntryType.PUT, rows.value());
        read.add(name, rows.key(), keyPrefix, rows.value());
      }
      files.addAll(proven("column family '" + name + "'", read, writer.finish()));
    }
  }

  /** What was read back from the files is what was put into them. */
  private static List<FileHandle> proven(
      String what, SetDigest expected, List<FileHandle> written) {
    SetDigest sum = new SetDigest();
    written.forEach(file -> sum.add(file.digest()));
    if (!sum.equals(expected)) {
      throw StateStoreException.corrupt(
          what
              + ": the files written have digest "
              + sum
              + ", what was written into them "
              + expected
              + "; nothing was published. Check memory and disk of this machine");
    }
    return written;
  }

  private ColumnFamily columnFamily(String name) {
    ColumnFamily columnFamily = columnFamilies.get(name);
    if (columnFamily == null) {
      throw StateStoreException.invalid(
          "no column family '"
              + name
              + "'; there are: "
              + String.join(", ", columnFamilies.keySet()));
    }
    return columnFamily;
  }
}
