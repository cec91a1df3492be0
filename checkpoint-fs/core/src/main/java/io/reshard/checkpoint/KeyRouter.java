package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.Limits;
import io.reshard.spi.PartitionKeyExtractor;
import io.reshard.spi.StateStoreException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the shard and the stored key of a key. One for each thread; allocates nothing per key. */
final class KeyRouter {
  /** A column family and how its keys are placed. */
  record Family(ColumnFamily columnFamily, int keyPrefix, PartitionKeyExtractor extractor) {}

  private final Layout layout;
  private final Map<String, Family> families;
  private final Layout.Placer placer;
  private final ByteView key = new ByteView();
  private final ByteView partitionKey = new ByteView();
  private final ByteView stored = new ByteView();
  private byte[] scratch = new byte[256];
  private int shard;

  KeyRouter(Layout layout, Map<String, Family> families) {
    this.layout = layout;
    this.families = families;
    this.placer = layout.placer();
  }

  /** Resolves extractors, once for all routers of a store. */
  static Map<String, Family> families(Layout layout, List<ColumnFamily> columnFamilies) {
    Map<String, Family> families = new LinkedHashMap<>();
    for (ColumnFamily columnFamily : columnFamilies) {
      families.put(
          columnFamily.name(),
          new Family(
              columnFamily,
              layout.keyPrefix(columnFamily),
              PartitionKeys.extractor(columnFamily.partitionKey())));
    }
    return families;
  }

  Family family(String name) {
    Family family = families.get(name);
    if (family == null) {
      throw StateStoreException.invalid(
          "no column family '" + name + "'; there are: " + String.join(", ", families.keySet()));
    }
    return family;
  }

  /** Places a key; {@link #shard} and {@link #storedKey} tell of it until the next call. */
  void route(String columnFamily, byte[] bytes) {
    Family family = family(columnFamily);
    int prefix = family.keyPrefix;
    if (bytes.length > Limits.MAX_KEY_BYTES - prefix) {
      throw StateStoreException.invalid(
          "key of "
              + bytes.length
              + " bytes; the longest allowed in column family '"
              + columnFamily
              + "' is "
              + (Limits.MAX_KEY_BYTES - prefix));
    }
    key.set(bytes, 0, bytes.length);
    family.extractor.extract(key, partitionKey);
    int hash = placer.hash(partitionKey);
    shard = layout.shardOfHash(hash);
    if (prefix == 0) {
      stored.set(bytes, 0, bytes.length);
    } else {
      prefixed(hash, bytes);
    }
  }

  private void prefixed(int slot, byte[] bytes) {
    int length = Layout.SLOT_BYTES + bytes.length;
    if (scratch.length < length) {
      scratch = new byte[Math.max(length, 2 * scratch.length)];
    }
    scratch[0] = (byte) (slot >>> 8);
    scratch[1] = (byte) slot;
    System.arraycopy(bytes, 0, scratch, Layout.SLOT_BYTES, bytes.length);
    stored.set(scratch, 0, length);
  }

  /** The shard of the last key routed. */
  int shard() {
    return shard;
  }

  /** The stored form of the last key routed; a view until the next one. */
  ByteView storedKey() {
    return stored;
  }

  /** A copy of {@link #storedKey}. */
  byte[] storedKeyBytes() {
    return Arrays.copyOfRange(stored.array(), stored.offset(), stored.offset() + stored.length());
  }
}
