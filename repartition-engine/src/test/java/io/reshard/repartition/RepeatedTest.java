package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.spi.ColumnFamily;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Resizing again and again leaves a store as after the first time. */
class RepeatedTest {
  @TempDir Path directory;

  @Test
  void aHundredCyclesLeaveAsManyFilesAndBytesAsOne() {
    long seed = Seeds.seed();
    TestStore content =
        new TestStore(List.of(ColumnFamily.hashed("hashed")), Seeds.random(seed))
            .write("hashed", 1000);
    try (CheckpointStore store = CheckpointStore.create(ObjectStores.open(directory.toString()))) {
      Manifest manifest = content.publish(store, Layout.slots(8));
      long files = 0;
      long bytes = 0;
      long rewritten = 0;
      for (int cycle = 1; cycle <= 100; cycle++) {
        rewritten = 0;
        for (int target : new int[] {4, 16, 8}) {
          RepartitionResult result =
              Repartitioner.execute(
                  store,
                  Repartitioner.plan(store, manifest.version(), target),
                  new RepartitionOptions(1, 16 << 20),
                  ProgressListener.NONE,
                  () -> false);
          manifest = result.manifest();
          rewritten += result.bytesWritten();
        }
        if (cycle == 1) {
          files = manifest.files();
          bytes = manifest.bytes();
        }
      }
      String replay = Seeds.replay(seed);
      assertThat((double) manifest.files()).as(replay).isBetween(files * 0.9, files * 1.1);
      assertThat((double) manifest.bytes()).as(replay).isBetween(bytes * 0.9, bytes * 1.1);
      assertThat(rewritten).as("bytes the last cycle rewrote, %s", replay).isZero();
      content.check(store, manifest, replay);
    }
  }
}
