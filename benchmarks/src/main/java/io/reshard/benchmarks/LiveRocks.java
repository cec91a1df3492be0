package io.reshard.benchmarks;

import io.reshard.spi.ScanRange;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.Checkpoint;
import org.rocksdb.ChecksumType;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteBatchWithIndex;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/**
 * RocksJava as somebody would use it who knows it well: the options Reshard's backend sets, one
 * write batch for each commit with the version in it, options and buffers used over and over.
 *
 * <p>By {@code indexed} the batch is one that reads look into, as they must where a store shows its
 * own writes before they are committed; Reshard's always does.
 */
final class LiveRocks implements LiveStore {
  static final long MEMORY_BYTES = 1L << 30;

  private static final byte[] ROWS = "default".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] META = "meta".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] VERSION = "version".getBytes(StandardCharsets.US_ASCII);

  static {
    RocksDB.loadLibrary();
  }

  private final Cache cache = new LRUCache(MEMORY_BYTES / 8 * 5);
  private final WriteBufferManager memtables = new WriteBufferManager(MEMORY_BYTES / 4, cache);
  private final BloomFilter bloom = new BloomFilter(10, false);
  private final ColumnFamilyOptions familyOptions =
      new ColumnFamilyOptions()
          .setTableFormatConfig(
              new BlockBasedTableConfig()
                  .setBlockCache(cache)
                  .setBlockSize(4096)
                  .setFormatVersion(5)
                  .setChecksumType(ChecksumType.kXXH3)
                  .setCacheIndexAndFilterBlocks(true)
                  .setCacheIndexAndFilterBlocksWithHighPriority(true)
                  .setPinL0FilterAndIndexBlocksInCache(true)
                  .setFilterPolicy(bloom))
          .setCompressionType(CompressionType.LZ4_COMPRESSION)
          .setWriteBufferSize(64 << 20)
          .setArenaBlockSize(32 << 10);
  private final DBOptions options =
      new DBOptions()
          .setCreateIfMissing(true)
          .setCreateMissingColumnFamilies(true)
          .setWriteBufferManager(memtables)
          .setMaxOpenFiles(64)
          .setMaxFileOpeningThreads(1)
          .setSkipStatsUpdateOnDbOpen(true)
          .setInfoLogLevel(InfoLogLevel.FATAL_LEVEL)
          .setStatsDumpPeriodSec(0)
          .setStatsPersistPeriodSec(0);
  private final WriteOptions writeOptions = new WriteOptions();
  private final ReadOptions readOptions = new ReadOptions();
  private final WriteBatch batch = new WriteBatch();
  private final WriteBatchWithIndex index = new WriteBatchWithIndex(true);
  private final List<ColumnFamilyHandle> handles = new ArrayList<>();
  private final RocksDB db;
  private final ColumnFamilyHandle rows;
  private final ColumnFamilyHandle meta;
  private final boolean indexed;
  private final byte[] key = new byte[256];
  private final byte[] value = new byte[64 << 10];
  private long version;

  LiveRocks(Path directory, boolean indexed) throws RocksDBException {
    this.indexed = indexed;
    db =
        RocksDB.open(
            options,
            directory.toString(),
            List.of(
                new ColumnFamilyDescriptor(ROWS, familyOptions),
                new ColumnFamilyDescriptor(META, familyOptions)),
            handles);
    rows = handles.get(0);
    meta = handles.get(1);
  }

  @Override
  public void put(byte[] rowKey, byte[] rowValue) throws RocksDBException {
    if (indexed) {
      index.put(rows, rowKey, rowValue);
    } else {
      batch.put(rows, rowKey, rowValue);
    }
  }

  @Override
  public void commit() throws RocksDBException {
    byte[] next = Long.toString(++version).getBytes(StandardCharsets.US_ASCII);
    if (indexed) {
      index.put(meta, VERSION, next);
      db.write(writeOptions, index);
      index.clear();
    } else {
      batch.put(meta, VERSION, next);
      db.write(writeOptions, batch);
      batch.clear();
    }
  }

  @Override
  public void flush() throws RocksDBException {
    try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
      db.flush(flush, handles);
    }
  }

  @Override
  public byte @Nullable [] get(byte[] rowKey) throws RocksDBException {
    return indexed
        ? index.getFromBatchAndDB(db, rows, readOptions, rowKey)
        : db.get(rows, readOptions, rowKey);
  }

  @Override
  public byte[] @Nullable [] multiGet(byte[][] keys) throws RocksDBException {
    return db.multiGetAsList(
            readOptions, Collections.nCopies(keys.length, rows), Arrays.asList(keys))
        .toArray(new byte[0][]);
  }

  @Override
  public long scan(boolean forward) throws RocksDBException {
    try (RocksIterator iterator = db.newIterator(rows, readOptions)) {
      if (forward) {
        iterator.seekToFirst();
      } else {
        iterator.seekToLast();
      }
      return scan(iterator, forward);
    }
  }

  @Override
  public long scanPrefix(byte[] prefix) throws RocksDBException {
    byte[] end = Objects.requireNonNull(ScanRange.prefix(prefix).to());
    try (Slice bound = new Slice(end);
        ReadOptions bounded = new ReadOptions().setIterateUpperBound(bound);
        RocksIterator iterator = db.newIterator(rows, bounded)) {
      iterator.seek(prefix);
      return scan(iterator, true);
    }
  }

  private long scan(RocksIterator iterator, boolean forward) throws RocksDBException {
    long count = 0;
    long bytes = 0;
    while (iterator.isValid()) {
      bytes += iterator.key(key) + iterator.value(value);
      count++;
      if (forward) {
        iterator.next();
      } else {
        iterator.prev();
      }
    }
    iterator.status();
    return counted(count, bytes);
  }

  /** How many rows; their bytes were looked at so that nobody can leave that out. */
  static long counted(long rows, long bytes) {
    if (bytes < rows) {
      throw new IllegalStateException(rows + " rows of " + bytes + " bytes");
    }
    return rows;
  }

  /** Links the database's files, as of now, into a directory that is not there yet. */
  void checkpoint(Path target) throws RocksDBException {
    try (Checkpoint checkpoint = Checkpoint.create(db)) {
      checkpoint.createCheckpoint(target.toString());
    }
  }

  @Override
  public void close() {
    batch.close();
    index.close();
    handles.forEach(ColumnFamilyHandle::close);
    db.close();
    writeOptions.close();
    readOptions.close();
    options.close();
    familyOptions.close();
    bloom.close();
    memtables.close();
    cache.close();
  }
}
