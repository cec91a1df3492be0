package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.PartitionKeys;
import io.reshard.checkpoint.ShardFileWriter;
import io.reshard.checkpoint.StoreVerifier;
import io.reshard.checkpoint.Upload;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.StateIterator;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;

/**
 * A store whose shards are what a busy database leaves: files on several levels, with overwritten
 * and deleted rows; and a model of the rows it means.
 */
final class TestStore {
  /** Every way to place a row, under either placement. */
  static final List<ColumnFamily> COLUMN_FAMILIES =
      List.of(
          ColumnFamily.hashed("whole"),
          ColumnFamily.hashed("first").withPartitionKey(PartitionKey.first(4)),
          ColumnFamily.hashed("named").withPartitionKey(PartitionKey.named("middle-part")),
          ColumnFamily.ordered("skip").withPartitionKey(PartitionKey.skip(2)),
          ColumnFamily.ordered("prefixed").withPartitionKey(PartitionKey.lengthPrefixed()),
          ColumnFamily.hashed("empty"));

  /** Levels a shard's files lie on, oldest first. */
  private static final int[] LEVELS = {6, 5, 0, 0};

  private final List<ColumnFamily> columnFamilies;
  private final Random random;
  private final Map<String, List<Entry>> entries = new TreeMap<>();
  private final Map<String, TreeMap<ByteView, byte[]>> model = new TreeMap<>();
  private long sequence;

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Entry(byte[] key, long sequence, EntryType type, byte[] value) {}

  TestStore(List<ColumnFamily> columnFamilies, Random random) {
    this.columnFamilies = columnFamilies;
    this.random = random;
    for (ColumnFamily columnFamily : columnFamilies) {
      entries.put(columnFamily.name(), new ArrayList<>());
      model.put(columnFamily.name(), new TreeMap<>());
    }
  }

  /** A store with every kind of column family and about {@code rows} rows in each. */
  static TestStore random(Random random, int rows) {
    TestStore store = new TestStore(COLUMN_FAMILIES, random);
    for (ColumnFamily columnFamily : COLUMN_FAMILIES) {
      if (!columnFamily.name().equals("empty")) {
        store.write(columnFamily.name(), rows);
      }
    }
    return store;
  }

  /** Puts rows, overwrites a third of them and deletes a tenth. */
  TestStore write(String columnFamily, int rows) {
    for (int i = 0; i < rows; i++) {
      put(columnFamily, key(random.nextInt(rows * 2)), value());
      if (random.nextInt(3) == 0) {
        put(columnFamily, key(random.nextInt(rows * 2)), value());
      }
      if (random.nextInt(10) == 0) {
        delete(columnFamily, key(random.nextInt(rows * 2)));
      }
    }
    return this;
  }

  /** A length of 3, three bytes of which a few keys share the values, and the rest. */
  static byte[] key(int number) {
    return new byte[] {
      0,
      3,
      (byte) (number % 7),
      (byte) (number % 11),
      (byte) (number % 13),
      (byte) (number >>> 16),
      (byte) (number >>> 8),
      (byte) number
    };
  }

  private byte[] value() {
    int length =
        switch (random.nextInt(200)) {
          case 0 -> 200_000;
          case 1, 2, 3 -> 0;
          default -> random.nextInt(60);
        };
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }

  TestStore put(String columnFamily, byte[] key, byte[] value) {
    add(columnFamily, key, EntryType.PUT, value);
    rows(columnFamily).put(new ByteView(key), value);
    return this;
  }

  TestStore delete(String columnFamily, byte[] key) {
    add(columnFamily, key, EntryType.DELETE, new byte[0]);
    rows(columnFamily).remove(new ByteView(key));
    return this;
  }

  private void add(String columnFamily, byte[] key, EntryType type, byte[] value) {
    sequence++;
    entries(columnFamily).add(new Entry(key, sequence, type, value));
  }

  private Map<ByteView, byte[]> rows(String columnFamily) {
    return Objects.requireNonNull(model.get(columnFamily));
  }

  private List<Entry> entries(String columnFamily) {
    return Objects.requireNonNull(entries.get(columnFamily));
  }

  /** Number of rows of all column families. */
  long rows() {
    return model.values().stream().mapToLong(Map::size).sum();
  }

  /** Publishes it all as the first version. */
  Manifest publish(CheckpointStore store, Layout layout) {
    Manifest origin = store.origin(layout, columnFamilies);
    List<List<FileHandle>> shards = new ArrayList<>();
    for (int shard = 0; shard < layout.shards(); shard++) {
      shards.add(new ArrayList<>());
    }
    try (Upload upload = store.upload(origin)) {
      for (ColumnFamily columnFamily : columnFamilies) {
        writeFiles(upload, layout, columnFamily, shards);
      }
      upload.flush();
      return store.publish(
          upload,
          origin,
          Manifest.Operation.COMMIT,
          "memory",
          layout,
          shards,
          Map.of("made-by", "test"));
    }
  }

