package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.sst.RocksHistory.Seen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** The rows of files on several levels are those that RocksDB's own iterator shows. */
class LevelRowsAgainstRocksTest {
  /** In memory where that can be: RocksDB forces every one of some thousand files to disk. */
  static final class InMemory implements TempDirFactory {
    private static final Path MEMORY = Path.of("/dev/shm");

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
        throws IOException {
      return Files.isWritable(MEMORY)
          ? Files.createTempDirectory(MEMORY, "reshard")
          : Files.createTempDirectory("reshard");
    }
  }

  @TempDir(factory = InMemory.class)
  Path directory;

  @Test
  void shortHistories() throws Exception {
    histories(300);
  }

  @Test
  @Tag("slow")
  void manyHistories() throws Exception {
    histories(5000);
  }

  private void histories(int count) throws Exception {
    Map<Seen, Long> seen = RocksHistory.run(directory, Entry.seed(), count);
    System.getLogger("test").log(System.Logger.Level.INFO, seen.toString());
    // A comparison of nothing proves nothing.
    for (Seen what : Seen.values()) {
      assertThat(seen.getOrDefault(what, 0L))
          .as("%s of %s", what, seen)
          .isGreaterThanOrEqualTo(count / 10);
    }
  }
}
