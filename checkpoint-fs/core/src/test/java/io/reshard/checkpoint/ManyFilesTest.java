package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.testing.FaultyObjectStore;
import io.reshard.checkpoint.testing.MemoryObjectStore;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions of tens of thousands of files, which exist by name alone. */
class ManyFilesTest {
  private static final int SHARDS = 100;
  private static final int FILES = 400;
  private static final Layout LAYOUT = Layout.slots(SHARDS);
  private static final ColumnFamily DEFAULT = ColumnFamily.hashed("default");

  @TempDir Path directory;
  private FaultyObjectStore objects;
  private CheckpointStore store;
  private final AtomicInteger reads = new AtomicInteger();
  private final List<List<FileHandle>> files = new ArrayList<>();

  @BeforeEach
  void makeFiles() {
    objects = new FaultyObjectStore(new MemoryObjectStore(directory, new ManualClock()), 1);
    store = CheckpointStore.create(objects);
    Random random = new Random(2);
    for (int shard = 0; shard < SHARDS; shard++) {
      List<FileHandle> of = new ArrayList<>();
      for (int i = 0; i < FILES; i++) {
        of.add(file(random, shard, i));
      }
      Collections.shuffle(of, random);
      files.add(of);
    }
  }

  /** Of the i-th part of the shard's slots. */
  private FileRef file(Random random, int shard, int i) {
    StringBuilder sha256 = new StringBuilder();
    for (int j = 0; j < 4; j++) {
      sha256.append(String.format("%016x", random.nextLong()));
    }
    int slot = LAYOUT.firstSlot(shard) + i;
    byte[] key = {(byte) (slot >>> 8), (byte) slot, 'k', 'e', 'y'};
    return new FileRef(
        "default",
        StoreNames.file(sha256.toString(), ""),
        0,
        64 << 20,
        sha256.toString(),
        6,
        key,
        key,
        0,
        0,
        0,
        SetDigest.of(1000, random.nextLong(), random.nextLong()));
  }

  private Manifest publish(Manifest parent) {
    for (List<FileHandle> shard : files) {
      for (FileHandle file : shard) {
        objects.putIfAbsent(file.ref().object(), new byte[0]);
      }
    }
    try (Upload upload = store.upload(parent)) {
      return store.publish(
          upload, parent, Manifest.Operation.COMMIT, "test", LAYOUT, files, Map.of());
    }
  }

  private void countReads() {
    objects.before(
        FaultyObjectStore.Operation.READ,
        StoreNames.SHARDS,
        () -> {
          reads.incrementAndGet();
          countReads();
        });
  }

  @Test
  void listsLieInSeveralObjectsAndAreReadByFewRequests() {
    Manifest manifest = publish(store.origin(LAYOUT, List.of(DEFAULT)));
    List<ObjectInfo> lists = objects.list(StoreNames.SHARDS, "", 100);
    assertThat(lists).hasSize(2);
    long bytes = lists.stream().mapToLong(ObjectInfo::size).sum();
    assertThat(bytes).isBetween(300L * SHARDS * FILES, 480L * SHARDS * FILES);

    CheckpointStore other = CheckpointStore.open(objects);
    Manifest read = other.manifest(1);
    assertThat(read).isEqualTo(manifest);
    countReads();
    List<List<FileRef>> all = other.files(read);
    // Two objects opened, 8 MiB read at once.
    assertThat(reads.get()).isBetween(4, 6);
    assertThat(all).hasSize(SHARDS);
    for (int shard = 0; shard < SHARDS; shard++) {
      List<FileRef> expected = new ArrayList<>();
      files.get(shard).forEach(file -> expected.add(file.ref()));
      expected.sort(FileRef.LIST_ORDER);
      assertThat(all.get(shard)).isEqualTo(expected);
      // While they are held, nobody reads them again, in whatever way.
      assertThat(other.files(read, shard)).isSameAs(all.get(shard));
    }
    int once = reads.get();
    other.files(read);
    assertThat(reads.get()).isEqualTo(once);
  }

  @Test
  void aDamagedListIsNamed() {
    Manifest manifest = publish(store.origin(LAYOUT, List.of(DEFAULT)));
    ShardRef ref = manifest.shards().get(77);
    ShardRef wrong =
        new ShardRef(
            ref.object(),
            ref.offset(),
            ref.length(),
            ref.sha256(),
            ref.files(),
            ref.bytes() - 1,
            ref.deletions(),
            ref.digest());
    List<ShardRef> refs = new ArrayList<>(manifest.shards());
    refs.set(77, wrong);
    Manifest damaged =
        new Manifest(
            manifest.storeId(),
            1,
            0,
            "writer",
            0,
            Manifest.Operation.COMMIT,
            "test",
            LAYOUT,
            manifest.columnFamilies(),
            refs,
            Map.of());
    CheckpointStore other = CheckpointStore.open(objects);
    assertThatThrownBy(() -> other.files(damaged))
        .isInstanceOf(StateStoreException.class)
        .hasMessageContaining(
            "adds up to bytes " + ref.bytes() + ", the manifest says " + (ref.bytes() - 1) + ";")
        .hasMessageNotContaining("digest");
  }

  @Test
  void onlyListsThatChangedAreWritten() {
    Manifest first = publish(store.origin(LAYOUT, List.of(DEFAULT)));
    files.set(5, List.of(files.get(5).get(0)));
    Manifest second = publish(first);
    assertThat(objects.list(StoreNames.SHARDS, "", 100)).hasSize(3);
    for (int shard = 0; shard < SHARDS; shard++) {
      assertThat(second.shards().get(shard).equals(first.shards().get(shard)))
          .isEqualTo(shard != 5);
    }
    // A writer that knows nothing finds the same.
    CheckpointStore other = CheckpointStore.open(objects);
    Manifest known = other.manifest(2);
    try (Upload upload = other.upload(known)) {
      Manifest third =
          other.publish(upload, known, Manifest.Operation.COMMIT, "test", LAYOUT, files, Map.of());
      assertThat(third.shards()).isEqualTo(second.shards());
    }
    assertThat(objects.list(StoreNames.SHARDS, "", 100)).hasSize(3);
  }
}
