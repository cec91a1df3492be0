package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Rows;
import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.checkpoint.SetDigest;
import io.reshard.checkpoint.ShardFileWriter;
import io.reshard.checkpoint.Upload;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.sst.Compression;
import io.reshard.sst.EntryType;
import io.reshard.sst.RocksDirectory;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The state that is repartitioned: a Reshard store and, of the same files, a RocksDB database for
 * each shard. Every rival starts from it and none changes it.
 *
 * <p>Directory: {@code store/} the store, {@code databases/00000/} and so on, {@code digest} the
 * digest of all rows.
 *
 * <p>A shard of a modulo layout is what a database has that was flushed twice: two files on level 0
 * whose keys overlap. A shard of a slots layout is what a writer that keeps the cut rule leaves:
 * files on one level. It has no databases, since no rival reads it.
 */
final class Source {
  static final ColumnFamily COLUMN_FAMILY = ColumnFamily.hashed("default");
  private static final int RUNS = 2;
  private static final int RUN_LEVEL = 0;
  private static final int SORTED_LEVEL = 6;
  private static final long FIRST_FILE_NUMBER = 8;

  private final Path directory;
  private final Layout layout;
  private final Compression compression;
  private final Rows rows;
  private final SetDigest digest = new SetDigest();

  private Source(Path directory, Layout layout, Compression compression, Rows rows) {
    this.directory = directory;
    this.layout = layout;
    this.compression = compression;
    this.rows = rows;
  }

  /** Where the store lies. */
  static Path store(Path directory) {
    return directory.resolve("store");
  }

  /** Where the database of a shard lies, of a source or of what a rival makes. */
  static Path database(Path directory, int shard) {
    return directory.resolve("databases").resolve(String.format("%05d", shard));
  }

