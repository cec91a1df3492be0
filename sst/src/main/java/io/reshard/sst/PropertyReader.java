package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.IndexIterator.IndexFormat;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Makes sense of the properties block and refuses what this reader would read wrongly. */
final class PropertyReader {
  private static final int INDEX_BINARY_SEARCH = 0;
  private static final int INDEX_HASH_SEARCH = 1;
  private static final int INDEX_PARTITIONED = 2;
  private static final int INDEX_WITH_FIRST_KEY = 3;

  /** From this code on compressions are a compression manager's own. */
  private static final int FIRST_CUSTOM = 0x80;

  /** Three lengths and an offset of at most five bytes, a restart of four. */
  private static final int ENTRY_OVERHEAD = 24;

  /** As much again for a first key, and a handle. */
  private static final int INDEX_ENTRY_OVERHEAD = 64;

  /** A hash index has no more. */
  private static final int BLOCK_OVERHEAD = 1 << 17;

  private final String file;
  private final long offset;
  private final Map<String, byte[]> values;

  /**
   * Reads properties.
   *
   * @param offset where their block lies, for errors
   */
  PropertyReader(String file, long offset, Map<String, byte[]> values) {
    this.file = file;
    this.offset = offset;
    this.values = values;
  }

  SstProperties properties(int formatVersion) {
    return new SstProperties(
        formatVersion,
        compression(),
        text(PropertyNames.COMPARATOR),
        text(PropertyNames.COLUMN_FAMILY_NAME),
        required(PropertyNames.ENTRIES),
        number(PropertyNames.DELETED_KEYS),
        number(PropertyNames.MERGE_OPERANDS),
        number(PropertyNames.RANGE_DELETIONS),
        text(PropertyNames.MERGE_OPERATOR),
        number(PropertyNames.RAW_KEY_SIZE),
        number(PropertyNames.RAW_VALUE_SIZE),
        number(PropertyNames.DATA_SIZE));
  }

  /** INCOMPATIBLE for each property that says entries are not what they look like. */
  void checkSupported() {
    String comparator = text(PropertyNames.COMPARATOR);
    if (!comparator.equals(PropertyNames.BYTEWISE_COMPARATOR)) {
      throw refused(
          PropertyNames.COMPARATOR,
          shown(comparator),
          "only " + PropertyNames.BYTEWISE_COMPARATOR + " is supported");
    }
    long rangeDeletions = number(PropertyNames.RANGE_DELETIONS);
    if (rangeDeletions > required(PropertyNames.ENTRIES)) {
      throw Faults.corrupt(
          file,
          offset,
          "property '"
              + PropertyNames.RANGE_DELETIONS
              + "' = "
              + rangeDeletions
              + " is beyond the number of all entries");
    }
    refuseIfSet(
        PropertyNames.OTHER_INDEX_IS_PRIMARY, "write the file anew with an index of RocksDB's own");
    byte[] blobs = values.get(PropertyNames.EMBEDDED_BLOBS);
    if (blobs != null) {
      throw refused(
          PropertyNames.EMBEDDED_BLOBS,
          new ByteView(blobs).toString(),
          "write the file anew without embedded blobs");
    }
    if (values.containsKey(PropertyNames.TIMESTAMPS_PERSISTED)
        && number(PropertyNames.TIMESTAMPS_PERSISTED) == 0) {
      throw refused(
          PropertyNames.TIMESTAMPS_PERSISTED, "0", "user-defined timestamps are not supported");
    }
  }

  private void refuseIfSet(String name, String next) {
    long value = number(name);
    if (value != 0) {
      throw refused(name, Long.toString(value), next);
    }
  }

  /**
   * Most bytes that a data block can have: all keys and values of the file, none shortened, and
   * what is stored beside them. A block that claims more is not worth the memory.
   *
   * @param bound most in any case
   */
  int maxEntryBytes(int bound) {
    return limit(bound, 1, number(PropertyNames.RAW_VALUE_SIZE), ENTRY_OVERHEAD, BLOCK_OVERHEAD);
  }

  /** Most bytes that an index block can have: two keys for each entry, where each is a block. */
  int maxIndexBytes(int bound) {
    return limit(bound, 2, 0, INDEX_ENTRY_OVERHEAD, BLOCK_OVERHEAD);
  }

  private int limit(int bound, int keys, long valueBytes, int perEntry, int perBlock) {
    long keyBytes = number(PropertyNames.RAW_KEY_SIZE);
    long entries = number(PropertyNames.ENTRIES);
    if (!values.containsKey(PropertyNames.RAW_KEY_SIZE)
        || !values.containsKey(PropertyNames.RAW_VALUE_SIZE)
        || Math.max(Math.max(keyBytes, valueBytes), entries) > bound) {
      return bound;
    }
    return (int) Math.min(bound, keys * keyBytes + valueBytes + perEntry * entries + perBlock);
  }

