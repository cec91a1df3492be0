package io.reshard.checkpoint;

import io.reshard.checkpoint.testing.MemoryObjectStore;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link FaultStorm} in memory and on local disk. Replay with {@code -Dreshard.seed=N}. */
@NullUnmarked
class FaultStormTest {
  @TempDir Path directory;

  @Test
  void inMemory() {
    MemoryObjectStore memory =
        new MemoryObjectStore(directory.resolve("staging"), InstantSource.system());
    storm(memory::client, 40, seed());
  }

  @Test
  void onLocalDisk() {
    storm(() -> ObjectStores.open(directory.resolve("store")), 4, seed());
  }

  @Test
  @Tag("slow")
  void inMemoryForLong() {
    for (int i = 0; i < 20; i++) {
      MemoryObjectStore memory =
          new MemoryObjectStore(directory.resolve("staging" + i), InstantSource.system());
      storm(memory::client, 100, seed() + 1000L * (i + 1));
    }
  }

  private static long seed() {
    return Long.getLong("reshard.seed", 20_260_101L);
  }

  private void storm(Supplier<ObjectStore> clients, int sessions, long seed) {
    new FaultStorm(directory, clients, ignored -> clients.get()).run(sessions, seed);
  }
}
