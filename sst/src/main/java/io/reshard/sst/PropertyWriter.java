package io.reshard.sst;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Puts a properties block or a metaindex block together: names ascending, all whole. Numbers are
 * varints, but for those that RocksDB wants at a fixed width.
 */
final class PropertyWriter {
  private final Map<String, byte[]> values = new TreeMap<>();

  PropertyWriter number(String name, long value) {
    return bytes(name, Bytes.varint(value));
  }

  PropertyWriter fixed32(String name, int value) {
    byte[] bytes = new byte[Integer.BYTES];
    Bytes.putInt(bytes, 0, value);
    return bytes(name, bytes);
  }

  PropertyWriter fixed64(String name, long value) {
    byte[] bytes = new byte[Long.BYTES];
    Bytes.putLong(bytes, 0, value);
    return bytes(name, bytes);
  }

  PropertyWriter text(String name, String value) {
    return bytes(name, utf8(value));
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  PropertyWriter bytes(String name, byte[] value) {
    values.put(name, value);
    return this;
  }

  BlockBuilder block() {
    BlockBuilder block = new BlockBuilder(1, 2048);
    values.forEach((name, value) -> block.add(name.getBytes(StandardCharsets.US_ASCII), value));
    return block;
  }
}
