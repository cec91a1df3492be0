package io.reshard.sst;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * A small block of names and values: the metaindex and the properties. Entries as in a data block
 * ({@link SstCursor}), the key a plain name.
 */
final class MetaBlock {
  private MetaBlock() {}

  /** Everything in the block; names are Latin-1, so that any byte passes. */
  static Map<String, byte[]> read(String file, long offset, byte[] block, int start, int limit) {
    int end = BlockTail.entriesEnd(file, offset, block, start, limit);
    ByteInput input = new ByteInput(file, offset, block, start, end);
    Map<String, byte[]> entries = new TreeMap<>();
    String previous = "";
    while (input.hasMore()) {
      int shared = input.varint32("shared length");
      int nonShared = input.varint32("key length");
      int valueLength = input.varint32("value length");
      if (shared > previous.length()) {
        throw input.corrupt("a name shares " + shared + " bytes with one of " + previous.length());
      }
      String name =
          previous.substring(0, shared)
              + new String(input.bytes(nonShared, "name"), StandardCharsets.ISO_8859_1);
      if (entries.put(name, input.bytes(valueLength, "value of " + name)) != null) {
        throw input.corrupt("'" + name + "' twice");
      }
      previous = name;
    }
    return entries;
  }
}
