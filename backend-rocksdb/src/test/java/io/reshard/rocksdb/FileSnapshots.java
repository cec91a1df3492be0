package io.reshard.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A snapshot store of the simplest kind: files by id, versions as lists of them. */
final class FileSnapshots {
  private final Path directory;
  private final Map<String, SnapshotFile> files = new HashMap<>();

  FileSnapshots(Path directory) {
    this.directory = directory;
  }

  /** A version taken, and how many of its files were new. */
  record Version(long version, List<SnapshotFile> files, int added) {
    List<String> ids() {
      return files.stream().map(SnapshotFile::id).sorted().toList();
    }
  }

  Version take(ShardStore store) {
    List<SnapshotFile> taken = new ArrayList<>();
    int[] added = new int[1];
    store.exportSnapshot(
        new SnapshotWriter() {
          @Override
          public boolean reuse(String fileId) {
            throw new AssertionError("it knows the level");
          }

          @Override
          public boolean reuse(String fileId, int level) {
            SnapshotFile known = files.get(fileId);
            if (known != null) {
              taken.add(at(known, known.path(), level));
            }
            return known != null;
          }

          @Override
          public void addFile(SnapshotFile file) {
            Path copy = directory.resolve("file" + files.size());
            try {
              Files.copy(file.path(), copy);
              assertThat(Files.size(copy)).isEqualTo(file.size());
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            SnapshotFile kept = at(file, copy);
            assertThat(files.put(file.id(), kept)).as("offered before").isNull();
            taken.add(kept);
            added[0]++;
          }

          @Override
          public void addRows(String columnFamily, StateIterator rows) {
            throw new AssertionError("it hands over files");
          }
        });
    return new Version(store.version(), List.copyOf(taken), added[0]);
  }

  static SnapshotReader reader(Version version) {
    return reader(version.version(), version.files());
  }

  static SnapshotReader reader(long version, List<SnapshotFile> files) {
    return new SnapshotReader() {
      @Override
      public long version() {
        return version;
      }

      @Override
      public StateIterator rows(String columnFamily) {
        throw new AssertionError("it takes files");
      }

      @Override
      public List<SnapshotFile> files(Path directory) {
        List<SnapshotFile> linked = new ArrayList<>();
        for (SnapshotFile file : files) {
          try {
            Path link = directory.resolve("in" + linked.size() + ".sst");
            linked.add(at(file, Files.createLink(link, file.path())));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
        return linked;
      }
    };
  }

  static SnapshotFile at(SnapshotFile file, Path path) {
    return at(file, path, file.level());
  }

  private static SnapshotFile at(SnapshotFile file, Path path, int level) {
    return new SnapshotFile(
        file.id(),
        file.columnFamily(),
        path,
        file.size(),
        level,
        file.smallestKey(),
        file.largestKey(),
        file.smallestSequence(),
        file.largestSequence());
  }
}
