package io.reshard.checkpoint;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link WriterRace} on local disk. */
class WriterRaceTest {
  @TempDir Path directory;

  @Test
  void aFewWriters() throws Exception {
    race().run(4, 5);
  }

  @Test
  @Tag("slow")
  void manyWriters() throws Exception {
    race().run(16, 200);
  }

  private WriterRace race() {
    return new WriterRace(directory, () -> ObjectStores.open(directory.resolve("store")));
  }
}
