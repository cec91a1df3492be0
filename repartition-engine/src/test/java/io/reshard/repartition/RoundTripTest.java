package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every row through chains of repartitions, compared after each. */
class RoundTripTest {
  @TempDir Path directory;

  private final long seed = Seeds.seed();

  static Stream<Arguments> chains() {
    return Stream.of(Layout.slots(1), Layout.modulo(1))
        .flatMap(
            layout ->
                Stream.of(
                        List.of(7, 13, 7),
                        List.of(1, 9, 1),
                        List.of(20, 10, 40, 7),
                        List.of(3, 100, 2))
                    .map(chain -> Arguments.of(layout, chain)));
  }

  @ParameterizedTest
  @MethodSource("chains")
  void everyRowSurvives(Layout layout, List<Integer> chain) {
    TestStore content = TestStore.random(Seeds.random(seed), 150);
    try (CheckpointStore store = CheckpointStore.create(ObjectStores.open(directory.toString()))) {
      Manifest manifest = content.publish(store, layout.withShards(chain.get(0)));
      content.check(store, manifest, "first version, " + Seeds.replay(seed));
      for (int target : chain.subList(1, chain.size())) {
        RepartitionPlan plan = Repartitioner.plan(store, manifest.version(), target);
        RepartitionResult result =
            Repartitioner.execute(
                store,
                plan,
                new RepartitionOptions(2, 16 << 20),
                ProgressListener.NONE,
                () -> false);
        String step = "to " + target + ", " + Seeds.replay(seed);
        Manifest published = result.manifest();
        assertThat(published.layout()).as(step).isEqualTo(layout.withShards(target));
        assertThat(published.version()).isEqualTo(manifest.version() + 1);
        assertThat(published.operation()).isEqualTo(Manifest.Operation.REPARTITION);
        assertThat(published.properties()).isEqualTo(manifest.properties());
        assertThat(result.filesReferenced()).isEqualTo(plan.filesReferenced());
        assertThat(result.bytesRead()).isEqualTo(plan.bytesToRead());
        assertThat(result.tasksResumed()).isZero();
        content.check(store, published, step);
        manifest = published;
      }
    }
  }
}
