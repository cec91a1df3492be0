package io.reshard.benchmarks;

import io.reshard.sst.Compression;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;

/** RocksDB tuned as one would who wants it to win: the rivals' options in one place. */
final class RocksOptions {
  private RocksOptions() {}

  /** Tables as Reshard writes them: format version 5, 4 KiB blocks, Bloom filter, XXH3. */
  static Options table(Compression compression) {
    return quiet(new Options())
        .setCompressionType(type(compression))
        .setTableFormatConfig(
            new BlockBasedTableConfig()
                .setFormatVersion(5)
                .setBlockSize(4096)
                .setChecksumType(ChecksumType.kXXH3)
                .setFilterPolicy(new BloomFilter(10)));
  }

  /** For a database that is only read, each file once. */
  static Options source() {
    return quiet(new Options());
  }

  /** Sixteen threads to open a handful of files would cost ten milliseconds a database. */
  private static Options quiet(Options options) {
    return options
        .setMaxFileOpeningThreads(1)
        .setInfoLogLevel(InfoLogLevel.FATAL_LEVEL)
        .setStatsDumpPeriodSec(0)
        .setStatsPersistPeriodSec(0);
  }

  private static CompressionType type(Compression compression) {
    return switch (compression) {
      case NONE -> CompressionType.NO_COMPRESSION;
      case SNAPPY -> CompressionType.SNAPPY_COMPRESSION;
      case ZLIB -> CompressionType.ZLIB_COMPRESSION;
      case LZ4 -> CompressionType.LZ4_COMPRESSION;
      case LZ4HC -> CompressionType.LZ4HC_COMPRESSION;
      case ZSTD -> CompressionType.ZSTD_COMPRESSION;
    };
  }
}
