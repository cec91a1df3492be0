package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ShardSnapshots;
import io.reshard.checkpoint.Upload;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Compression;
import io.reshard.sst.EntryType;
import io.reshard.sst.RocksDirectory;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompactionOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;
import org.rocksdb.WriteOptions;

/**
 * A shard in a plain RocksDB database, without the backend: its files are small and many, lie on
 * whatever levels chance has it, and hold several versions of a key where a snapshot wanted them.
 */
final class RocksShard implements AutoCloseable {
  static {
    RocksDB.loadLibrary();
  }

  private final Random random;
  private final Path directory;
  private final DBOptions options = new DBOptions();
  private final ColumnFamilyOptions familyOptions = new ColumnFamilyOptions();
  private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
  private final FlushOptions flush = new FlushOptions().setWaitForFlush(true);
  private final List<ColumnFamilyHandle> handles = new ArrayList<>();
  private final Map<String, ColumnFamilyHandle> families = new HashMap<>();
  private final List<Snapshot> snapshots = new ArrayList<>();
  private final RocksDB db;
  private boolean ingested;
  private int externals;

  /** Opens what lies in {@code directory}, or makes it there. */
  RocksShard(Random random, Path directory, List<ColumnFamily> columnFamilies)
      throws RocksDBException {
    this.random = random;
    this.directory = directory;
    options
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        .setAvoidFlushDuringShutdown(true)
        .setMaxFileOpeningThreads(1);
    familyOptions
        .setDisableAutoCompactions(true)
        .setTargetFileSizeBase(400 + random.nextInt(4000))
        .setTableFormatConfig(new BlockBasedTableConfig().setBlockSize(256));
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    for (String name : names(columnFamilies)) {
      descriptors.add(
          new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.US_ASCII), familyOptions));
    }
    this.db = RocksDB.open(options, directory.toString(), descriptors, handles);
    for (int i = 0; i < columnFamilies.size(); i++) {
      families.put(columnFamilies.get(i).name(), handles.get(i + 1));
    }
  }

  private static List<String> names(List<ColumnFamily> columnFamilies) {
    List<String> names = new ArrayList<>(List.of("default"));
    columnFamilies.forEach(family -> names.add(family.name()));
    return names;
  }

  /** Which levels files get in a database. */
  enum LevelsOf {
    /** Those of the file list. */
    MANIFEST,
    /** Those that an import chooses. */
    IMPORT
  }

  /** A database of a shard's files. */
  static RocksShard of(
      CheckpointStore store,
      Manifest manifest,
      int shard,
      LevelsOf levels,
      Path directory,
      Random random)
      throws IOException, RocksDBException {
    Path incoming = Files.createDirectories(directory.resolve("incoming"));
    List<FileRef> files = store.files(manifest, shard);
    Map<String, Integer> listed = new HashMap<>();
    files.forEach(file -> listed.put(file.sha256() + ":" + file.columnFamily(), file.level()));
    List<RocksDirectory.Member> members = new ArrayList<>();
    restore(
        store,
        manifest,
        shard,
        files,
        reader -> {
          long number = 8;
          for (SnapshotFile file : reader.files(incoming)) {
            Path path = directory.resolve(RocksDirectory.fileName(number));
            try {
              Files.move(file.path(), path);
            } catch (IOException e) {
              throw StateStoreException.unavailable("moving " + file.path(), e);
            }
            int level =
                levels == LevelsOf.IMPORT
                    ? file.level()
                    : Objects.requireNonNull(listed.get(file.id()));
            members.add(
                new RocksDirectory.Member(
                    file.columnFamily(),
                    number++,
                    file.size(),
                    level,
                    file.smallestKey(),
                    file.largestKey(),
                    file.smallestSequence(),
                    file.largestSequence()));
          }
        });
    Files.delete(incoming);
    if (!members.isEmpty()) {
      RocksDirectory.write(directory, names(manifest.columnFamilies()), members);
    }
    return new RocksShard(random, directory, manifest.columnFamilies());
  }

  private static void restore(
      CheckpointStore store,
      Manifest manifest,
      int shard,
      List<FileRef> files,
      Consumer<SnapshotReader> into) {
    new ShardSnapshots(store, manifest.layout(), shard, manifest.columnFamilies())
        .restore(shardStore(writer -> {}, into), files, manifest.version());
  }

  private static ShardStore shardStore(
      Consumer<SnapshotWriter> export, Consumer<SnapshotReader> restore) {
    return (ShardStore)
        Proxy.newProxyInstance(
            ShardStore.class.getClassLoader(),
            new Class<?>[] {ShardStore.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "exportSnapshot" -> export.accept((SnapshotWriter) arguments[0]);
                case "importSnapshot" -> restore.accept((SnapshotReader) arguments[0]);
                default -> throw new AssertionError(method);
              }
              return null;
            });
  }

  private ColumnFamilyHandle handle(String columnFamily) {
    return Objects.requireNonNull(families.get(columnFamily));
  }

  void put(String columnFamily, byte[] key, byte[] value) throws RocksDBException {
    db.put(handle(columnFamily), unlogged, key, value);
  }

  void delete(String columnFamily, byte[] key) throws RocksDBException {
    db.delete(handle(columnFamily), unlogged, key);
  }

  byte @Nullable [] get(String columnFamily, byte[] key) throws RocksDBException {
    return db.get(handle(columnFamily), key);
  }

  Map<ByteView, byte[]> rows(String columnFamily) throws RocksDBException {
    Map<ByteView, byte[]> rows = new TreeMap<>();
    try (RocksIterator iterator = db.newIterator(handle(columnFamily))) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        rows.put(new ByteView(iterator.key()), iterator.value());
      }
      iterator.status();
    }
    return rows;
  }

  /** Puts a row by an external file. */
  void ingest(String columnFamily, byte[] key, byte[] value) throws RocksDBException {
    Path file = directory.resolve("external-" + externals++);
    SstWriterOptions external =
        new SstWriterOptions(
            columnFamily, Compression.NONE, 4096, 16, 5, SstWriterOptions.Checksum.XXH3, true);
    try (OutputStream out = Files.newOutputStream(file);
        SstWriter writer = SstWriter.create(file.toString(), out, external)) {
      writer.add(new ByteView(key), 0, EntryType.PUT, new ByteView(value));
      long unused = writer.finish();
    } catch (IOException e) {
      throw StateStoreException.unavailable("writing " + file, e);
    }
    try (IngestExternalFileOptions ingest = new IngestExternalFileOptions().setMoveFiles(true)) {
      db.ingestExternalFile(handle(columnFamily), List.of(file.toString()), ingest);
    }
    ingested = true;
  }

  /** A flush, a compaction of some kind, or a snapshot that makes later ones keep versions. */
  void reshape(String columnFamily) throws RocksDBException {
    ColumnFamilyHandle handle = handle(columnFamily);
    switch (random.nextInt(6)) {
      case 0 -> snapshots.add(db.getSnapshot());
      case 1 -> compactRange(handle);
      case 2 -> compactFiles(columnFamily);
      default -> db.flush(flush, handle);
    }
  }

  /** Merges everything. */
  void compact() throws RocksDBException {
    for (ColumnFamilyHandle handle : handles) {
      db.compactRange(handle);
    }
  }

  private void compactRange(ColumnFamilyHandle handle) throws RocksDBException {
    try (CompactRangeOptions range = new CompactRangeOptions()) {
      range.setChangeLevel(random.nextBoolean()).setTargetLevel(1 + random.nextInt(6));
      db.compactRange(handle, null, null, range);
    } catch (RocksDBException e) {
      if (!String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT).contains("level")) {
        throw e;
      }
    }
  }

  private void compactFiles(String columnFamily) throws RocksDBException {
    List<String> some = new ArrayList<>();
    int deepest = 0;
    for (LiveFileMetaData file : db.getLiveFilesMetaData()) {
      if (family(file).equals(columnFamily) && random.nextBoolean()) {
        some.add(file.fileName());
        deepest = Math.max(deepest, file.level());
      }
    }
    if (!some.isEmpty()) {
      try (CompactionOptions small =
          new CompactionOptions().setOutputFileSizeLimit(300 + random.nextInt(3000))) {
        db.compactFiles(
            small,
            handle(columnFamily),
            some,
            Math.max(1, Math.min(6, deepest + random.nextInt(2))),
            -1,
            null);
      }
    }
  }

  private static String family(LiveFileMetaData file) {
    return new String(file.columnFamilyName(), StandardCharsets.US_ASCII);
  }

  /** Sends all files, either through an export or as they are. */
  List<FileHandle> upload(CheckpointStore store, Upload upload, Manifest manifest, int shard)
      throws RocksDBException, IOException {
    for (ColumnFamilyHandle handle : handles) {
      db.flush(flush, handle);
    }
    List<LiveFileMetaData> files =
        db.getLiveFilesMetaData().stream()
            .filter(file -> families.containsKey(family(file)))
            .toList();
    if (ingested || random.nextBoolean()) {
      return new ShardSnapshots(store, manifest.layout(), shard, manifest.columnFamilies())
          .export(
              shardStore(writer -> files.forEach(file -> export(file, writer)), reader -> {}),
              upload);
    }
    List<FileHandle> uploaded = new ArrayList<>();
    for (LiveFileMetaData file : files) {
      Path copy = upload.directory().resolve("copy-" + shard + "-" + uploaded.size());
      Files.copy(path(file), copy);
      ColumnFamily columnFamily = manifest.columnFamily(family(file));
      uploaded.add(
          upload.add(copy, columnFamily.name(), file.level(), manifest.keyPrefix(columnFamily)));
    }
    return uploaded;
  }

  private Path path(LiveFileMetaData file) {
    return directory.resolve(file.fileName().substring(file.fileName().lastIndexOf('/') + 1));
  }

  private void export(LiveFileMetaData file, SnapshotWriter writer) {
    writer.addFile(
        new SnapshotFile(
            directory + file.fileName(),
            family(file),
            path(file),
            file.size(),
            file.level(),
            file.smallestKey(),
            file.largestKey(),
            file.smallestSeqno(),
            file.largestSeqno()));
  }

  @Override
  public void close() {
    snapshots.forEach(db::releaseSnapshot);
    handles.forEach(ColumnFamilyHandle::close);
    db.close();
    options.close();
    familyOptions.close();
    unlogged.close();
    flush.close();
  }
}
