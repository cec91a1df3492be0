package io.reshard.repartition;

import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.SetDigest;
import io.reshard.checkpoint.ShardRef;
import io.reshard.spi.ColumnFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A version that is metadata alone, for plans. */
final class FakeVersion {
  private final Layout layout;
  private final List<ColumnFamily> columnFamilies;
  private final List<List<FileRef>> shards = new ArrayList<>();
  private int files;

  FakeVersion(Layout layout, ColumnFamily... columnFamilies) {
    this.layout = layout;
    this.columnFamilies = List.of(columnFamilies);
    for (int i = 0; i < layout.shards(); i++) {
      shards.add(new ArrayList<>());
    }
  }

  /** A file of a HASHED column family in a slots layout. */
  FakeVersion slotFile(int shard, String columnFamily, int firstSlot, int lastSlot, long bytes) {
    return file(shard, columnFamily, slotKey(firstSlot), slotKey(lastSlot), bytes);
  }

  FakeVersion file(int shard, String columnFamily, long bytes) {
    return file(shard, columnFamily, new byte[] {'a'}, new byte[] {'z'}, bytes);
  }

  private FakeVersion file(
      int shard, String columnFamily, byte[] smallest, byte[] largest, long bytes) {
    files++;
    shards
        .get(shard)
        .add(
            new FileRef(
                columnFamily,
                "files/object-" + files,
                0,
                bytes,
                String.format("%064x", files),
                6,
                smallest,
                largest,
                0,
                0,
                0,
                SetDigest.of(Math.max(1, bytes / 80), files, files)));
    return this;
  }

  private static byte[] slotKey(int slot) {
    return new byte[] {(byte) (slot >>> 8), (byte) slot, 'k'};
  }

  Manifest manifest() {
    List<ShardRef> refs = new ArrayList<>();
    for (List<FileRef> list : shards) {
      SetDigest digest = new SetDigest();
      list.forEach(file -> digest.add(file.digest()));
      long bytes = list.stream().mapToLong(FileRef::length).sum();
      refs.add(
          list.isEmpty()
              ? new ShardRef("", 0, 0, "", 0, 0, 0, digest)
              : new ShardRef("shards/list", 0, 1, "0".repeat(64), list.size(), bytes, 0, digest));
    }
    return new Manifest(
        "00000000-0000-0000-0000-000000000001",
        7,
        6,
        "writer",
        1,
        Manifest.Operation.COMMIT,
        "memory",
        layout,
        columnFamilies,
        refs,
        Map.of());
  }

  RepartitionPlan plan(int targetShards) {
    return Planner.plan(manifest(), () -> shards, targetShards);
  }

  List<FileRef> allFiles() {
    return shards.stream().flatMap(List::stream).toList();
  }
}
