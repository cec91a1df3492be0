package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.StoreVerifier;
import io.reshard.checkpoint.Upload;
import io.reshard.checkpoint.testing.MemoryObjectStore;
import io.reshard.repartition.RocksShard.LevelsOf;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.StateIterator;
import io.reshard.sst.Cursors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.rocksdb.RocksDBException;

/**
 * Which version of a key wins. Set digests are the same whatever level or sequence number an entry
 * has, so they cannot prove it: here shards with many overlapping files on several levels are
 * repartitioned, written to and repartitioned again, and after each step every key ever written is
 * compared with a model, as merged here and as a RocksDB database of the files has it. There the
 * iterator goes by sequence numbers and a get by levels, so both must be right.
 */
class NewestWinsTest {
  private static final List<ColumnFamily> FAMILIES =
      List.of(
          ColumnFamily.hashed("whole"),
          ColumnFamily.hashed("grouped").withPartitionKey(PartitionKey.first(1)),
          ColumnFamily.ordered("ordered"));

  /** In memory where that can be: RocksDB forces every small file to disk. */
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

  /** What came up, to know that the test is worth something. */
  private final Map<String, Integer> seen = new TreeMap<>();

  @Test
  void throughSomeRepartitions() throws Exception {
    rounds(4);
  }

  @Test
  @Tag("slow")
  void throughManyRepartitions() throws Exception {
    rounds(300);
  }

  private void rounds(int count) throws Exception {
    long first = Seeds.seed();
    for (int i = 0; i < count; i++) {
      long seed = first + i;
      try {
        new Round(seed).run();
      } catch (RuntimeException e) {
        throw new AssertionError(Seeds.replay(seed), e);
      }
    }
    System.getLogger("test").log(System.Logger.Level.INFO, seen.toString());
    assertThat(seen)
        .containsKeys("repartitions", "updates", "files split", "files handed over", "databases");
    assertThat(seen.get("overlaps")).isGreaterThan(count);
  }

  private final class Round {
    private final Random random;
    private final String description;
    private final int keys;
    private final Map<String, TreeMap<ByteView, byte[]>> model = new HashMap<>();
    private final Map<String, Set<ByteView>> everWritten = new HashMap<>();
    private final Path local;
    private int directories;

    Round(long seed) {
      this.random = Seeds.random(seed);
      this.description = Seeds.replay(seed);
      this.keys = 10 + random.nextInt(150);
      this.local = directory.resolve("round-" + seed);
      for (ColumnFamily family : FAMILIES) {
        model.put(family.name(), new TreeMap<>());
        everWritten.put(family.name(), new TreeSet<>());
      }
    }

    void run() throws Exception {
      int shards = 1 + random.nextInt(5);
      Layout layout = random.nextInt(4) == 0 ? Layout.modulo(shards) : Layout.slots(shards);
      try (CheckpointStore store =
          CheckpointStore.create(
              new MemoryObjectStore(local.resolve("staging"), InstantSource.system()))) {
        Manifest manifest = create(store, layout);
        check(store, manifest, "as created");
        for (int step = 0; step < 4; step++) {
          manifest =
              step == 1 || (step == 3 && random.nextInt(4) > 0)
                  ? update(store, manifest)
                  : repartition(store, manifest);
          check(store, manifest, "after step " + step);
        }
        StoreVerifier.Report report = StoreVerifier.verify(store, manifest, 1, shard -> {});
        assertThat(report.rows().count())
            .as(description)
            .isEqualTo(model.values().stream().mapToLong(Map::size).sum());
      } finally {
        delete(local);
      }
    }

    private Manifest create(CheckpointStore store, Layout layout) throws Exception {
      Manifest origin = store.origin(layout, FAMILIES);
      List<List<FileHandle>> shards = new ArrayList<>();
      try (Upload upload = store.upload(origin)) {
        for (int shard = 0; shard < layout.shards(); shard++) {
          shards.add(
              random.nextBoolean()
                  ? simulated(upload, origin, shard)
                  : real(store, upload, origin, shard, null));
        }
        return publish(store, upload, origin, shards);
      }
    }

    private static Manifest publish(
        CheckpointStore store, Upload upload, Manifest parent, List<List<FileHandle>> shards) {
      upload.flush();
      return store.publish(
          upload, parent, Manifest.Operation.COMMIT, "rocksdb", parent.layout(), shards, Map.of());
    }

    private List<FileHandle> simulated(Upload upload, Manifest manifest, int shard) {
      List<FileHandle> files = new ArrayList<>();
      for (ColumnFamily family : FAMILIES) {
        SimulatedTree tree = new SimulatedTree(random, 0);
        for (int i = random.nextInt(4 * keys); i > 0; i--) {
          write(tree, manifest, family, shard);
          int choice = random.nextInt(20);
          if (choice < 2) {
            tree.flush();
          } else if (choice == 2) {
            tree.compact();
          }
        }
        files.addAll(tree.upload(upload, family.name(), manifest.keyPrefix(family)));
      }
      return files;
    }