  IndexFormat indexFormat() {
    int type = fixed32(PropertyNames.INDEX_TYPE, INDEX_BINARY_SEARCH);
    if (type != INDEX_BINARY_SEARCH
        && type != INDEX_HASH_SEARCH
        && type != INDEX_PARTITIONED
        && type != INDEX_WITH_FIRST_KEY) {
      throw refused(
          PropertyNames.INDEX_TYPE,
          Integer.toUnsignedString(type),
          "write the file anew with index type kBinarySearch");
    }
    return new IndexFormat(
        flag(PropertyNames.INDEX_KEY_IS_USER_KEY),
        flag(PropertyNames.INDEX_VALUE_IS_DELTA_ENCODED),
        type == INDEX_WITH_FIRST_KEY,
        type == INDEX_PARTITIONED);
  }

  /**
   * The sequence number of all entries of an external file: what the database says, or else what
   * ingestion wrote into the file. 0 for others.
   */
  long globalSequence(long ofDatabase) {
    byte[] value = values.get(PropertyNames.EXTERNAL_SEQUENCE);
    if (value == null) {
      return 0;
    }
    if (value.length != Long.BYTES) {
      throw malformed(PropertyNames.EXTERNAL_SEQUENCE, value);
    }
    long written = Bytes.getLong(value, 0);
    if (written < 0 || written > SstCursor.MAX_SEQUENCE) {
      throw malformed(PropertyNames.EXTERNAL_SEQUENCE, value);
    }
    if (written != 0 && ofDatabase != 0 && written != ofDatabase) {
      throw Faults.corrupt(
          file,
          offset,
          "property '"
              + PropertyNames.EXTERNAL_SEQUENCE
              + "' is "
              + written
              + ", and its database says "
              + ofDatabase);
    }
    return ofDatabase != 0 ? ofDatabase : written;
  }

  /**
   * The name of the compression. Format version 7 writes {@code manager;codes;} instead, two
   * hexadecimal digits a code: these are put into names here, several joined by "+".
   */
  private String compression() {
    String written = text(PropertyNames.COMPRESSION);
    int first = written.indexOf(';');
    if (first < 0) {
      return written;
    }
    String manager = written.substring(0, first);
    if (!manager.isEmpty() && !manager.equals(PropertyNames.COMPRESSION_MANAGER)) {
      throw refused(
          PropertyNames.COMPRESSION,
          shown(written),
          "write the file anew without a compression manager of your own");
    }
    int second = written.indexOf(';', first + 1);
    String codes = written.substring(first + 1, second < 0 ? written.length() : second);
    if (codes.isEmpty()) {
      return Compression.NONE.rocksName();
    }
    StringBuilder names = new StringBuilder();
    for (int i = 0; i + 2 <= codes.length(); i += 2) {
      names.append(i == 0 ? "" : "+").append(compressionName(code(written, codes, i)));
    }
    return names.toString();
  }

  private int code(String written, String codes, int at) {
    int high = Character.digit(codes.charAt(at), 16);
    int low = Character.digit(codes.charAt(at + 1), 16);
    if (high < 0 || low < 0) {
      throw Faults.corrupt(
          file, offset, "property '" + PropertyNames.COMPRESSION + "' is " + shown(written));
    }
    return high << 4 | low;
  }

  /** What RocksDB calls a compression. */
  static String compressionName(int type) {
    for (Compression compression : Compression.values()) {
      if (compression.code() == type) {
        return compression.rocksName();
      }
    }
    return switch (type) {
      case 3 -> "BZip2";
      case 6 -> "Xpress";
      default -> type >= FIRST_CUSTOM ? "a custom compression" : "an unknown compression";
    };
  }

  /** For messages: cut where it is long. */
  static String shown(String text) {
    return new ByteView(text.getBytes(StandardCharsets.UTF_8)).toString();
  }

  private String text(String name) {
    byte[] value = values.get(name);
    return value == null ? "" : new String(value, StandardCharsets.UTF_8);
  }

  private long required(String name) {
    if (!values.containsKey(name)) {
      throw Faults.corrupt(file, offset, "property '" + name + "' is missing");
    }
    return number(name);
  }

  private boolean flag(String name) {
    return number(name) != 0;
  }

  private long number(String name) {
    byte[] value = values.get(name);
    if (value == null) {
      return 0;
    }
    ByteInput input = new ByteInput(file, offset, value, 0, value.length);
    long number = input.varint64("property '" + name + "'");
    if (input.hasMore()) {
      throw malformed(name, value);
    }
    return number;
  }

  private int fixed32(String name, int absent) {
    byte[] value = values.get(name);
    if (value == null) {
      return absent;
    }
    if (value.length != Integer.BYTES) {
      throw malformed(name, value);
    }
    return Bytes.getInt(value, 0);
  }

  private StateStoreException malformed(String name, byte[] value) {
    return Faults.corrupt(
        file, offset, "property '" + name + "' is " + new ByteView(value) + ", which is none");
  }

  private StateStoreException refused(String name, String value, String next) {
    return Faults.incompatible(file, "has property '" + name + "' = " + value, next);
  }
}
