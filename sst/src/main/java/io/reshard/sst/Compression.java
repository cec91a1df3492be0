package io.reshard.sst;

/** Compression of blocks; codes are RocksDB's. */
public enum Compression {
  /** None. */
  NONE(0),
  /** Snappy, raw format. */
  SNAPPY(1),
  /** LZ4, raw block format, decompressed size in front as a varint32. */
  LZ4(4),
  /** Zstandard, decompressed size in front as a varint32. */
  ZSTD(7);

  private final int code;

  Compression(int code) {
    this.code = code;
  }

  /** The code in a block's trailer. */
  public int code() {
    return code;
  }
}