    private void write(SimulatedTree tree, Manifest manifest, ColumnFamily family, int shard) {
      byte[] key = keyOf(manifest, family, shard);
      if (key != null) {
        byte[] value = value(family, key);
        if (value == null) {
          tree.delete(stored(manifest, family, key));
        } else {
          tree.put(stored(manifest, family, key), value);
        }
      }
    }

    /** A key of a shard; null where none was found. */
    private byte @Nullable [] keyOf(Manifest manifest, ColumnFamily family, int shard) {
      for (int i = 0; i < 100; i++) {
        int number = random.nextInt(keys);
        byte[] key = {(byte) (number % 23), (byte) (number >>> 8), (byte) number};
        if (TestStore.shardOf(manifest.layout(), family, key) == shard) {
          everWritten(family).add(new ByteView(key));
          return key;
        }
      }
      return null;
    }

    /** A value for a key, null to delete it; the model has it then. */
    private byte @Nullable [] value(ColumnFamily family, byte[] key) {
      if (random.nextInt(4) == 0) {
        model(family).remove(new ByteView(key));
        return null;
      }
      byte[] value = new byte[random.nextInt(60)];
      random.nextBytes(value);
      model(family).put(new ByteView(key), value);
      return value;
    }

    private Map<ByteView, byte[]> model(ColumnFamily family) {
      return Objects.requireNonNull(model.get(family.name()));
    }

    private Set<ByteView> everWritten(ColumnFamily family) {
      return Objects.requireNonNull(everWritten.get(family.name()));
    }

    private static byte[] stored(Manifest manifest, ColumnFamily family, byte[] key) {
      return TestStore.storedKey(manifest.layout(), family, key);
    }

    /** Writes to a database: a new one, or one of the shard's files. */
    private List<FileHandle> real(
        CheckpointStore store, Upload upload, Manifest manifest, int shard, @Nullable Manifest from)
        throws Exception {
      Path path = newDirectory();
      try (RocksShard db =
          from == null
              ? new RocksShard(random, path, FAMILIES)
              : RocksShard.of(store, from, shard, someLevels(), path, random)) {
        for (int i = random.nextInt(6 * keys); i > 0; i--) {
          ColumnFamily family = FAMILIES.get(random.nextInt(FAMILIES.size()));
          byte[] key = keyOf(manifest, family, shard);
          if (key != null) {
            byte[] value = value(family, key);
            byte[] storedKey = stored(manifest, family, key);
            if (value == null) {
              db.delete(family.name(), storedKey);
            } else if (random.nextInt(100) == 0) {
              db.ingest(family.name(), storedKey, value);
            } else {
              db.put(family.name(), storedKey, value);
            }
          }
          if (random.nextInt(15) == 0) {
            db.reshape(family.name());
          }
        }
        return db.upload(store, upload, manifest, shard);
      }
    }

    private LevelsOf someLevels() {
      return random.nextBoolean() ? LevelsOf.MANIFEST : LevelsOf.IMPORT;
    }

    private Path newDirectory() throws IOException {
      return Files.createDirectories(local.resolve("database-" + directories++));
    }

    /** Some shards go on, in a database of their files or with files on top of theirs. */
    private Manifest update(CheckpointStore store, Manifest manifest) throws Exception {
      count("updates", 1);
      List<List<FileHandle>> shards = new ArrayList<>();
      try (Upload upload = store.upload(manifest)) {
        for (int shard = 0; shard < manifest.layout().shards(); shard++) {
          List<FileRef> files = store.files(manifest, shard);
          List<FileHandle> handles =
              new ArrayList<>(files.stream().map(FileHandle::existing).toList());
          switch (random.nextInt(3)) {
            case 0 -> handles = real(store, upload, manifest, shard, manifest);
            case 1 -> handles.addAll(onTop(upload, manifest, shard, files));
            default -> {}
          }
          shards.add(handles);
        }
        return publish(store, upload, manifest, shards);
      }
    }

    private List<FileHandle> onTop(
        Upload upload, Manifest manifest, int shard, List<FileRef> files) {
      List<FileHandle> added = new ArrayList<>();
      long sequence = files.stream().mapToLong(FileRef::largestSequence).max().orElse(0);
      for (ColumnFamily family : FAMILIES) {
        SimulatedTree tree = new SimulatedTree(random, sequence);
        for (int i = random.nextInt(keys); i > 0; i--) {
          write(tree, manifest, family, shard);
          if (random.nextInt(20) == 0) {
            tree.flush();
          }
        }
        added.addAll(tree.upload(upload, family.name(), manifest.keyPrefix(family)));
      }
      return added;
    }

