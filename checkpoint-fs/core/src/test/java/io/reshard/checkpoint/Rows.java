package io.reshard.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKeyExtractor;
import io.reshard.spi.StateIterator;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Makes versions out of rows, and reads them back, without a backend. */
final class Rows {
  private Rows() {}

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  /** The stored key of a key. */
  static byte[] stored(Layout layout, ColumnFamily columnFamily, byte[] key) {
    if (layout.keyPrefix(columnFamily) == 0) {
      return key;
    }
    int slot = layout.placer().slot(partitionKey(columnFamily, key));
    byte[] stored = new byte[key.length + 2];
    stored[0] = (byte) (slot >>> 8);
    stored[1] = (byte) slot;
    System.arraycopy(key, 0, stored, 2, key.length);
    return stored;
  }

  private static ByteView partitionKey(ColumnFamily columnFamily, byte[] key) {
    PartitionKeyExtractor extractor = PartitionKeys.extractor(columnFamily.partitionKey());
    ByteView partitionKey = new ByteView();
    extractor.extract(new ByteView(key), partitionKey);
    return partitionKey;
  }

  /** Writes rows {@code prefix0 … prefix(n-1)} of one column family into files of every shard. */
  static List<List<FileHandle>> write(
      Upload upload, Layout layout, ColumnFamily columnFamily, String prefix, int n, String value) {
    List<NavigableMap<byte[], byte[]>> shards = new ArrayList<>();
    for (int s = 0; s < layout.shards(); s++) {
      shards.add(new TreeMap<>(Arrays::compareUnsigned));
    }
    for (int i = 0; i < n; i++) {
      byte[] key = bytes(prefix + i);
      int shard = layout.placer().shard(partitionKey(columnFamily, key));
      shards.get(shard).put(stored(layout, columnFamily, key), bytes(value + i));
    }
    List<List<FileHandle>> handles = new ArrayList<>();
    for (NavigableMap<byte[], byte[]> rows : shards) {
      try (ShardFileWriter writer = new ShardFileWriter(upload, layout, columnFamily, 6)) {
        rows.forEach(
            (key, row) -> writer.add(new ByteView(key), 0, EntryType.PUT, new ByteView(row)));
        handles.add(writer.finish());
      }
    }
    return handles;
  }

  /** All rows of a column family, keys without slot, as text. */
  static NavigableMap<String, String> read(
      CheckpointStore store, Manifest manifest, String columnFamily) {
    NavigableMap<String, String> rows = new TreeMap<>();
    int prefix = manifest.keyPrefix(manifest.columnFamily(columnFamily));
    for (int shard = 0; shard < manifest.shards().size(); shard++) {
      try (StateIterator iterator =
          Cursors.rows(store.entries(store.files(manifest, shard), columnFamily))) {
        while (iterator.next()) {
          byte[] key = iterator.key().toByteArray();
          rows.put(
              new String(key, prefix, key.length - prefix, UTF_8),
              new String(iterator.value().toByteArray(), UTF_8));
        }
      }
    }
    return rows;
  }

  /** Publishes rows as the next version of the newest. */
  static Manifest publish(
      CheckpointStore store, Layout layout, String prefix, int n, String value) {
    ColumnFamily columnFamily = ColumnFamily.hashed("default");
    long newest = store.latestVersion();
    Manifest parent =
        newest == 0 ? store.origin(layout, List.of(columnFamily)) : store.manifest(newest);
    try (Upload upload = store.upload(parent)) {
      return store.publish(
          upload,
          parent,
          Manifest.Operation.COMMIT,
          "test",
          layout,
          write(upload, layout, columnFamily, prefix, n, value),
          java.util.Map.of());
    }
  }

  /** What {@link #publish} makes. */
  static NavigableMap<String, String> expected(String prefix, int n, String value) {
    NavigableMap<String, String> rows = new TreeMap<>();
    for (int i = 0; i < n; i++) {
      rows.put(prefix + i, value + i);
    }
    return rows;
  }
}
