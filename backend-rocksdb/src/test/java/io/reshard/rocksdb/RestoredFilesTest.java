package io.reshard.rocksdb;

import static io.reshard.rocksdb.Rows.bytes;
import static io.reshard.rocksdb.Rows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.StateIterator;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import io.reshard.sst.RocksDirectory;
import io.reshard.sst.SstReader;
import io.reshard.sst.SstSource;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a snapshot's files in the database that is made of them. */
class RestoredFilesTest {
  private static final List<ColumnFamily> FAMILIES =
      List.of(ColumnFamily.hashed("rows"), ColumnFamily.ordered("timers"));

  @TempDir Path directory;
  private FileSnapshots snapshots;
  private Backend backend;
  private ShardStore store;

  @BeforeEach
  void open() throws IOException {
    snapshots = new FileSnapshots(Files.createDirectory(directory.resolve("snapshots")));
    backend = new RocksDbStateStoreProvider().start(BackendOptions.defaults());
    store = backend.open(new ShardOptions(directory.resolve("shard"), FAMILIES));
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private record Row(int key, long sequence, String value) {}

  private SnapshotFile file(String id, int level, List<Row> rows) throws IOException {
    Path path = directory.resolve(id);
    long size;
    try (OutputStream out = Files.newOutputStream(path);
        SstWriter writer = SstWriter.create(id, out, SstWriterOptions.defaults("rows"))) {
      for (Row row : rows) {
        writer.add(
            new ByteView(key(row.key)),
            row.sequence,
            EntryType.PUT,
            new ByteView(bytes(row.value)));
      }
      size = writer.finish();
    }
    return new SnapshotFile(
        id,
        "rows",
        path,
        size,
        level,
        key(rows.get(0).key),
        key(rows.get(rows.size() - 1).key),
        rows.stream().mapToLong(Row::sequence).min().orElseThrow(),
        rows.stream().mapToLong(Row::sequence).max().orElseThrow());
  }

  private static byte[] key(int n) {
    return bytes(String.format("%08d", n));
  }

  /**
   * Three flushes in fifteen pieces each: RocksDB counts 45 files on level 0, would compact them at
   * 4 and stop its writers at 36. They stay as they are until as many flushes have come on top as
   * bring about a compaction anywhere.
   */
  @Test
  void piecesOnLevelZeroNeitherStopWritersNorAreRewritten() throws IOException {
    TreeMap<Integer, String> model = new TreeMap<>();
    List<SnapshotFile> files = new ArrayList<>();
    for (int layer = 0; layer < 3; layer++) {
      for (int piece = 0; piece < 15; piece++) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
          Row row = new Row(piece * 100 + 3 * i, layer * 100 + i + 1, layer + "-" + piece);
          rows.add(row);
          model.put(row.key, row.value);
        }
        files.add(file("piece-" + layer + "-" + piece, 0, rows));
      }
    }
    Set<String> pieces = new HashSet<>();
    files.forEach(file -> pieces.add(file.id()));

    store.importSnapshot(FileSnapshots.reader(7, files));
    put(store, "rows", "zzz", "later");
    store.commit(8);

    // Compactions, if there were any, would have been started by the open or the flush.
    List<String> exported = snapshots.take(store).ids();
    assertThat(exported).containsAll(pieces).hasSize(pieces.size() + 1);
    check(model, "zzz", "later");

