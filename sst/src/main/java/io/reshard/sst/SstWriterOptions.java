package io.reshard.sst;

/**
 * How a file is written.
 *
 * @param columnFamily name put into the properties
 * @param compression compression of data blocks
 * @param blockBytes uncompressed size at which a data block ends
 * @param restartInterval keys between two restart points of a data block
 * @param formatVersion 5 or 6
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
    /** XXH3, lower 32 bits, as RocksDB does. */
    XXH3
  }

  /** LZ4, 4 KiB blocks, restart interval 16, format version 5, XXH3, not for ingestion. */
  public static SstWriterOptions defaults(String columnFamily) {
    return new SstWriterOptions(columnFamily, Compression.LZ4, 4096, 16, 5, Checksum.XXH3, false);
  }
}
