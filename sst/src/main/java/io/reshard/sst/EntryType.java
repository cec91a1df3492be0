package io.reshard.sst;

/**
 * What an entry of an SST file says about its key; codes are RocksDB's value types (db/dbformat.h).
 */
public enum EntryType {
  /** The key is gone. */
  DELETE(0),
  /** The key has this value. */
  PUT(1),
  /** An operand for the merge operator; only passed through, never resolved here. */
  MERGE(2),
  /** The key, put at most once since the last delete, is gone. */
  SINGLE_DELETE(7);

  private final int code;

  EntryType(int code) {
    this.code = code;
  }

  /** Whether entries of this type carry a value. */
  boolean hasValue() {
    return this == PUT || this == MERGE;
  }

  /** The code in the last byte (little-endian order) of an internal key's trailer. */
  public int code() {
    return code;
  }
}
