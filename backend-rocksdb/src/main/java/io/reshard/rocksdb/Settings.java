package io.reshard.rocksdb;

import io.reshard.spi.BackendOptions;
import io.reshard.spi.StateStoreException;
import java.util.Map;
import java.util.TreeSet;
import org.rocksdb.CompressionType;

/**
 * The backend's options, checked, and the split of its memory budget.
 *
 * @param compression of data blocks
 * @param blockBytes uncompressed size of a data block
 * @param bloomBitsPerKey bits of Bloom filter for each key; 0 for none
 * @param backgroundThreads compaction threads of the process
 * @param openFiles SST files each shard may keep open
 * @param overlayBytes bytes of uncommitted writes of all shards together, from which on they spill
 * @param cacheBytes block cache, memtables included
 * @param memtableBytes memtables of all shards together
 */
record Settings(
    CompressionType compression,
    int blockBytes,
    int bloomBitsPerKey,
    int backgroundThreads,
    int openFiles,
    long overlayBytes,
    long cacheBytes,
    long memtableBytes) {

  private static final Map<String, CompressionType> COMPRESSIONS =
      Map.of(
          "lz4", CompressionType.LZ4_COMPRESSION,
          "none", CompressionType.NO_COMPRESSION,
          "zstd", CompressionType.ZSTD_COMPRESSION,
          "snappy", CompressionType.SNAPPY_COMPRESSION);

  private static final String COMPRESSION = "compression";
  private static final String BLOCK_BYTES = "blockBytes";
  private static final String BLOOM_BITS = "bloomBitsPerKey";
  private static final String BACKGROUND_THREADS = "backgroundThreads";
  private static final String OPEN_FILES = "openFiles";

  static Settings of(BackendOptions given) {
    Map<String, String> options = given.options();
    TreeSet<String> unknown = new TreeSet<>(options.keySet());
    TreeSet<String> known = new TreeSet<>();
    for (String name :
        new String[] {COMPRESSION, BLOCK_BYTES, BLOOM_BITS, BACKGROUND_THREADS, OPEN_FILES}) {
      unknown.remove(name);
      known.add(name);
    }
    if (!unknown.isEmpty()) {
      throw StateStoreException.invalid(
          "backend 'rocksdb' has no options " + unknown + "; it has " + known);
    }
    String compression = options.getOrDefault(COMPRESSION, "lz4");
    CompressionType type = COMPRESSIONS.get(compression);
    if (type == null) {
      throw StateStoreException.invalid(
          "option compression=" + compression + "; give lz4, none, zstd or snappy");
    }
    int processors = Runtime.getRuntime().availableProcessors();
    long eighth = given.memoryBudget() / 8;
    return new Settings(
        type,
        number(options, BLOCK_BYTES, 1024, 1 << 20, 4096),
        number(options, BLOOM_BITS, 0, 30, 10),
        number(options, BACKGROUND_THREADS, 1, 64, Math.min(4, processors)),
        number(options, OPEN_FILES, 32, 65_536, 64),
        eighth,
        eighth * 5,
        eighth * 2);
  }

  private static int number(
      Map<String, String> options, String name, int least, int most, int otherwise) {
    String text = options.get(name);
    if (text == null) {
      return otherwise;
    }
    int number;
    try {
      number = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      number = -1;
    }
    if (number < least || number > most) {
      throw StateStoreException.invalid(
          "option " + name + "=" + text + "; give a number from " + least + " to " + most);
    }
    return number;
  }

  /** Size at which one memtable is written out. RocksDB takes no less than 64 KiB. */
  long writeBufferBytes() {
    return Math.max(64 << 10, Math.min(64 << 20, memtableBytes / 4));
  }

  /**
   * Size of the pieces a memtable grows by. RocksDB would take up to 1 MiB, which hundreds of
   * nearly empty memtables could not afford.
   */
  long arenaBlockBytes() {
    return Math.max(4 << 10, Math.min(32 << 10, writeBufferBytes() / 8));
  }
}
