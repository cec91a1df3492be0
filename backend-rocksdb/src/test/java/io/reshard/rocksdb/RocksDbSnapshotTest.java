package io.reshard.rocksdb;

import static io.reshard.rocksdb.Rows.assertKind;
import static io.reshard.rocksdb.Rows.bytes;
import static io.reshard.rocksdb.Rows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.rocksdb.FileSnapshots.Version;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksDbSnapshotTest {
  private static final long SEED = Long.getLong("reshard.seed", 3_001L);
  private static final List<ColumnFamily> FAMILIES =
      List.of(ColumnFamily.hashed("rows"), ColumnFamily.ordered("timers"));

  @TempDir Path directory;
  private FileSnapshots snapshots;
  private Backend backend;
  private ShardStore store;

  @BeforeEach
  void open() throws IOException {
    snapshots = new FileSnapshots(Files.createDirectory(directory.resolve("snapshots")));
    start(BackendOptions.DEFAULT_MEMORY_BUDGET);
  }

  private void start(long budget) {
    backend =
        new RocksDbStateStoreProvider().start(BackendOptions.defaults().withMemoryBudget(budget));
    store = open("shard");
  }

  private ShardStore open(String name) {
    return backend.open(new ShardOptions(directory.resolve(name), FAMILIES));
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private void reopen() {
    store.close();
    store = open("shard");
  }

  private void change(Random random, int rows) {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < rows; i++) {
      String family = random.nextInt(3) == 0 ? "timers" : "rows";
      byte[] key = bytes("key" + random.nextInt(3000));
      if (random.nextInt(4) == 0) {
        batch.delete(family, key);
      } else {
        byte[] value = new byte[random.nextInt(100)];
        random.nextBytes(value);
        batch.put(family, key, value);
      }
    }
    store.write(batch);
  }

  private static void assertSame(ShardStore a, ShardStore b) {
    for (ColumnFamily family : FAMILIES) {
      assertThat(Rows.all(a, family.name())).isEqualTo(Rows.all(b, family.name()));
    }
  }

  /** Overwrites, deletes and compactions over many versions; each restores elsewhere. */
  @Test
  void everyVersionRestores() {
    Random random = new Random(SEED);
    ShardStore other = open("other");
    for (int version = 1; version <= 12; version++) {
      change(random, 600);
      store.commit(version);
      Version taken = snapshots.take(store);
      change(random, 10);
      other.importSnapshot(FileSnapshots.reader(taken));
      store.rollback();
      assertThat(other.version()).isEqualTo(version);
      assertSame(store, other);
    }
    // What was imported is a store like any other.
    put(other, "rows", "key1", "new");
    other.write(new WriteBatch().delete("timers", bytes("key2")));
    other.commit(20);
    other.close();
    other = open("other");
    assertThat(other.version()).isEqualTo(20);
    assertThat(other.get("rows", bytes("key1"))).isEqualTo(bytes("new"));
    assertThat(other.get("timers", bytes("key2"))).isNull();
  }

  @Test
  void exportHandsOverAFileOnce() {
    Random random = new Random(SEED);
    change(random, 100);
    store.commit(1);
    Version first = snapshots.take(store);
    assertThat(first.added()).isEqualTo(2);
    Version again = snapshots.take(store);
    assertThat(again.added()).isZero();
    assertThat(again.ids()).isEqualTo(first.ids());
    reopen();
    assertThat(snapshots.take(store).ids()).isEqualTo(first.ids());
    put(store, "rows", "a", "1");
    store.commit(2);
    Version second = snapshots.take(store);
    assertThat(second.added()).isEqualTo(1);
    assertThat(second.ids()).containsAll(first.ids());
    store.commit(3);
    assertThat(snapshots.take(store).added()).isZero();
  }

  @Test
  void importedFilesGoOutUnderTheirIds() {
    change(new Random(SEED), 100);
    store.commit(1);
    Version taken = snapshots.take(store);
    ShardStore other = open("other");
    other.importSnapshot(FileSnapshots.reader(taken));
    assertThat(snapshots.take(other).ids()).isEqualTo(taken.ids());
    other.close();
    other = open("other");
    Version later = snapshots.take(other);
    assertThat(later.ids()).isEqualTo(taken.ids());
    assertThat(later.added()).isZero();
    put(other, "rows", "a", "1");
    other.commit(2);
    Version next = snapshots.take(other);
    assertThat(next.added()).isEqualTo(1);
    // The same number in two databases is not the same file.
    put(store, "rows", "b", "1");
    store.commit(2);
    assertThat(snapshots.take(store).ids()).doesNotContainAnyElementsOf(newIds(next, taken));
  }

  /** A directory brought back from a copy writes other bytes under the same numbers. */
  @Test
  void copyOfADirectoryGivesOtherIds() throws IOException {
    put(store, "rows", "a", "1");
    store.commit(1);
    Version first = snapshots.take(store);
    store.close();
    copy(directory.resolve("shard"), directory.resolve("copy"));
    store = open("shard");
    ShardStore copy = open("copy");
    assertThat(snapshots.take(copy).ids()).isEqualTo(first.ids());
    put(store, "rows", "b", "1");
    store.commit(2);
    put(copy, "rows", "b", "2");
    copy.commit(2);
    Version one = snapshots.take(store);
    Version two = snapshots.take(copy);
    assertThat(newIds(one, first)).hasSize(1).doesNotContainAnyElementsOf(newIds(two, first));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var tree = Files.walk(from)) {
      for (Path path : tree.toList()) {
        Files.copy(path, to.resolve(from.relativize(path)));
      }
    }
  }

  private static List<String> newIds(Version version, Version before) {
    List<String> ids = new ArrayList<>(version.ids());
    ids.removeAll(before.ids());
    return ids;
  }

  @Test
  void exportWhileSpilledIsTheLastVersion() {
    backend.close();
    start(1 << 20);
    Random random = new Random(SEED);
    change(random, 500);
    store.commit(1);
    Version before = snapshots.take(store);
    List<String> committed = Rows.all(store, "rows");
    for (int i = 0; i < 300; i++) {
      store.write(new WriteBatch().put("rows", bytes("big" + i), new byte[1000]));
    }
    assertThat(store.metrics().get("rocksdb.spills")).isPositive();
    List<String> working = Rows.all(store, "rows");
    Version spilled = snapshots.take(store);
    assertThat(spilled.version()).isEqualTo(1);
    assertThat(spilled.ids()).isEqualTo(before.ids());
    assertThat(Rows.all(store, "rows")).isEqualTo(working);
    ShardStore other = open("other");
    other.importSnapshot(FileSnapshots.reader(spilled));
    assertThat(Rows.all(other, "rows")).isEqualTo(committed);
    store.commit(2);
    Version after = snapshots.take(store);
    other.importSnapshot(FileSnapshots.reader(after));
    assertThat(Rows.all(other, "rows")).isEqualTo(working);
    assertThat(other.version()).isEqualTo(2);
  }

  @Test
  void idsStayThroughSpilledCommitAndRollback() {
    backend.close();
    start(1 << 20);
    put(store, "rows", "a", "1");
    store.commit(1);
    Version first = snapshots.take(store);
    spill();
    store.rollback();
    assertThat(snapshots.take(store).ids()).isEqualTo(first.ids());
    spill();
    store.commit(2);
    assertThat(snapshots.take(store).ids()).containsAll(first.ids());
    reopen();
    assertThat(snapshots.take(store).added()).isZero();
  }

  @Test
  void importWhileSpilledLeavesOneDatabase() throws IOException {
    backend.close();
    start(1 << 20);
    put(store, "rows", "a", "1");
    store.commit(1);
    Version first = snapshots.take(store);
    spill();
    store.importSnapshot(FileSnapshots.reader(first));
    try (var entries = Files.list(directory.resolve("shard"))) {
      assertThat(entries.filter(e -> e.getFileName().toString().startsWith("db-"))).hasSize(1);
    }
    assertThat(Rows.all(store, "rows")).containsExactly("61=31");
    assertThat(Rows.all(store, "timers")).isEmpty();
    spill();
    store.commit(2);
    assertThat(Rows.all(store, "timers")).hasSize(200);
  }

  private void spill() {
    for (int i = 0; i < 200; i++) {
      store.write(new WriteBatch().put("timers", bytes("big" + i), new byte[1000]));
    }
    assertThat(store.metrics().get("rocksdb.spilled.bytes")).isPositive();
  }

  @Test
  void importReplacesEverythingAndScansGoOn() throws IOException {
    put(store, "rows", "a", "1");
    store.commit(5);
    Version taken = snapshots.take(store);
    put(store, "rows", "b", "2");
    store.commit(6);
    put(store, "rows", "c", "3");
    StateIterator moment = store.scan("rows", ScanRange.all());
    assertThat(moment.next()).isTrue();
    store.importSnapshot(FileSnapshots.reader(taken));
    assertThat(store.version()).isEqualTo(5);
    assertThat(Rows.all(store, "rows")).containsExactly("61=31");
    assertThat(moment.next()).isTrue();
    assertThat(moment.next()).isTrue();
    assertThat(moment.key().toByteArray()).isEqualTo(bytes("c"));
    assertThat(moment.next()).isFalse();
    moment.close();
    try (var entries = Files.list(directory.resolve("shard"))) {
      assertThat(entries.filter(e -> e.getFileName().toString().startsWith("db-"))).hasSize(1);
    }
    store.rollback();
    assertThat(Rows.all(store, "rows")).containsExactly("61=31");
    reopen();
    assertThat(store.version()).isEqualTo(5);
    assertThat(Rows.all(store, "rows")).containsExactly("61=31");
    store.importSnapshot(FileSnapshots.reader(0, List.of()));
    assertThat(store.version()).isZero();
    assertThat(Rows.all(store, "rows")).isEmpty();
  }

  @Test
  void failedImportLeavesTheStoreAsItWas() throws IOException {
    change(new Random(SEED), 200);
    store.commit(1);
    SnapshotFile sound = snapshots.take(store).files().get(0);
    put(store, "rows", "a", "uncommitted");
    SnapshotReader failing =
        new SnapshotReader() {
          @Override
          public long version() {
            return 9;
          }

          @Override
          public StateIterator rows(String columnFamily) {
            throw new AssertionError("it takes files");
          }

          @Override
          public List<SnapshotFile> files(Path into) {
            throw StateStoreException.unavailable("the network is gone", null);
          }
        };
    assertImportFails(Kind.UNAVAILABLE, failing, "network");

    SnapshotFile unknown =
        new SnapshotFile(
            sound.id(),
            "unknown",
            sound.path(),
            sound.size(),
            0,
            sound.smallestKey(),
            sound.largestKey(),
            sound.smallestSequence(),
            sound.largestSequence());
    assertImportFails(
        Kind.INCOMPATIBLE, FileSnapshots.reader(9, List.of(unknown)), "unknown", "rows, timers");

    byte[] content = Files.readAllBytes(sound.path());
    Path cut = directory.resolve("cut");
    Files.write(cut, java.util.Arrays.copyOf(content, content.length - 10));
    assertImportFails(
        Kind.CORRUPT,
        FileSnapshots.reader(9, List.of(FileSnapshots.at(sound, cut))),
        "expected " + sound.size());

    Path damaged = directory.resolve("damaged");
    content[content.length - 3] ^= 1;
    Files.write(damaged, content);
    assertImportFails(
        Kind.CORRUPT, FileSnapshots.reader(9, List.of(FileSnapshots.at(sound, damaged))));
  }

  private void assertImportFails(Kind kind, SnapshotReader reader, String... words)
      throws IOException {
    assertKind(kind, () -> store.importSnapshot(reader), words);
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
    assertThat(store.version()).isEqualTo(1);
    assertThat(store.get("rows", bytes("a"))).isEqualTo(bytes("uncommitted"));
    try (var entries = Files.list(directory.resolve("shard"))) {
      assertThat(entries.filter(e -> e.getFileName().toString().startsWith("db-"))).hasSize(1);
    }
  }

  @Test
  void failedExportLeavesTheStoreAsItWas() {
    put(store, "rows", "a", "1");
    store.commit(1);
    SnapshotWriter failing =
        new SnapshotWriter() {
          @Override
          public boolean reuse(String fileId) {
            return false;
          }

          @Override
          public void addFile(SnapshotFile file) {
            throw StateStoreException.unavailable("the network is gone", null);
          }

          @Override
          public void addRows(String columnFamily, StateIterator rows) {
            throw new AssertionError("it hands over files");
          }
        };
    assertKind(Kind.UNAVAILABLE, () -> store.exportSnapshot(failing), "network");
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
    put(store, "rows", "b", "1");
    store.commit(2);
    assertThat(snapshots.take(store).added()).isEqualTo(2);
  }

  @Test
  void importsFilesWrittenInJava() throws IOException {
    List<SnapshotFile> files = new ArrayList<>();
    files.add(write("low", 6, 0, 1000, 0));
    files.add(write("high", 6, 1000, 2000, 0));
    files.add(write("over", 0, 500, 1500, 77));
    store.importSnapshot(FileSnapshots.reader(3, files));
    assertThat(Rows.all(store, "rows")).hasSize(2000);
    assertThat(store.get("rows", key(499))).isEqualTo(bytes("low"));
    assertThat(store.get("rows", key(500))).isEqualTo(bytes("over"));
    assertThat(store.get("rows", key(1500))).isEqualTo(bytes("high"));
    store.write(new WriteBatch().put("rows", key(500), bytes("later")));
    store.commit(4);
    assertThat(store.get("rows", key(500))).isEqualTo(bytes("later"));
    assertThat(snapshots.take(store).ids()).contains("low", "high", "over");
    ShardStore other = open("other");
    other.importSnapshot(FileSnapshots.reader(snapshots.take(store)));
    assertSame(store, other);
  }

  private SnapshotFile write(String id, int level, int from, int to, long sequence)
      throws IOException {
    Path path = directory.resolve(id);
    long size;
    try (OutputStream out = Files.newOutputStream(path);
        SstWriter writer = SstWriter.create(id, out, SstWriterOptions.defaults("rows"))) {
      for (int i = from; i < to; i++) {
        writer.add(new ByteView(key(i)), sequence, EntryType.PUT, new ByteView(bytes(id)));
      }
      size = writer.finish();
    }
    return new SnapshotFile(
        id, "rows", path, size, level, key(from), key(to - 1), sequence, sequence);
  }

  private static byte[] key(int n) {
    return bytes(String.format("%08d", n));
  }
}
