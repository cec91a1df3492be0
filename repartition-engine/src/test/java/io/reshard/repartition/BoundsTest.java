package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import io.reshard.sst.EntryType;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As many shards as there can be, with little memory and few open files. */
class BoundsTest {
  private static final List<ColumnFamily> COLUMN_FAMILIES =
      List.of(
          ColumnFamily.hashed("hashed").withPartitionKey(PartitionKey.first(8)),
          ColumnFamily.ordered("ordered"));

  /** Two files to read and two to write at once: everything goes through temporary runs. */
  private static final OpenFiles FEW = new OpenFiles(1, 1 << 20);

  @TempDir Path directory;

  private final long seed = Seeds.seed();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger mostOpen = new AtomicInteger();

  @Test
  void temporaryRunsTakeThePlaceOfOpenFiles() {
    for (Layout layout : List.of(Layout.modulo(1), Layout.slots(1))) {
      TestStore content =
          new TestStore(COLUMN_FAMILIES, Seeds.random(seed))
              .write("hashed", 500)
              .write("ordered", 500);
      try (CheckpointStore store =
          CheckpointStore.create(
              ObjectStores.open(directory.resolve(layout.kind().label()).toString()))) {
        content.publish(store, layout.withShards(3));
        long version = 1;
        for (int target : new int[] {35, 2, 64, 63, 1}) {
          RepartitionPlan plan = Repartitioner.plan(store, version, target);
          Meter meter = new Meter(ProgressListener.NONE, () -> false, plan.tasks(), 1);
          RepartitionResult result =
              new Execution(
                      store,
                      plan,
                      FEW,
                      meter,
                      (upload, to) -> counted(FileWriters.into(upload, to)))
                  .run();
          version++;
          content.check(store, result.manifest(), "to " + target + ", " + Seeds.replay(seed));
          assertThat(open).hasValue(0);
          assertThat(mostOpen.get()).isLessThanOrEqualTo(2);
          assertThat(result.bytesRead()).isEqualTo(plan.bytesToRead());
        }
        assertThat(leftOver(store)).isEmpty();
      }
    }
  }

  private static List<Path> leftOver(CheckpointStore store) {
    try (Stream<Path> files = Files.walk(store.objects().stagingDirectory())) {
      return files.filter(Files::isRegularFile).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private FileWriters counted(FileWriters writers) {
    return (shard, columnFamily, level, compression) -> {
      FileWriters.Writer writer = writers.open(shard, columnFamily, level, compression);
      mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
      return new FileWriters.Writer() {
        private boolean closed;

        @Override
        public void add(ByteView key, long sequence, EntryType type, ByteView value) {
          writer.add(key, sequence, type, value);
        }

        @Override
        public List<FileHandle> finish() {
          return writer.finish();
        }

        @Override
        public void close() {
          writer.close();
          if (!closed) {
            closed = true;
            open.decrementAndGet();
          }
        }
      };
    };
  }

  @Test
  @Tag("slow")
  void thereAndBackWith65536ShardsInASmallHeap() throws Exception {
    for (String kind : List.of("modulo", "slots")) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  SmallHeap.class.getName(),
                  directory.resolve(kind).toString(),
                  kind,
                  Long.toString(seed))
              .redirectErrorStream(true)
              .redirectOutput(Redirect.to(new File(directory.toFile(), kind + ".log")))
              .start();
      int code = process.waitFor();
      assertThat(code)
          .as(Files.readString(directory.resolve(kind + ".log")) + Seeds.replay(seed))
          .isZero();
    }
  }

  /** What runs in a virtual machine of its own. */
  static final class SmallHeap {
    private SmallHeap() {}

    public static void main(String[] arguments) {
      Layout layout = arguments[1].equals("slots") ? Layout.slots(1) : Layout.modulo(1);
      TestStore content =
          new TestStore(COLUMN_FAMILIES, Seeds.random(Long.parseLong(arguments[2])))
              .write("hashed", 4000)
              .write("ordered", 4000);
      try (CheckpointStore store = CheckpointStore.create(ObjectStores.open(arguments[0]))) {
        Manifest manifest = content.publish(store, layout);
        for (int target : new int[] {65_536, 1}) {
          manifest =
              Repartitioner.execute(
                      store,
                      Repartitioner.plan(store, manifest.version(), target),
                      RepartitionOptions.defaults(),
                      ProgressListener.NONE,
                      () -> false)
                  .manifest();
          content.check(store, manifest, "to " + target);
        }
      }
    }
  }
}