  private void writeFiles(
      Upload upload, Layout layout, ColumnFamily columnFamily, List<List<FileHandle>> shards) {
    Map<Integer, List<Entry>> byShard = new TreeMap<>();
    for (Entry entry : entries(columnFamily.name())) {
      byShard
          .computeIfAbsent(shardOf(layout, columnFamily, entry.key), s -> new ArrayList<>())
          .add(stored(layout, columnFamily, entry));
    }
    byShard.forEach(
        (shard, all) -> {
          for (int i = 0; i < LEVELS.length; i++) {
            List<Entry> some =
                new ArrayList<>(
                    all.subList(
                        i * all.size() / LEVELS.length, (i + 1) * all.size() / LEVELS.length));
            some.sort(
                Comparator.comparing(Entry::key, Arrays::compareUnsigned)
                    .thenComparing(Entry::sequence, Comparator.reverseOrder()));
            try (ShardFileWriter writer =
                new ShardFileWriter(upload, layout, columnFamily, LEVELS[i])) {
              for (Entry entry : some) {
                writer.add(
                    new ByteView(entry.key), entry.sequence, entry.type, new ByteView(entry.value));
              }
              shards.get(shard).addAll(writer.finish());
            }
          }
        });
  }

  private static Entry stored(Layout layout, ColumnFamily columnFamily, Entry entry) {
    byte[] key = storedKey(layout, columnFamily, entry.key);
    return new Entry(key, entry.sequence, entry.type, entry.value);
  }

  /** A key as it lies in files. */
  static byte[] storedKey(Layout layout, ColumnFamily columnFamily, byte[] key) {
    if (layout.kind() == Layout.Kind.MODULO
        || columnFamily.placement() == io.reshard.spi.Placement.ORDERED) {
      return key;
    }
    int slot = hash(layout, columnFamily, key);
    byte[] stored = new byte[key.length + 2];
    stored[0] = (byte) (slot >>> 8);
    stored[1] = (byte) slot;
    System.arraycopy(key, 0, stored, 2, key.length);
    return stored;
  }

  private static int hash(Layout layout, ColumnFamily columnFamily, byte[] key) {
    ByteView partitionKey = new ByteView();
    PartitionKeys.extractor(columnFamily.partitionKey()).extract(new ByteView(key), partitionKey);
    return layout.placer().hash(partitionKey);
  }

  static int shardOf(Layout layout, ColumnFamily columnFamily, byte[] key) {
    return layout.shardOfHash(hash(layout, columnFamily, key));
  }

  /** Compares every row, and where it lies, with the model; and verifies the version. */
  void check(CheckpointStore store, Manifest manifest, String description) {
    Map<String, Long> seen = new TreeMap<>();
    for (int shard = 0; shard < manifest.layout().shards(); shard++) {
      Map<String, List<FileRef>> files = new TreeMap<>();
      for (FileRef file : store.files(manifest, shard)) {
        files.computeIfAbsent(file.columnFamily(), name -> new ArrayList<>()).add(file);
      }
      for (Map.Entry<String, List<FileRef>> found : files.entrySet()) {
        checkShard(store, manifest, shard, found.getKey(), found.getValue(), seen, description);
      }
    }
    model.forEach(
        (name, rows) ->
            assertThat(seen.getOrDefault(name, 0L))
                .as("rows of %s, %s", name, description)
                .isEqualTo(rows.size()));
    StoreVerifier.Report report = StoreVerifier.verify(store, manifest, 2, shard -> {});
    assertThat(report.rows().count()).as(description).isEqualTo(rows());
  }

  private void checkShard(
      CheckpointStore store,
      Manifest manifest,
      int shard,
      String name,
      List<FileRef> files,
      Map<String, Long> seen,
      String description) {
    ColumnFamily columnFamily = manifest.columnFamily(name);
    int prefix = manifest.keyPrefix(columnFamily);
    try (StateIterator rows = Cursors.rows(store.entries(files, name))) {
      while (rows.next()) {
        byte[] stored = rows.key().toByteArray();
        byte[] key = Arrays.copyOfRange(stored, prefix, stored.length);
        byte[] expected = rows(name).get(new ByteView(key));
        assertThat(rows.value().toByteArray())
            .as("value of %s in %s, %s", new ByteView(key), name, description)
            .isEqualTo(expected);
        assertThat(shardOf(manifest.layout(), columnFamily, key))
            .as("shard of %s in %s, %s", new ByteView(key), name, description)
            .isEqualTo(shard);
        seen.merge(name, 1L, Long::sum);
      }
    }
  }
}