    private Manifest repartition(CheckpointStore store, Manifest manifest) {
      int now = manifest.layout().shards();
      int target = 1 + random.nextInt(8);
      RepartitionPlan plan =
          Repartitioner.plan(store, manifest.version(), target == now ? target + 1 : target);
      RepartitionResult result =
          Repartitioner.execute(
              store, plan, new RepartitionOptions(2, 16 << 20), ProgressListener.NONE, () -> false);
      count("repartitions", 1);
      count("files handed over", (int) plan.filesReferenced());
      count("files split", (int) result.filesWritten());
      return result.manifest();
    }

    private void check(CheckpointStore store, Manifest manifest, String step) throws Exception {
      String where = step + " at " + manifest.layout() + ", " + description;
      Map<String, Integer> found = new HashMap<>();
      for (int shard = 0; shard < manifest.layout().shards(); shard++) {
        List<FileRef> files = store.files(manifest, shard);
        for (ColumnFamily family : FAMILIES) {
          List<FileRef> own =
              files.stream().filter(f -> f.columnFamily().equals(family.name())).toList();
          count("overlaps", overlaps(own));
          Map<ByteView, byte[]> rows = new TreeMap<>();
          try (StateIterator iterator = Cursors.rows(store.entries(own, family.name()))) {
            while (iterator.next()) {
              rows.put(new ByteView(iterator.key().toByteArray()), iterator.value().toByteArray());
            }
          }
          assertRows(rows, expected(manifest, family, shard), family, shard, where);
          found.merge(family.name(), rows.size(), Integer::sum);
        }
        checkDatabase(store, manifest, shard, someLevels(), where);
      }
      for (ColumnFamily family : FAMILIES) {
        assertThat(found.get(family.name())).as(where).isEqualTo(model(family).size());
      }
    }

    private static int overlaps(List<FileRef> files) {
      int overlaps = 0;
      for (FileRef a : files) {
        for (FileRef b : files) {
          if (!a.equals(b)
              && Arrays.compareUnsigned(a.smallestKey(), b.largestKey()) <= 0
              && Arrays.compareUnsigned(b.smallestKey(), a.largestKey()) <= 0) {
            overlaps++;
          }
        }
      }
      return overlaps / 2;
    }

    /** What of the model a shard should hold, by stored keys. */
    private Map<ByteView, byte[]> expected(Manifest manifest, ColumnFamily family, int shard) {
      Map<ByteView, byte[]> expected = new TreeMap<>();
      model(family)
          .forEach(
              (view, value) -> {
                byte[] key = view.toByteArray();
                if (TestStore.shardOf(manifest.layout(), family, key) == shard) {
                  expected.put(new ByteView(stored(manifest, family, key)), value);
                }
              });
      return expected;
    }

    private void checkDatabase(
        CheckpointStore store, Manifest manifest, int shard, LevelsOf levels, String where)
        throws IOException, RocksDBException {
      String at = "database with levels of " + levels + ", " + where;
      Path path = newDirectory();
      try (RocksShard db = RocksShard.of(store, manifest, shard, levels, path, random)) {
        count("databases", 1);
        for (int pass = 0; pass < 2; pass++) {
          for (ColumnFamily family : FAMILIES) {
            Map<ByteView, byte[]> expected = expected(manifest, family, shard);
            assertRows(db.rows(family.name()), expected, family, shard, at);
            for (ByteView view : everWritten(family)) {
              byte[] key = view.toByteArray();
              if (TestStore.shardOf(manifest.layout(), family, key) == shard) {
                byte[] storedKey = stored(manifest, family, key);
                assertThat(db.get(family.name(), storedKey))
                    .as("%s of %s, %s", view, family.name(), at)
                    .isEqualTo(expected.get(new ByteView(storedKey)));
              }
            }
          }
          if (random.nextInt(3) > 0) {
            break;
          }
          db.compact();
        }
      }
      delete(path);
    }

    private void assertRows(
        Map<ByteView, byte[]> rows,
        Map<ByteView, byte[]> expected,
        ColumnFamily family,
        int shard,
        String where) {
      assertThat(rows.keySet())
          .as("keys of %s in shard %s, %s", family.name(), shard, where)
          .isEqualTo(expected.keySet());
      rows.forEach(
          (key, value) ->
              assertThat(value)
                  .as("%s of %s in shard %s, %s", key, family.name(), shard, where)
                  .isEqualTo(expected.get(key)));
    }
  }

  private void count(String what, int times) {
    seen.merge(what, times, Integer::sum);
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> paths = Files.walk(directory)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }
}
