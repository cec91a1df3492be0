package com.example.mapdb;

import io.reshard.spi.ByteView;
import java.util.Arrays;
import java.util.TreeMap;

/** Rows that hide those of the layers below; a row may say that there is none. */
final class Layer {
  /** Stands for the absence of a row; compared by identity, so that an empty value is a value. */
  static final byte[] NONE = new byte[0];

  private TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
  private boolean shared;

  /** The rows as they are now, for as long as the caller likes. */
  TreeMap<byte[], byte[]> share() {
    shared = true;
    return rows;
  }

  /** The rows, to read. */
  TreeMap<byte[], byte[]> rows() {
    return rows;
  }

  void put(ByteView key, ByteView value) {
    own().put(key.toByteArray(), value.toByteArray());
  }

  void delete(ByteView key) {
    own().put(key.toByteArray(), NONE);
  }

  void clear() {
    rows = new TreeMap<>(Arrays::compareUnsigned);
    shared = false;
  }

  /** The rows, to change: a scan that holds on to them keeps the old ones. */
  private TreeMap<byte[], byte[]> own() {
    if (shared) {
      rows = new TreeMap<>(rows);
      shared = false;
    }
    return rows;
  }
}
