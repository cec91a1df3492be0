package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.sst.Compression;
import io.reshard.sst.EntryType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever goes wrong before the publish, nothing has happened, and a second run gets there. */
class FailureTest {
  private static final RepartitionOptions OPTIONS = new RepartitionOptions(2, 16 << 20);

  @TempDir Path directory;

  private final long seed = Seeds.seed();
  private final TestStore content = TestStore.random(Seeds.random(seed), 200);

  static Stream<Layout> layouts() {
    return Stream.of(Layout.slots(6), Layout.modulo(6));
  }

  private CheckpointStore create(Layout layout) {
    CheckpointStore store = CheckpointStore.create(ObjectStores.open(directory.toString()));
    content.publish(store, layout);
    return store;
  }

  private CheckpointStore open() {
    return CheckpointStore.open(ObjectStores.open(directory.toString()));
  }

  private static RepartitionResult run(CheckpointStore store, RepartitionPlan plan) {
    return Repartitioner.execute(store, plan, OPTIONS, ProgressListener.NONE, () -> false);
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void resumesAfterACrash(Layout layout) {
    crashes(layout, 5);
  }

  @ParameterizedTest
  @MethodSource("layouts")
  @Tag("slow")
  void resumesAfterACrashAtAnyOperation(Layout layout) {
    crashes(layout, 1);
  }

  private void crashes(Layout layout, int every) {
    create(layout).close();
    int published = 0;
    long version = 1;
    int[] targets = {4, 9, 6};
    for (int operations = 0; published < 3; operations += every) {
      int target = targets[published];
      String step = "crash after " + operations + " operations to " + target;
      BreakingObjectStore breaking =
          new BreakingObjectStore(
              ObjectStores.open(directory.toString()), operations, operations % 2 == 0);
      try (CheckpointStore store = CheckpointStore.open(breaking)) {
        run(store, Repartitioner.plan(store, version, target));
      } catch (StateStoreException e) {
        assertThat(e.kind()).as(step).isEqualTo(Kind.UNAVAILABLE);
      }
      assertThat(staging()).as(step).isEmpty();
      try (CheckpointStore store = open()) {
        if (store.latestVersion() > version) {
          version = store.latestVersion();
          assertThat(version).isEqualTo(published + 2);
          content.check(store, store.manifest(version), step + ", " + Seeds.replay(seed));
          published++;
          operations = 0;
        } else {
          assertThat(store.manifest(version).layout().shards()).isNotEqualTo(target);
        }
      }
      assertThat(operations).as("operations of one run").isLessThan(3000);
    }
  }

  private List<Path> staging() {
    try (CheckpointStore store = open();
        Stream<Path> files = Files.walk(store.objects().stagingDirectory())) {
      return files.filter(Files::isRegularFile).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void takesOverFinishedTasks(Layout layout) {
    try (CheckpointStore store = create(layout)) {
      RepartitionPlan plan = Repartitioner.plan(store, 1, 7);
      assertThat(plan.tasks()).isGreaterThan(1);
      StateStoreException cancelled =
          catchThrowableOfType(StateStoreException.class, () -> PowerCut.run(store, plan, 1));
      assertThat(cancelled.kind()).isEqualTo(Kind.UNAVAILABLE);
      assertThat(store.latestVersion()).isEqualTo(1);

      RepartitionResult result = run(store, Repartitioner.plan(store, 1, 7));
      // One for certain; others may have ended beside it.
      assertThat(result.tasksResumed()).isBetween(1, plan.tasks());
      assertThat(result.bytesRead()).isEqualTo(plan.bytesToRead());
      content.check(store, result.manifest(), Seeds.replay(seed));
      RepartitionResult back = run(store, Repartitioner.plan(store, 2, 6));
      assertThat(back.tasksResumed()).isZero();
      content.check(store, back.manifest(), Seeds.replay(seed));
    }
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void anotherTargetAfterAnInterruptedRunJustWorks(Layout layout) {
    try (CheckpointStore store = create(layout)) {
      AtomicInteger asked = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  Repartitioner.execute(
                      store,
                      Repartitioner.plan(store, 1, 4),
                      OPTIONS,
                      ProgressListener.NONE,
                      () -> asked.incrementAndGet() > 4))
          .isInstanceOf(StateStoreException.class);
      RepartitionResult result = run(store, Repartitioner.plan(store, 1, 5));
      assertThat(result.tasksResumed()).isZero();
      content.check(store, result.manifest(), Seeds.replay(seed));
    }
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void cancelStopsAndLeavesNothing(Layout layout) {
    try (CheckpointStore store = create(layout)) {
      RepartitionPlan plan = Repartitioner.plan(store, 1, 4);
      AtomicBoolean cancel = new AtomicBoolean(true);
      StateStoreException e =
          catchThrowableOfType(
              StateStoreException.class,
              () ->
                  Repartitioner.execute(store, plan, OPTIONS, ProgressListener.NONE, cancel::get));
      assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE);
      assertThat(e.isRetryable()).isTrue();
      assertThat(e).hasMessageContaining("cancelled").hasMessageContaining("run it again");
      assertThat(store.latestVersion()).isEqualTo(1);
      assertThat(staging()).isEmpty();
      content.check(store, store.manifest(1), "source after cancel");
      content.check(store, run(store, plan).manifest(), "after cancel");
    }
  }

  @Test
  void aListenerThatThrowsCancels() {
    try (CheckpointStore store = create(Layout.modulo(6))) {
      RuntimeException fault = new IllegalStateException("display is gone");
      StateStoreException e =
          catchThrowableOfType(
              StateStoreException.class,
              () ->
                  Repartitioner.execute(
                      store,
                      Repartitioner.plan(store, 1, 4),
                      OPTIONS,
                      progress -> {
                        throw fault;
                      },
                      () -> false));
      assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE);
      assertThat(e).hasCause(fault);
      assertThat(store.latestVersion()).isEqualTo(1);
      assertThat(staging()).isEmpty();
    }
  }

  @Test
  void anInterruptCancelsAndIsKept() {
    try (CheckpointStore store = create(Layout.modulo(6))) {
      RepartitionPlan plan = Repartitioner.plan(store, 1, 4);
      Thread.currentThread().interrupt();
      StateStoreException e =
          catchThrowableOfType(StateStoreException.class, () -> run(store, plan));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE);
      assertThat(store.latestVersion()).isEqualTo(1);
      assertThat(staging()).isEmpty();
      content.check(store, run(store, plan).manifest(), "after an interrupt");
    }
  }

  @Test
  void anOldVersionCannotBePlannedFrom() {
    try (CheckpointStore store = create(Layout.modulo(6))) {
      run(store, Repartitioner.plan(store, 1, 4));
      assertThatThrownBy(() -> Repartitioner.plan(store, 1, 5))
          .isInstanceOfSatisfying(
              StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INVALID))
          .hasMessageContaining("starts from version 2");
    }
  }