  /** Digest of the rows of the source in {@code directory}. */
  static SetDigest digest(Path directory) {
    try {
      return SetDigest.parse(Files.readString(directory.resolve("digest")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a source of rows 0 to {@code count} into an empty directory. */
  static void write(
      Path directory,
      Layout layout,
      Compression compression,
      Rows rows,
      int count,
      boolean databases) {
    Directories.empty(directory);
    Source source = new Source(directory, layout, compression, rows);
    try {
      source.write(count, databases);
      Files.writeString(directory.resolve("digest"), source.digest.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(int count, boolean databases) throws IOException {
    int[][] byShard = rowsByShard(count);
    try (CheckpointStore store = CheckpointStore.create(ObjectStores.open(store(directory)))) {
      Manifest origin = store.origin(layout, List.of(COLUMN_FAMILY));
      List<List<FileHandle>> shards =
          new ArrayList<>(Collections.nCopies(layout.shards(), List.of()));
      try (Upload upload = store.upload(origin)) {
        IntStream.range(0, layout.shards())
            .parallel()
            .forEach(shard -> shards.set(shard, write(shard, byShard[shard], upload, databases)));
        upload.flush();
        store.publish(
            upload,
            origin,
            Manifest.Operation.COMMIT,
            "benchmark",
            layout,
            shards,
            Map.of("made-by", "benchmark"));
      }
    }
  }

  private int[][] rowsByShard(int count) {
    Layout.Placer placer = layout.placer();
    ByteView key = new ByteView();
    int[] shardOf = new int[count];
    int[] sizes = new int[layout.shards()];
    for (int row = 0; row < count; row++) {
      byte[] bytes = rows.key(row);
      key.set(bytes, 0, bytes.length);
      shardOf[row] = placer.shard(key);
      sizes[shardOf[row]]++;
    }
    int[][] byShard = new int[layout.shards()][];
    Arrays.setAll(byShard, shard -> new int[sizes[shard]]);
    for (int row = 0; row < count; row++) {
      byShard[shardOf[row]][--sizes[shardOf[row]]] = row;
    }
    return byShard;
  }

  /** A row and its stored key. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Stored(byte[] key, int row) {}

  private List<FileHandle> write(int shard, int[] own, Upload upload, boolean databases) {
    List<Stored> sorted = sorted(own);
    SetDigest shardDigest = new SetDigest();
    List<FileHandle> files;
    if (layout.kind() == Layout.Kind.SLOTS) {
      files = writeSorted(sorted, upload, shardDigest);
    } else {
      files = writeRuns(shard, sorted, upload, databases, shardDigest);
    }
    synchronized (digest) {
      digest.add(shardDigest);
    }
    return files;
  }

  private List<Stored> sorted(int[] own) {
    Layout.Placer placer = layout.placer();
    List<Stored> stored = new ArrayList<>(own.length);
    for (int row : own) {
      byte[] key = rows.key(row);
      stored.add(new Stored(isSlots() ? withSlot(key, placer) : key, row));
    }
    stored.sort(Comparator.comparing(Stored::key, Arrays::compareUnsigned));
    return stored;
  }

  private boolean isSlots() {
    return layout.kind() == Layout.Kind.SLOTS;
  }

  private static byte[] withSlot(byte[] key, Layout.Placer placer) {
    int slot = placer.slot(new ByteView(key));
    byte[] stored = new byte[Layout.SLOT_BYTES + key.length];
    stored[0] = (byte) (slot >>> 8);
    stored[1] = (byte) slot;
    System.arraycopy(key, 0, stored, Layout.SLOT_BYTES, key.length);
    return stored;
  }

  private List<FileHandle> writeSorted(List<Stored> sorted, Upload upload, SetDigest shardDigest) {
    try (ShardFileWriter writer =
        new ShardFileWriter(upload, layout, COLUMN_FAMILY, SORTED_LEVEL)) {
      for (Stored row : sorted) {
        ByteView key = new ByteView(row.key);
        ByteView value = new ByteView(rows.value(row.row));
        shardDigest.add(COLUMN_FAMILY.name(), key, Layout.SLOT_BYTES, value);
        writer.add(key, 1, EntryType.PUT, value);
      }
      return writer.finish();
    }
  }

  private List<FileHandle> writeRuns(
      int shard, List<Stored> sorted, Upload upload, boolean databases, SetDigest shardDigest) {
    List<FileHandle> files = new ArrayList<>();
    List<RocksDirectory.Member> members = new ArrayList<>();
    Path database = database(directory, shard);
    try {
      if (databases) {
        Files.createDirectories(database);
      }
      for (int run = 0; run < RUNS; run++) {
        List<Stored> part = run(sorted, run);
        if (part.isEmpty()) {
          continue;
        }
        Path file = upload.directory().resolve(shard + "-" + run + ".sst");
        writeFile(file, part, run + 1, shardDigest);
        if (databases) {
          long number = FIRST_FILE_NUMBER + run;
          Files.copy(file, database.resolve(RocksDirectory.fileName(number)));
          members.add(member(number, Files.size(file), part, run + 1));
        }
        files.add(upload.add(file, COLUMN_FAMILY.name(), RUN_LEVEL, 0));
      }
      if (databases) {
        RocksDirectory.write(database, List.of(COLUMN_FAMILY.name()), members);
      }
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Stored> run(List<Stored> sorted, int run) {
    return sorted.stream().filter(stored -> stored.row % RUNS == run).toList();
  }

  private static RocksDirectory.Member member(
      long number, long size, List<Stored> part, long sequence) {
    return new RocksDirectory.Member(
        COLUMN_FAMILY.name(),
        number,
        size,
        RUN_LEVEL,
        part.get(0).key,
        part.get(part.size() - 1).key,
        sequence,
        sequence);
  }

  private void writeFile(Path file, List<Stored> part, long sequence, SetDigest shardDigest)
      throws IOException {
    SstWriterOptions options =
        new SstWriterOptions(
            COLUMN_FAMILY.name(), compression, 4096, 16, 5, SstWriterOptions.Checksum.XXH3, false);
    try (OutputStream out = Files.newOutputStream(file);
        SstWriter writer = SstWriter.create(file.toString(), out, options)) {
      for (Stored row : part) {
        ByteView key = new ByteView(row.key);
        ByteView value = new ByteView(rows.value(row.row));
        shardDigest.add(COLUMN_FAMILY.name(), key, 0, value);
        writer.add(key, sequence, EntryType.PUT, value);
      }
      writer.finish();
    }
  }
}
