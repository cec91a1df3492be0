package io.reshard.benchmarks;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.SetDigest;
import io.reshard.checkpoint.Upload;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The first version of a store too large to be there.
 *
 * <p>Each shard looks as a RocksDB shard does whose files were cut by the rule of {@code CutRule}:
 * most files on level 6, one behind another, ended at the boundaries of 2N, 4N and 8N shards where
 * there are enough of them; above, on level 0, one or two flushes over the whole shard, cut at the
 * same boundaries. They are all faked, but for those that lie across a boundary of the layout the
 * store is to be repartitioned to: these are real files with a row in every slot they reach, since
 * they will be read and cut.
 */
final class FakedVersion {
  private static final String FAMILY = ColumnFamily.DEFAULT_NAME;
  private static final long ENTRIES = 600_000;
  private static final byte[] VALUE = new byte[100];

  /** Null while files are only counted. */
  private final @Nullable FakedFiles objects;

  private final int files;
  private final Layout source;
  private final Layout target;
  private final byte[][] keys;
  private int faked;

  /**
   * How many files are faked for a version, some more or less than {@code files}: each shard has
   * one at least.
   */
  static int filesToFake(int files, Layout source, Layout target) {
    FakedVersion counted = new FakedVersion(null, files, source, target, new byte[0][]);
    for (int shard = 0; shard < source.shards(); shard++) {
      counted.shard(null, shard);
    }
    return counted.faked;
  }

  /**
   * @param files about how many files it is to have
   * @param target the layout it is going to be repartitioned to
   */
  FakedVersion(FakedFiles objects, int files, Layout source, Layout target) {
    this(objects, files, source, target, keys());
  }

  private FakedVersion(
      @Nullable FakedFiles objects, int files, Layout source, Layout target, byte[][] keys) {
    this.keys = keys;
    this.objects = objects;
    this.files = files;
    this.source = source;
    this.target = target;
  }

  /** A key that hashes to each slot. */
  private static byte[][] keys() {
    byte[][] keys = new byte[Layout.SLOTS][];
    Layout.Placer placer = Layout.slots(1).placer();
    Random random = new Random(42);
    for (int missing = Layout.SLOTS; missing > 0; ) {
      byte[] key = new byte[16];
      random.nextBytes(key);
      int slot = placer.slot(new ByteView(key));
      if (keys[slot] == null) {
        keys[slot] = stored(slot, key);
        missing--;
      }
    }
    return keys;
  }

  private static byte[] stored(int slot, byte[] key) {
    return ByteBuffer.allocate(2 + key.length).putShort((short) slot).put(key).array();
  }

  /** Publishes it; the store has no version yet. */
  Manifest publish(CheckpointStore store) {
    Manifest origin = store.origin(source, List.of(ColumnFamily.hashed(FAMILY)));
    try (Upload upload = store.upload(origin)) {
      List<List<FileHandle>> shards = new ArrayList<>();
      for (int shard = 0; shard < source.shards(); shard++) {
        List<FileHandle> handles = new ArrayList<>();
        for (FileHandle handle : shard(upload, shard)) {
          handles.add(Objects.requireNonNull(handle));
        }
        shards.add(handles);
      }
      upload.flush();
      return store.publish(
          upload, origin, Manifest.Operation.COMMIT, "rocksdb", source, shards, Map.of());
    }
  }

  private List<@Nullable FileHandle> shard(@Nullable Upload upload, int shard) {
    List<@Nullable FileHandle> handles = new ArrayList<>();
    int wanted =
        (int)
            ((long) files * (shard + 1) / source.shards() - (long) files * shard / source.shards());
    int parts = wanted >= 16 ? 8 : wanted >= 8 ? 4 : wanted >= 4 ? 2 : 1;
    int flushes = wanted >= 64 ? 2 : wanted >= 16 ? 1 : 0;
    List<Integer> bounds = bounds(shard, parts);
    int segments = bounds.size() - 1;
    int deep = Math.max(segments, wanted - flushes * segments);
    for (int i = 0; i < segments; i++) {
      int first = bounds.get(i);
      int end = bounds.get(i + 1);
      NavigableSet<Integer> across = across(first, end);
      for (int flush = 0; flush < flushes; flush++) {
        long sequence = 1000L * (flush + 1);
        handles.add(
            across.isEmpty()
                ? fake(0, (long) first << 32, (long) end << 32, sequence)
                : write(upload, 0, across, sequence));
      }
      deepest(upload, first, end, across, share(deep, i, segments), handles);
    }
    return handles;
  }

