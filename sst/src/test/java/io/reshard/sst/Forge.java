package io.reshard.sst;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes files whose checksums are right and whose content is whatever a test wants. */
final class Forge {
  private static final int VERSION = 5;

  private final BlockChecksum checksum = new BlockChecksum(BlockChecksum.XXH3);
  private final ByteArrayOutputStream file = new ByteArrayOutputStream();
  private final ByteArrayOutputStream index = new ByteArrayOutputStream();
  final Map<String, byte[]> properties = new TreeMap<>();
  final Map<String, byte[]> metaindex = new TreeMap<>();
  byte[] indexTail = ints(0, 1);

  Forge() {
    properties.put("rocksdb.comparator", Entry.bytes("leveldb.BytewiseComparator"));
    properties.put("rocksdb.num.entries", Bytes.varint(1));
    properties.put("rocksdb.index.key.is.user.key", Bytes.varint(1));
    properties.put("rocksdb.index.value.is.delta.encoded", Bytes.varint(1));
  }

  /** Writes a block. */
  BlockHandle block(byte[] content, int type) {
    BlockHandle handle = new BlockHandle(file.size(), content.length);
    byte[] stored = Arrays.copyOf(content, content.length + 5);
    stored[content.length] = (byte) type;
    Bytes.putInt(stored, content.length + 1, checksum.compute(stored, 0, content.length + 1));
    file.writeBytes(stored);
    return handle;
  }

  Forge index(String separator, BlockHandle handle) {
    index.writeBytes(entry(0, separator.length(), -1, Entry.bytes(separator)));
    index.writeBytes(handle.toBytes());
    return this;
  }

  Forge rawIndex(byte[] bytes) {
    index.writeBytes(bytes);
    return this;
  }

  Forge entries(long count) {
    properties.put("rocksdb.num.entries", Bytes.varint(count));
    return this;
  }

  byte[] finish() {
    if (!metaindex.containsKey("rocksdb.properties")) {
      metaindex.put("rocksdb.properties", block(names(properties), 0).toBytes());
    }
    BlockHandle indexHandle = block(concat(index.toByteArray(), indexTail), 0);
    BlockHandle metaindexHandle = block(names(metaindex), 0);
    return finish(metaindexHandle, indexHandle);
  }

  byte[] finish(BlockHandle metaindexHandle, BlockHandle indexHandle) {
    Footer footer = new Footer(VERSION, BlockChecksum.XXH3, 0, metaindexHandle, indexHandle);
    file.writeBytes(footer.toBytes(file.size()));
    return file.toByteArray();
  }

  static byte[] names(Map<String, byte[]> values) {
    List<byte[]> parts = new ArrayList<>();
    values.forEach(
        (name, value) ->
            parts.add(entry(0, name.length(), value.length, Entry.bytes(name), value)));
    parts.add(ints(0, 1));
    return concat(parts.toArray(new byte[0][]));
  }

  /** An entry with these lengths, whatever the parts are; no value length where negative. */
  static byte[] entry(long shared, long nonShared, long valueLength, byte[]... parts) {
    byte[] lengths = concat(Bytes.varint(shared), Bytes.varint(nonShared));
    if (valueLength >= 0) {
      lengths = concat(lengths, Bytes.varint(valueLength));
    }
    return concat(lengths, concat(parts));
  }

  /** An entry that is right. */
  static byte[] put(String key, long sequence, String value) {
    byte[] internal = internal(key, sequence, 1);
    return entry(0, internal.length, value.length(), internal, Entry.bytes(value));
  }

  static byte[] internal(String key, long sequence, int type) {
    byte[] internal = Arrays.copyOf(Entry.bytes(key), key.length() + 8);
    Bytes.putLong(internal, key.length(), sequence << 8 | type);
    return internal;
  }

  static byte[] ints(int... values) {
    byte[] bytes = new byte[4 * values.length];
    for (int i = 0; i < values.length; i++) {
      Bytes.putInt(bytes, 4 * i, values[i]);
    }
    return bytes;
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  /** A file of one data block. */
  static byte[] file(long entries, byte[]... blockParts) {
    Forge forge = new Forge().entries(entries);
    BlockHandle handle = forge.block(concat(blockParts), 0);
    return forge.index("\u00ff\u00ff", handle).finish();
  }
}
