package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.testing.MemoryObjectStore;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.sst.EntryType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullUnmarked
class StoreVerifierTest {
  private static final ColumnFamily DEFAULT = ColumnFamily.hashed("default");
  private static final ColumnFamily TIMERS = ColumnFamily.ordered("timers");

  @TempDir Path directory;
  private MemoryObjectStore memory;
  private CheckpointStore store;

  @BeforeEach
  void create() {
    memory = new MemoryObjectStore(directory, new ManualClock());
    store = CheckpointStore.create(memory);
  }

  /** One entry to write: a stored key as it is. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Entry(int shard, byte[] key, long sequence, EntryType type, String value) {}

  private Manifest publish(Layout layout, ColumnFamily columnFamily, int level, Entry... entries) {
    Manifest parent = store.origin(layout, List.of(DEFAULT, TIMERS));
    try (Upload upload = store.upload(parent)) {
      List<List<FileHandle>> shards = new ArrayList<>();
      for (int shard = 0; shard < layout.shards(); shard++) {
        try (ShardFileWriter writer = new ShardFileWriter(upload, layout, columnFamily, level)) {
          for (Entry entry : entries) {
            if (entry.shard == shard) {
              writer.add(
                  new ByteView(entry.key),
                  entry.sequence,
                  entry.type,
                  new ByteView(bytes(entry.value)));
            }
          }
          shards.add(writer.finish());
        }
      }
      return store.publish(
          upload, parent, Manifest.Operation.COMMIT, "test", layout, shards, Map.of());
    }
  }

  @Test
  void rowsAreWhatEntriesMean() {
    Layout layout = Layout.slots(1);
    byte[] a = Rows.stored(layout, DEFAULT, bytes("a"));
    byte[] b = Rows.stored(layout, DEFAULT, bytes("b"));
    boolean aFirst = java.util.Arrays.compareUnsigned(a, b) < 0;
    byte[] first = aFirst ? a : b;
    byte[] second = aFirst ? b : a;
    Manifest manifest =
        publish(
            layout,
            DEFAULT,
            0,
            new Entry(0, first, 9, EntryType.PUT, "new"),
            new Entry(0, first, 3, EntryType.PUT, "old"),
            new Entry(0, second, 8, EntryType.DELETE, ""),
            new Entry(0, second, 2, EntryType.PUT, "gone"));
    List<StoreVerifier.Shard> told = new ArrayList<>();
    StoreVerifier.Report report = StoreVerifier.verify(store, manifest, 3, told::add);
    assertThat(report.version()).isEqualTo(1);
    assertThat(report.shards()).isEqualTo(told);
    assertThat(told.get(0).entries().count()).isEqualTo(4);
    assertThat(told.get(0).files()).isEqualTo(1);
    assertThat(told.get(0).bytes()).isEqualTo(manifest.bytes());
    SetDigest expected = new SetDigest();
    expected.add("default", new ByteView(first), 2, new ByteView(bytes("new")));
    assertThat(report.rows()).isEqualTo(expected);
    assertThat(manifest.shards().get(0).deletions()).isEqualTo(1);
  }

  @Test
  void aKeyUnderAnotherSlotIsFound() {
    Layout layout = Layout.slots(1);
    byte[] key = Rows.stored(layout, DEFAULT, bytes("a"));
    key[1] ^= 1;
    Manifest manifest = publish(layout, DEFAULT, 6, new Entry(0, key, 0, EntryType.PUT, "v"));
    assertCorrupt(manifest, "its slot is");
  }

  @Test
  void anOrderedKeyInTheWrongShardIsFound() {
    Layout layout = Layout.slots(2);
    int right = layout.placer().shard(new ByteView(bytes("a")));
    Manifest manifest =
        publish(layout, TIMERS, 6, new Entry(1 - right, bytes("a"), 0, EntryType.PUT, "v"));
    assertCorrupt(manifest, "belongs to shard " + right);
  }

  @Test
  void aModuloKeyInTheWrongShardIsFound() {
    Layout layout = Layout.modulo(2);
    int right = layout.placer().shard(new ByteView(bytes("a")));
    Manifest manifest =
        publish(layout, DEFAULT, 6, new Entry(1 - right, bytes("a"), 0, EntryType.DELETE, ""));
    assertCorrupt(manifest, "belongs to shard " + right);
  }

  @Test
  void everyFlippedBitOfAFileIsFound() {
    Layout layout = Layout.slots(1);
    byte[] key = Rows.stored(layout, DEFAULT, bytes("a"));
    Manifest manifest = publish(layout, DEFAULT, 6, new Entry(0, key, 0, EntryType.PUT, "v"));
    FileRef file = store.files(manifest, 0).get(0);
    for (int at = 0; at < file.length(); at++) {
      memory.damage(file.object(), at, 1 << (at % 8));
      // Opened anew: what was read before may be cached.
      CheckpointStore reader = CheckpointStore.open(memory.client());
      assertThatThrownBy(() -> StoreVerifier.verify(reader, manifest, 1, shard -> {}))
          .isInstanceOfSatisfying(
              StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT))
          .hasMessageContaining(file.object());
      memory.damage(file.object(), at, 1 << (at % 8));
    }
    StoreVerifier.verify(store, manifest, 1, shard -> {});
  }

  private void assertCorrupt(Manifest manifest, String message) {
    assertThatThrownBy(() -> StoreVerifier.verify(store, manifest, 2, shard -> {}))
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT))
        .hasMessageContaining(message);
  }
}