    // More commits make it a level 0 to be compacted like any other, and the allowance end.
    for (int version = 9; version < 30; version++) {
      put(store, "rows", "zzz" + version, "later");
      store.commit(version);
      exported = snapshots.take(store).ids();
    }
    assertThat(exported).doesNotContainAnyElementsOf(pieces);
    check(model, "zzz29", "later");
  }

  private void check(Map<Integer, String> model, String last, String value) {
    model.forEach(
        (key, expected) -> assertThat(store.get("rows", key(key))).isEqualTo(bytes(expected)));
    assertThat(store.get("rows", bytes(last))).isEqualTo(bytes(value));
    assertThat(store.get("rows", key(1))).isNull();
  }

  @Test
  void theAllowanceIsForPiecesThatDoNotOverlap() {
    assertThat(LevelZero.allowance(List.of(), "rows")).isZero();
    assertThat(LevelZero.allowance(List.of(member(0, 0, 9)), "rows")).isZero();
    assertThat(LevelZero.allowance(List.of(member(0, 0, 9), member(0, 9, 20)), "rows")).isZero();
    assertThat(LevelZero.allowance(List.of(member(0, 0, 9), member(0, 10, 20)), "rows"))
        .isEqualTo(1);
    List<RocksDirectory.Member> members =
        List.of(
            member(0, 0, 30),
            member(0, 5, 9),
            member(0, 20, 40),
            member(0, 50, 60),
            member(1, 0, 9));
    assertThat(LevelZero.allowance(members, "rows")).isEqualTo(2);
    assertThat(LevelZero.allowance(members, "timers")).isZero();
  }

  private static RocksDirectory.Member member(int level, int smallest, int largest) {
    return new RocksDirectory.Member("rows", 8, 1, level, key(smallest), key(largest), 0, 0);
  }

  /**
   * RocksDB asks files of level 0 one after another and stops at the first that has the key. Of two
   * files that each hold a newer entry of the other's key there is no right order.
   */
  @Test
  void filesWithoutAnOrderAreMerged() throws IOException {
    List<SnapshotFile> files =
        List.of(
            file("left", 0, List.of(new Row(1, 5, "left"), new Row(2, 1, "old"))),
            file("right", 0, List.of(new Row(1, 2, "old"), new Row(2, 7, "right"))),
            file("base", 6, List.of(new Row(0, 0, "base"), new Row(1, 0, "older"))));

    store.importSnapshot(reader(4, files));

    assertThat(store.version()).isEqualTo(4);
    assertThat(store.get("rows", key(0))).isEqualTo(bytes("base"));
    assertThat(store.get("rows", key(1))).isEqualTo(bytes("left"));
    assertThat(store.get("rows", key(2))).isEqualTo(bytes("right"));
    assertThat(Rows.all(store, "rows")).hasSize(3);
    assertThat(Rows.all(store, "timers")).isEmpty();
    // Other bytes, other names.
    assertThat(snapshots.take(store).ids()).hasSize(1).doesNotContain("left", "right", "base");
    put(store, "rows", "a", "b");
    store.commit(5);
    assertThat(snapshots.take(store).added()).isEqualTo(1);
  }

  /**
   * Why no file may hold keys outside its shard when shards are united: sequence numbers of
   * different shards say nothing about one another, and the database goes by them. Here a file of
   * the one half still has an old entry of key 7, which lies in the other half by now.
   */
  @Test
  void aRowOutsideItsShardWouldHideTheNewOne() throws IOException {
    SnapshotFile other = file("other half", 0, List.of(new Row(5, 3, "new"), new Row(7, 4, "new")));
    SnapshotFile clipped = file("half", 0, List.of(new Row(1, 80, "new"), new Row(2, 81, "new")));
    store.importSnapshot(FileSnapshots.reader(1, List.of(clipped, other)));
    assertThat(store.get("rows", key(7))).isEqualTo(bytes("new"));

    SnapshotFile straddling =
        file("whole", 0, List.of(new Row(1, 80, "new"), new Row(7, 81, "old")));
    store.importSnapshot(FileSnapshots.reader(2, List.of(straddling, other)));
    assertThat(store.get("rows", key(7))).isEqualTo(bytes("old"));
  }

  /** Gives files, and rows merged from them by their sequence numbers. */
  private static SnapshotReader reader(long version, List<SnapshotFile> files) {
    SnapshotReader filesOnly = FileSnapshots.reader(version, files);
    return new SnapshotReader() {
      @Override
      public long version() {
        return version;
      }

      @Override
      public StateIterator rows(String columnFamily) {
        List<EntryCursor> cursors = new ArrayList<>();
        for (SnapshotFile file : files) {
          if (file.columnFamily().equals(columnFamily)) {
            cursors.add(SstReader.open(SstSource.ofFile(file.path())).cursor());
          }
        }
        return Cursors.rows(Cursors.merge(cursors));
      }

      @Override
      public List<SnapshotFile> files(Path incoming) {
        return filesOnly.files(incoming);
      }
    };
  }
}
