package io.reshard.sst;

import io.reshard.spi.ByteView;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * A small block of names and values: the metaindex and the properties. Entries as in a data block
 * ({@link SstCursor}), the key a plain name.
 */
final class MetaBlock {
  /** Bound on all names together: sharing could make a small block mean a huge one. */
  private static final long MAX_NAME_BYTES = 16 << 20;

  private MetaBlock() {}

  /** Everything in the block; names are Latin-1, so that any byte passes. */
  static Map<String, byte[]> read(String file, long offset, byte[] block, int start, int limit) {
    int end = BlockTail.entriesEnd(file, offset, block, start, limit);
    ByteInput input = new ByteInput(file, offset, block, start, end);
    Map<String, byte[]> entries = new TreeMap<>();
    String previous = "";
    long nameBytes = 0;
    while (input.hasMore()) {
      int shared = input.varint32("shared length");
      int nonShared = input.varint32("key length");
      int valueLength = input.varint32("value length");
      if (shared > previous.length()) {
        throw input.corrupt("a name shares " + shared + " bytes with one of " + previous.length());
      }
      nameBytes += (long) shared + nonShared;
      if (nameBytes > MAX_NAME_BYTES) {
        throw input.corrupt("names of more than " + MAX_NAME_BYTES + " bytes");
      }
      String name =
          previous.substring(0, shared)
              + new String(input.bytes(nonShared, "name"), StandardCharsets.ISO_8859_1);
      if (entries.put(name, input.bytes(valueLength, "value of a name")) != null) {
        byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
        throw input.corrupt("the name " + new ByteView(bytes) + " twice");
      }
      previous = name;
    }
    return entries;
  }
}
