package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.KeyRange;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.repartition.Work.SourceShard;
import io.reshard.repartition.Work.StreamRows;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.sst.EntryCursor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of shards that are done in several ranges of keys. */
class KeyRangesTest {
  private static final ColumnFamily FAMILY = ColumnFamily.ordered("family");

  @TempDir Path directory;

  private final long seed = Seeds.seed();

  private static Manifest publish(CheckpointStore store, Layout layout, int rows, long seed) {
    TestStore content = new TestStore(List.of(FAMILY), Seeds.random(seed));
    Random random = Seeds.random(seed);
    for (int i = 0; i < rows; i++) {
      // Nine of ten keys lie close together.
      byte[] key = new byte[12];
      random.nextBytes(key);
      key[0] = (byte) (random.nextInt(10) == 0 ? random.nextInt() : 0x42);
      byte[] value = new byte[100];
      random.nextBytes(value);
      content.put(FAMILY.name(), key, value);
    }
    return content.publish(store, layout);
  }

  private static StreamRows whole(CheckpointStore store, Manifest manifest, int parts, int part) {
    List<SourceShard> sources = new ArrayList<>();
    for (int shard = 0; shard < manifest.layout().shards(); shard++) {
      List<FileRef> files = store.files(manifest, shard);
      if (!files.isEmpty()) {
        sources.add(new SourceShard(shard, files));
      }
    }
    return new StreamRows(FAMILY, sources, new Shards(0, 1, 1), part, parts);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 40})
  void rangesAreEvenAndEveryKeyIsInOne(int shards) {
    int parts = 5;
    int rows = 20_000;
    try (CheckpointStore store = CheckpointStore.create(ObjectStores.open(directory.toString()))) {
      Manifest manifest = publish(store, Layout.modulo(shards), rows, 11);
      KeyRanges ranges = new KeyRanges(store);
      long entries = 0;
      byte[] end = null;
      for (int part = 0; part < parts; part++) {
        StreamRows work = whole(store, manifest, parts, part);
        KeyRange range = ranges.of(work);
        assertThat(range.from()).isEqualTo(end);
        end = range.to();
        KeyRange again = new KeyRanges(store).of(work);
        assertThat(again.from()).isEqualTo(range.from());
        assertThat(again.to()).isEqualTo(range.to());
        long found = 0;
        for (SourceShard source : work.sources()) {
          found += count(store, source, range);
        }
        assertThat(found)
            .as("entries of range %s", part)
            .isBetween(rows / parts / 2L, 2L * rows / parts);
        entries += found;
      }
      assertThat(end).isNull();
      assertThat(entries).isEqualTo(rows);
    }
  }

  private static long count(CheckpointStore store, SourceShard source, KeyRange range) {
    long count = 0;
    try (EntryCursor cursor = store.entries(source.files(), FAMILY.name(), range)) {
      while (cursor.next()) {
        ByteView key = cursor.key();
        assertThat(range.from() == null || key.compareTo(range.from()) >= 0).isTrue();
        assertThat(range.to() == null || key.compareTo(range.to()) < 0).isTrue();
        count++;
      }
    }
    return count;
  }

  @Test
  void moreRangesThanKeysLeaveSomeEmpty() {
    try (CheckpointStore store = CheckpointStore.create(ObjectStores.open(directory.toString()))) {
      Manifest manifest = publish(store, Layout.modulo(1), 3, seed);
      KeyRanges ranges = new KeyRanges(store);
      long entries = 0;
      for (int part = 0; part < 8; part++) {
        StreamRows work = whole(store, manifest, 8, part);
        entries += count(store, work.sources().get(0), ranges.of(work));
      }
      assertThat(entries).isEqualTo(3);
    }
  }

  private static RepartitionPlan plan(CheckpointStore store, Manifest manifest, int target) {
    RepartitionPlan plan = Planner.plan(manifest, () -> store.files(manifest), target, 1000);
    assertThat(plan.taskList().stream().flatMap(task -> task.work().stream()))
        .anyMatch(work -> work instanceof StreamRows rows && rows.parts() > 1);
    return plan;
  }

  private static Manifest run(CheckpointStore store, RepartitionPlan plan, KeyRanges ranges) {
    return new Execution(
            store,
            plan,
            OpenFiles.of(new RepartitionOptions(2, 16 << 20)),
            ranges,
            new Meter(ProgressListener.NONE, () -> false, plan.tasks(), 1),
            FileWriters::into)
        .run()
        .manifest();
  }

  static Stream<Layout> layouts() {
    return Stream.of(Layout.slots(1), Layout.modulo(1));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void everyRowSurvives(Layout layout) {
    TestStore content = TestStore.random(Seeds.random(seed), 300);
    try (CheckpointStore store = CheckpointStore.create(ObjectStores.open(directory.toString()))) {
      Manifest manifest = content.publish(store, layout.withShards(3));
      for (int target : new int[] {4, 1, 5, 2}) {
        RepartitionPlan plan = plan(store, manifest, target);
        AtomicInteger reports = new AtomicInteger();
        RepartitionResult result =
            Repartitioner.execute(
                store,
                plan,
                new RepartitionOptions(2, 16 << 20),
                progress -> reports.incrementAndGet(),
                () -> false);
        manifest = result.manifest();
        content.check(store, manifest, "to " + target + ", " + Seeds.replay(seed));
        assertThat(result.bytesRead()).isEqualTo(plan.bytesToRead());
        assertThat(reports).hasPositiveValue();
      }
    }
  }

  /** Ways in which ranges would lose or double rows, though every task by itself is sound. */
  enum Fault {
    GAP,
    OVERLAP
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void theProofOfTheWholeFindsRangesThatDoNotMeet(Fault fault) {
    for (Layout layout : List.of(Layout.slots(3), Layout.modulo(3))) {
      Path root = directory.resolve(layout.kind().label());
      TestStore content = TestStore.random(Seeds.random(seed), 300);
      try (CheckpointStore store = CheckpointStore.create(ObjectStores.open(root.toString()))) {
        RepartitionPlan plan = plan(store, content.publish(store, layout), 4);
        KeyRanges wrong =
            new KeyRanges(store) {
              @Override
              KeyRange of(StreamRows work) {
                if (work.part() == 0) {
                  return super.of(work);
                }
                byte[] first = new byte[0];
                return fault == Fault.GAP ? new KeyRange(first, first) : KeyRange.ALL;
              }
            };
        StateStoreException e =
            catchThrowableOfType(StateStoreException.class, () -> run(store, plan, wrong));
        assertThat(e).as("%s, %s", layout, Seeds.replay(seed)).isNotNull();
        assertThat(e.kind()).isEqualTo(Kind.INTERNAL);
        assertThat(e).hasMessageContaining("proof failed").hasMessageContaining("source shard");
        assertThat(store.latestVersion()).isEqualTo(1);
      }
    }
  }

  /** A run that goes on from an interrupted one proves the whole with what that one has read. */
  @ParameterizedTest
  @MethodSource("layouts")
  void resumesAmongRanges(Layout layout) {
    TestStore content = TestStore.random(Seeds.random(seed), 300);
    try (CheckpointStore store = CheckpointStore.create(ObjectStores.open(directory.toString()))) {
      Manifest manifest = content.publish(store, layout.withShards(3));
      RepartitionPlan plan = plan(store, manifest, 4);
      StateStoreException cut =
          catchThrowableOfType(StateStoreException.class, () -> PowerCut.run(store, plan, 2));
      assertThat(cut).hasMessageContaining("power cut");
      assertThat(store.latestVersion()).isEqualTo(1);
      RepartitionResult result =
          Repartitioner.execute(
              store, plan, new RepartitionOptions(2, 16 << 20), ProgressListener.NONE, () -> false);
      assertThat(result.tasksResumed()).isGreaterThanOrEqualTo(2);
      content.check(store, result.manifest(), Seeds.replay(seed));
    }
  }
}
