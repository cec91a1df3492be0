package io.reshard.sst;

/** Compression of blocks; codes and names are RocksDB's. */
public enum Compression {
  /** None. */
  NONE(0, "NoCompression"),
  /** Snappy, raw format. */
  SNAPPY(1, "Snappy"),
  /** Raw DEFLATE, decompressed size in front as a varint32. */
  ZLIB(2, "Zlib"),
  /** LZ4, raw block format, decompressed size in front as a varint32. */
  LZ4(4, "LZ4"),
  /** LZ4 as slow to compress as it is dense; decompresses as {@link #LZ4} does. */
  LZ4HC(5, "LZ4HC"),
  /** Zstandard, decompressed size in front as a varint32. */
  ZSTD(7, "ZSTD");

  private final int code;
  private final String rocksName;

  Compression(int code, String rocksName) {
    this.code = code;
    this.rocksName = rocksName;
  }

  /** The code in a block's trailer. */
  public int code() {
    return code;
  }

  /** What the properties of a file call it. */
  public String rocksName() {
    return rocksName;
  }
}
