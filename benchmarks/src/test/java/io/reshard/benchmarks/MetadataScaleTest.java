package io.reshard.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.GcOptions;
import io.reshard.checkpoint.GcResult;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.repartition.ProgressListener;
import io.reshard.repartition.RepartitionOptions;
import io.reshard.repartition.RepartitionPlan;
import io.reshard.repartition.RepartitionResult;
import io.reshard.repartition.Repartitioner;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many requests a repartition makes follows from what it moves, not from what there is. */
class MetadataScaleTest {
  private static final int FILES = 2_000;

  @TempDir Path directory;

  private FakedFiles objects(int files, int from, int to) {
    int faked = FakedVersion.filesToFake(files, Layout.slots(from), Layout.slots(to));
    return new FakedFiles(ObjectStores.open(directory.toString()), faked, 0);
  }

  private static RepartitionResult execute(CheckpointStore store, RepartitionPlan plan) {
    return Repartitioner.execute(
        store, plan, RepartitionOptions.defaults(), ProgressListener.NONE, () -> false);
  }

  @ParameterizedTest
  @CsvSource({"1000, 500", "500, 1000", "1000, 250"})
  void whatMovesNothingTakesAFewRequests(int from, int to) {
    FakedFiles objects = objects(FILES, from, to);
    CheckpointStore.create(objects);
    try (CheckpointStore store = CheckpointStore.open(objects)) {
      new FakedVersion(objects, FILES, Layout.slots(from), Layout.slots(to)).publish(store);
    }
    FakedFiles again = objects(FILES, from, to);
    try (CheckpointStore store = CheckpointStore.open(again)) {
      RepartitionPlan plan = Repartitioner.plan(store, 1, to);
      // Opens and reads: store, manifest, lists; and pages of manifests and boundaries.
      FakedFiles.Requests planned = again.takeRequests();
      assertThat(planned.all()).isLessThan(16);
      assertThat(planned.puts()).isZero();
      RepartitionResult result = execute(store, plan);
      FakedFiles.Requests published = again.takeRequests();
      assertThat(result.filesReferenced()).isEqualTo(FILES);
      assertThat(result.bytesRead()).isZero();
      assertThat(published.all()).isLessThan(20);
      assertThat(published.puts()).as("lists and manifest").isEqualTo(2);
      assertThat(published.looks()).as("for a later boundary, before and after").isEqualTo(2);
      assertThat(published.reads() + published.opens()).isZero();
      GcResult collected = store.gc(new GcOptions(1, Duration.ZERO, Duration.ZERO, false));
      assertThat(collected.keptObjects()).isGreaterThanOrEqualTo(FILES);
      assertThat(collected.deletedVersions()).containsExactly(1L);
      assertThat(again.takeRequests().all()).isLessThan(60);
    }
  }

  @Test
  void whatIsCutTakesAFewRequestsForEachFileThatIsCut() {
    int from = 99;
    int to = 100;
    FakedFiles objects = objects(FILES, from, to);
    CheckpointStore.create(objects);
    try (CheckpointStore store = CheckpointStore.open(objects)) {
      new FakedVersion(objects, FILES, Layout.slots(from), Layout.slots(to)).publish(store);
      RepartitionPlan plan = Repartitioner.plan(store, 1, to);
      // A file on level 6 and one on level 0 for each boundary that is not one of 8 · 99 shards.
      assertThat(plan.filesRewritten()).isBetween(90L, 2L * to);
      objects.takeRequests();
      execute(store, plan);
      assertThat(objects.takeRequests().all()).isLessThan(8 * plan.filesRewritten() + 100);
    }
  }
}
