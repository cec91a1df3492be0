package io.reshard.rocksdb;

import io.reshard.spi.StateStoreException;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ChecksumType;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Logger;
import org.rocksdb.Priority;
import org.rocksdb.RocksDB;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;
import org.slf4j.LoggerFactory;

/**
 * The native objects all shards of a backend share: one block cache that is also charged with the
 * memtables, and the options every database is opened with. Closed after the last database.
 */
final class Natives implements AutoCloseable {
  private final Cache cache;
  private final WriteBufferManager writeBuffers;
  private final BloomFilter bloom;
  private final Logger logger;
  private final ColumnFamilyOptions columnFamilyOptions;
  private final DBOptions createOptions;
  private final DBOptions openOptions;
  private final WriteOptions logged;
  private final WriteOptions forced;
  private final WriteOptions unlogged;

  Natives(Settings settings) {
    loadLibrary();
    cache = new LRUCache(settings.cacheBytes());
    writeBuffers = new WriteBufferManager(settings.memtableBytes(), cache);
    bloom = new BloomFilter(Math.max(1, settings.bloomBitsPerKey()), false);
    logger = new Warnings();
    Env env = Env.getDefault();
    // The default environment belongs to the whole process: its threads only ever become more.
    env.incBackgroundThreadsIfNeeded(settings.backgroundThreads(), Priority.LOW);
    env.incBackgroundThreadsIfNeeded((settings.backgroundThreads() + 1) / 2, Priority.HIGH);
    BlockBasedTableConfig table =
        new BlockBasedTableConfig()
            .setBlockCache(cache)
            .setBlockSize(settings.blockBytes())
            .setFormatVersion(5)
            .setChecksumType(ChecksumType.kXXH3)
            .setSeparateKeyValueInDataBlock(false)
            // Without this, index and filter of each open file are memory outside the budget.
            .setCacheIndexAndFilterBlocks(true)
            .setCacheIndexAndFilterBlocksWithHighPriority(true)
            .setPinL0FilterAndIndexBlocksInCache(true);
    if (settings.bloomBitsPerKey() > 0) {
      table.setFilterPolicy(bloom);
    }
    columnFamilyOptions =
        new ColumnFamilyOptions()
            .setTableFormatConfig(table)
            .setCompressionType(settings.compression())
            .setWriteBufferSize(settings.writeBufferBytes())
            .setArenaBlockSize(settings.arenaBlockBytes())
            .setLevel0FileNumCompactionTrigger(LevelZero.COMPACT_AT)
            .setLevel0SlowdownWritesTrigger(LevelZero.SLOW_AT)
            .setLevel0StopWritesTrigger(LevelZero.STOP_AT)
            .setForceConsistencyChecks(true);
    createOptions =
        dbOptions(settings, env)
            .setCreateIfMissing(true)
            .setCreateMissingColumnFamilies(true)
            .setErrorIfExists(true);
    openOptions = dbOptions(settings, env);
    // No write waits in native code: see Database.write.
    logged = new WriteOptions().setNoSlowdown(true);
    forced = new WriteOptions().setNoSlowdown(true).setSync(true);
    unlogged = new WriteOptions().setNoSlowdown(true).setDisableWAL(true);
  }

  private static void loadLibrary() {
    try {
      RocksDB.loadLibrary();
    } catch (LinkageError | RuntimeException e) {
      throw new StateStoreException(
          StateStoreException.Kind.INCOMPATIBLE,
          "RocksDB's native library cannot be loaded: "
              + e.getMessage()
              + "; check that rocksdbjni has one for this platform and that java.io.tmpdir is"
              + " writable and allows execution, or use another backend",
          e);
    }
  }

  private DBOptions dbOptions(Settings settings, Env env) {
    return new DBOptions()
        .setEnv(env)
        .setLogger(logger)
        .setWriteBufferManager(writeBuffers)
        .setParanoidChecks(true)
        // A record torn at the end of the log is a commit that never returned. Damage before the
        // end
        // is an error: the default mode would silently open at an older version.
        .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
        // Reopening hundreds of shards must not write an SST file for each.
        .setAvoidFlushDuringRecovery(true)
        // What is not in the log at a close is uncommitted.
        .setAvoidFlushDuringShutdown(true)
        // The log of each shard is read at its open: it must not grow for ever.
        .setMaxTotalWalSize(settings.writeBufferBytes())
        // A log allocated ahead takes a memtable of disk for each shard, written to or not.
        .setAllowFAllocate(false)
        .setMaxOpenFiles(settings.openFiles())
        // More spawns threads at every open, which costs ten times the open itself.
        .setMaxFileOpeningThreads(1)
        .setSkipStatsUpdateOnDbOpen(true)
        .setMaxBackgroundJobs(Math.max(2, settings.backgroundThreads()))
        .setStatsDumpPeriodSec(0)
        .setStatsPersistPeriodSec(0);
  }

  long cacheUsage() {
    return cache.getUsage();
  }

  ColumnFamilyOptions columnFamilyOptions() {
    return columnFamilyOptions;
  }

  /** Those with more files allowed on level 0; the caller closes them. */
  ColumnFamilyOptions columnFamilyOptions(int moreOnLevelZero) {
    return new ColumnFamilyOptions(columnFamilyOptions)
        .setLevel0FileNumCompactionTrigger(LevelZero.COMPACT_AT + moreOnLevelZero)
        .setLevel0SlowdownWritesTrigger(LevelZero.SLOW_AT + moreOnLevelZero)
        .setLevel0StopWritesTrigger(LevelZero.STOP_AT + moreOnLevelZero);
  }

  /** To make a database with. */
  DBOptions createOptions() {
    return createOptions;
  }

  /** To open a database with that must be there. */
  DBOptions openOptions() {
    return openOptions;
  }

  /** Into the log, which survives the death of the process. */
  WriteOptions logged() {
    return logged;
  }

  /** Into the log and on disk. */
  WriteOptions forced() {
    return forced;
  }

  /** Not into the log. */
  WriteOptions unlogged() {
    return unlogged;
  }

  @Override
  public void close() {
    unlogged.close();
    forced.close();
    logged.close();
    openOptions.close();
    createOptions.close();
    columnFamilyOptions.close();
    logger.close();
    bloom.close();
    writeBuffers.close();
    cache.close();
  }

  /**
   * RocksDB's log goes to SLF4J; so there is no log file for each database. Its errors are our
   * warnings. What it calls a warning is said at every open of a healthy database ("dir NotFound",
   * "Tail prefetch size"): it is for whoever debugs.
   */
  private static final class Warnings extends Logger {
    private static final org.slf4j.Logger LOGGER = LoggerFactory.getLogger("io.reshard.rocksdb");

    Warnings() {
      super(InfoLogLevel.WARN_LEVEL);
    }

    @Override
    protected void log(InfoLogLevel level, String message) {
      switch (level) {
        case ERROR_LEVEL, FATAL_LEVEL -> LOGGER.warn("RocksDB: {}", message);
        case WARN_LEVEL -> LOGGER.debug("RocksDB: {}", message);
        default -> {}
      }
    }
  }
}
