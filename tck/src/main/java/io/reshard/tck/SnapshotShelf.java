package io.reshard.tck;

import io.reshard.spi.ByteView;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import java.nio.file.Path;
import java.util.List;

/** Where the kit puts snapshots: what a snapshot store is, in little. */
final class SnapshotShelf {
  private SnapshotShelf() {}

  /** A writer that takes nothing. */
  static SnapshotWriter refusing() {
    return new SnapshotWriter() {
      @Override
      public boolean reuse(String fileId) {
        return false;
      }

      @Override
      public void addFile(SnapshotFile file) {
        throw StateStoreException.unavailable("no file is taken", null);
      }

      @Override
      public void addRows(String columnFamily, StateIterator rows) {
        throw StateStoreException.unavailable("no rows are taken", null);
      }
    };
  }

  /** A version without rows. */
  static SnapshotReader empty(long version) {
    return new SnapshotReader() {
      @Override
      public long version() {
        return version;
      }

      @Override
      public StateIterator rows(String columnFamily) {
        return new NoRows();
      }

      @Override
      public List<SnapshotFile> files(Path directory) {
        return List.of();
      }
    };
  }

  private static final class NoRows implements StateIterator {
    @Override
    public boolean next() {
      return false;
    }

    @Override
    public ByteView key() {
      throw StateStoreException.invalid("no current row");
    }

    @Override
    public ByteView value() {
      throw StateStoreException.invalid("no current row");
    }

    @Override
    public void close() {}
  }
}