  @Test
  void progressEndsWithEverything() {
    try (CheckpointStore store = create(Layout.modulo(6))) {
      RepartitionPlan plan = Repartitioner.plan(store, 1, 4);
      List<ProgressListener.Progress> seen = new CopyOnWriteArrayList<>();
      RepartitionResult result =
          Repartitioner.execute(store, plan, OPTIONS, seen::add, () -> false);
      ProgressListener.Progress last = seen.get(seen.size() - 1);
      assertThat(last.tasksDone()).isEqualTo(plan.tasks()).isEqualTo(last.tasks());
      assertThat(last.bytesRead()).isEqualTo(last.bytesToRead()).isEqualTo(plan.bytesToRead());
      assertThat(last.rows()).isEqualTo(result.rowsRewritten()).isEqualTo(content.rows());
    }
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void ofTwoAtOnceOneIsFenced(Layout layout) {
    try (CheckpointStore one = create(layout);
        CheckpointStore two = open()) {
      RepartitionPlan first = Repartitioner.plan(one, 1, 4);
      RepartitionPlan second = Repartitioner.plan(two, 1, 5);
      AtomicBoolean ran = new AtomicBoolean();
      // The first one publishes while the second is at work.
      StateStoreException e =
          catchThrowableOfType(
              StateStoreException.class,
              () ->
                  Repartitioner.execute(
                      two,
                      second,
                      OPTIONS,
                      ProgressListener.NONE,
                      () -> {
                        if (ran.compareAndSet(false, true)) {
                          assertThat(run(one, first).manifest().version()).isEqualTo(2);
                        }
                        return false;
                      }));
      assertThat(e.kind()).isEqualTo(Kind.FENCED);
      assertThat(two.latestVersion()).isEqualTo(2);
      assertThat(two.manifest(2).layout().shards()).isEqualTo(4);
      content.check(two, two.manifest(2), Seeds.replay(seed));
      // Before any work, too.
      assertThatThrownBy(() -> run(two, second))
          .isInstanceOfSatisfying(
              StateStoreException.class, f -> assertThat(f.kind()).isEqualTo(Kind.FENCED))
          .hasMessageContaining("version 2 with 4 shards was published meanwhile");
      assertThat(staging()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void aDamagedSourceIsCorruptAndNothingIsPublished(Layout layout) throws IOException {
    FileRef file;
    try (CheckpointStore store = create(layout)) {
      // The largest: its entries are surely rewritten, and the middle of it is data.
      file =
          Stream.iterate(0, shard -> shard < 6, shard -> shard + 1)
              .flatMap(shard -> store.files(store.manifest(1), shard).stream())
              .filter(f -> f.columnFamily().equals("skip") || layout.kind() == Layout.Kind.MODULO)
              .max(Comparator.comparingLong(FileRef::length))
              .orElseThrow();
    }
    Path object = directory.resolve(file.object());
    byte[] bytes = Files.readAllBytes(object);
    bytes[(int) (file.offset() + file.length() / 2)] ^= 1;
    Files.delete(object);
    Files.write(object, bytes);
    try (CheckpointStore store = open()) {
      RepartitionPlan plan = Repartitioner.plan(store, 1, 4);
      assertThatThrownBy(() -> run(store, plan))
          .isInstanceOfSatisfying(
              StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT))
          .hasMessageContaining("of shard");
      assertThat(store.latestVersion()).isEqualTo(1);
      assertThat(staging()).isEmpty();
    }
  }

  /** Ways a writer can go wrong that no checksum shows. */
  enum Fault {
    DROP,
    DOUBLE,
    CHANGE,
    MISPLACE
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void theProofFindsAWriterThatGoesWrong(Fault fault) {
    for (Layout layout : List.of(Layout.slots(6), Layout.modulo(6))) {
      String name = layout.kind().label();
      try (CheckpointStore store =
          CheckpointStore.create(ObjectStores.open(directory.resolve(name).toString()))) {
        Manifest manifest = content.publish(store, layout);
        RepartitionPlan plan = Repartitioner.plan(store, 1, 4);
        StateStoreException e =
            catchThrowableOfType(
                StateStoreException.class,
                () ->
                    Repartitioner.execute(
                        store,
                        plan,
                        OPTIONS,
                        ProgressListener.NONE,
                        () -> false,
                        (upload, target) ->
                            new FaultyWriters(FileWriters.into(upload, target), fault, target)));
        assertThat(e).as("%s in %s", fault, name).isNotNull();
        assertThat(e.kind()).as(e.getMessage()).isEqualTo(Kind.INTERNAL);
        assertThat(e).hasMessageContaining("proof failed").hasMessageContaining("shard");
        assertThat(store.latestVersion()).isEqualTo(1);
        content.check(store, manifest, "source after a failed proof");
      }
    }
  }

  /** Does wrong with one row, once. */
  private static final class FaultyWriters implements FileWriters {
    private final FileWriters sound;
    private final Fault fault;
    private final Layout target;
    private final AtomicInteger rows = new AtomicInteger();

    FaultyWriters(FileWriters sound, Fault fault, Layout target) {
      this.sound = sound;
      this.fault = fault;
      this.target = target;
    }

    @Override
    public Writer open(int shard, ColumnFamily columnFamily, int level, Compression compression) {
      boolean misplaced = fault == Fault.MISPLACE && rows.incrementAndGet() == 3;
      int into = misplaced ? (shard + 1) % target.shards() : shard;
      return new FaultyWriter(sound.open(into, columnFamily, level, compression), this);
    }
  }

  private record FaultyWriter(FileWriters.Writer sound, FaultyWriters faults)
      implements FileWriters.Writer {
    @Override
    public void add(ByteView key, long sequence, EntryType type, ByteView value) {
      boolean now = faults.fault != Fault.MISPLACE && faults.rows.incrementAndGet() == 20;
      if (now && faults.fault == Fault.DROP) {
        return;
      }
      if (now && faults.fault == Fault.CHANGE) {
        byte[] longer = Arrays.copyOf(value.toByteArray(), value.length() + 1);
        sound.add(key, sequence, EntryType.PUT, new ByteView(longer));
        return;
      }
      if (now && faults.fault == Fault.DOUBLE) {
        sound.add(key, sequence + 1, type, value);
      }
      sound.add(key, sequence, type, value);
    }

    @Override
    public List<FileHandle> finish() {
      return sound.finish();
    }

    @Override
    public void close() {
      sound.close();
    }
  }
}
