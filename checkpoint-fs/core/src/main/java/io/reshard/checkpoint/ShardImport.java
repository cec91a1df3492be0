package io.reshard.checkpoint;

import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Cursors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Gives a backend one shard's version. Every file's SHA-256 is compared with the file list first: a
 * sound SST file that is not the right one must not become the state.
 */
final class ShardImport implements SnapshotReader {
  private final CheckpointStore store;
  private final Set<String> columnFamilies;
  private final List<FileRef> files;
  private final long version;

  ShardImport(
      CheckpointStore store, Set<String> columnFamilies, List<FileRef> files, long version) {
    this.store = store;
    this.columnFamilies = columnFamilies;
    this.files = files;
    this.version = version;
  }

  @Override
  public long version() {
    return version;
  }

  @Override
  public StateIterator rows(String columnFamily) {
    if (!columnFamilies.contains(columnFamily)) {
      throw StateStoreException.invalid(
          "no column family '"
              + columnFamily
              + "'; there are: "
              + String.join(", ", columnFamilies));
    }
    for (FileRef file : files) {
      if (file.columnFamily().equals(columnFamily)) {
        store.verifyContent(file);
      }
    }
    return Cursors.rows(store.entries(files, columnFamily));
  }

  @Override
  public List<SnapshotFile> files(Path directory) {
    List<SnapshotFile> placed = new ArrayList<>();
    int[] levels = ImportLevels.of(files);
    for (FileRef file : files) {
      Path path = directory.resolve("import-" + placed.size() + ".sst");
      store.download(file, path);
      placed.add(
          new SnapshotFile(
              ShardSnapshots.fileId(file),
              file.columnFamily(),
              path,
              file.length(),
              levels[placed.size()],
              file.smallestKey(),
              file.largestKey(),
              file.smallestSequence(),
              file.largestSequence()));
    }
    return placed;
  }
}