  private static int share(int all, int i, int parts) {
    return (int) ((long) all * (i + 1) / parts - (long) all * i / parts);
  }

  /** Where the files of a shard end: slots, ascending. */
  private List<Integer> bounds(int shard, int parts) {
    TreeSet<Integer> bounds = new TreeSet<>();
    long shards = (long) source.shards() * parts;
    for (long i = (long) shard * parts; i <= (long) (shard + 1) * parts; i++) {
      bounds.add((int) ((i * Layout.SLOTS + shards - 1) / shards));
    }
    return List.copyOf(bounds);
  }

  /** The slots on either side of each boundary of the target within a segment. */
  private NavigableSet<Integer> across(int first, int end) {
    TreeSet<Integer> across = new TreeSet<>();
    for (int shard = target.shardOfSlot(first) + 1; shard < target.shards(); shard++) {
      int cut = target.firstSlot(shard);
      if (cut >= end) {
        break;
      }
      if (cut > first) {
        across.add(cut - 1);
        across.add(cut);
      }
    }
    return across;
  }

  /**
   * Level 6 of a segment: a real file over each run of slots in {@code across}, else faked ones.
   */
  private void deepest(
      @Nullable Upload upload,
      int first,
      int end,
      NavigableSet<Integer> across,
      int wanted,
      List<@Nullable FileHandle> handles) {
    int free = end - first - across.size();
    int at = first;
    while (at < end) {
      TreeSet<Integer> run = new TreeSet<>();
      while (across.contains(at)) {
        run.add(at++);
      }
      if (!run.isEmpty()) {
        handles.add(write(upload, 6, run, 0));
        continue;
      }
      Integer next = across.ceiling(at);
      int until = next == null ? end : next;
      int count = Math.max(1, (int) ((long) wanted * (until - at) / free));
      for (int i = 0; i < count; i++) {
        long from = ((long) at << 32) + (((long) (until - at)) << 32) / count * i;
        long to =
            i == count - 1
                ? (long) until << 32
                : ((long) at << 32) + (((long) (until - at)) << 32) / count * (i + 1);
        handles.add(fake(6, from, to, 0));
      }
      at = until;
    }
  }

  /** A faked file over part of the line; positions are slots with 32 bits behind the point. */
  private @Nullable FileHandle fake(int level, long from, long to, long sequence) {
    int number = faked++;
    if (objects == null) {
      return null;
    }
    String sha256 = objects.sha256(number);
    return FileHandle.existing(
        new FileRef(
            FAMILY,
            objects.name(number),
            0,
            FakedFiles.FILE_BYTES,
            sha256,
            level,
            key(from),
            key(to - 1),
            sequence,
            level == 6 ? sequence : sequence + 999,
            0,
            SetDigest.of(ENTRIES, FakedFiles.mix(number), FakedFiles.mix(-number))));
  }

  private static byte[] key(long position) {
    return ByteBuffer.allocate(18)
        .putShort((short) (position >>> 32))
        .putInt((int) position)
        .putLong(FakedFiles.mix(position))
        .array();
  }

  private @Nullable FileHandle write(
      @Nullable Upload upload, int level, NavigableSet<Integer> slots, long sequence) {
    if (upload == null) {
      return null;
    }
    Path file = upload.directory().resolve("faked-" + System.nanoTime() + ".sst");
    try (OutputStream out = Files.newOutputStream(file);
        SstWriter writer =
            SstWriter.create(file.toString(), out, SstWriterOptions.defaults(FAMILY))) {
      for (int slot : slots) {
        writer.add(new ByteView(keys[slot]), sequence, EntryType.PUT, new ByteView(VALUE));
      }
      writer.finish();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return upload.add(file, FAMILY, level, Layout.SLOT_BYTES);
  }
}
