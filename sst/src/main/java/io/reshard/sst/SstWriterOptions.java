package io.reshard.sst;

import io.reshard.spi.StateStoreException;

/**
 * How a file is written.
 *
 * @param columnFamily name put into the properties
 * @param compression compression of data blocks
 * @param blockBytes uncompressed size at which a data block ends, 256 to 16777216
 * @param restartInterval keys between two restart points of a data block, 1 to 65536
 * @param formatVersion 5, which RocksDB reads since 6.6; 6, which it reads since 8.6; or 7, which
 *     it reads since 10.4
 * @param checksum checksum of blocks
 * @param ingestible whether RocksDB may take it by ingestExternalFile: all sequence numbers must be
 *     0
 */
public record SstWriterOptions(
    String columnFamily,
    Compression compression,
    int blockBytes,
    int restartInterval,
    int formatVersion,
    Checksum checksum,
    boolean ingestible) {
  /** Checksums of blocks that can be written. */
  public enum Checksum {
    /** CRC-32C, masked as RocksDB does. */
    CRC32C,
    /** XXH64, lower 32 bits, as RocksDB does. */
    XXHASH64,
    /** XXH3, lower 32 bits, as RocksDB does. */
    XXH3
  }

  /** Checks the numbers. */
  public SstWriterOptions {
    if (blockBytes < 256 || blockBytes > 16 << 20) {
      throw StateStoreException.invalid(
          "block size of " + blockBytes + " bytes; give 256 to " + (16 << 20));
    }
    if (restartInterval < 1 || restartInterval > 65_536) {
      throw StateStoreException.invalid(
          "restart interval of " + restartInterval + " keys; give 1 to 65536");
    }
    if (formatVersion < 5 || formatVersion > 7) {
      throw StateStoreException.invalid(
          "format version " + formatVersion + " cannot be written; give 5, 6 or 7");
    }
  }

  /**
   * LZ4, 4 KiB blocks, restart interval 16, format version 5, CRC-32C, not for ingestion.
   *
   * <p>CRC-32C rather than XXH3, RocksDB's own default: the JDK computes it with the processor's
   * instructions, at more than three times the speed of XXH3 in Java, and every block is summed
   * when it is written and at every read.
   */
  public static SstWriterOptions defaults(String columnFamily) {
    return new SstWriterOptions(columnFamily, Compression.LZ4, 4096, 16, 5, Checksum.CRC32C, false);
  }

  /** The code of the checksum in the footer. */
  int checksumCode() {
    return switch (checksum) {
      case CRC32C -> BlockChecksum.CRC32C;
      case XXHASH64 -> BlockChecksum.XXHASH64;
      case XXH3 -> BlockChecksum.XXH3;
    };
  }
}
