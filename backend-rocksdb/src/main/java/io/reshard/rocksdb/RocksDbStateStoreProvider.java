package io.reshard.rocksdb;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.Capability;
import io.reshard.spi.StateStoreProvider;
import java.util.Set;

/**
 * The backend {@code rocksdb}. Its options, all optional:
 *
 * <ul>
 *   <li>{@code compression}: {@code lz4} (default), {@code none}, {@code zstd} or {@code snappy}
 *   <li>{@code blockBytes}: uncompressed size of a data block, 1024 to 1048576; default 4096
 *   <li>{@code bloomBitsPerKey}: bits of Bloom filter for each key, 0 (none) to 30; default 10
 *   <li>{@code backgroundThreads}: threads for compaction in the whole process, 1 to 64; default as
 *       many as processors, at most 4
 *   <li>{@code openFiles}: file descriptors of SST files each shard may keep open, 32 to 65536;
 *       default 64
 * </ul>
 *
 * <p>The memory budget is split: one eighth for uncommitted writes of all shards together, two
 * eighths for the batches made of them at commit, five eighths for the block cache, to which the
 * memtables (at most two eighths) are charged.
 */
public final class RocksDbStateStoreProvider implements StateStoreProvider {
  /** The name of the backend. */
  public static final String NAME = "rocksdb";

  /** A provider; does nothing, and loads no native library. */
  public RocksDbStateStoreProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int spiVersion() {
    return StateStoreProvider.SPI_VERSION;
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.REVERSE_SCAN, Capability.PERSISTENT, Capability.INCREMENTAL_EXPORT);
  }

  @Override
  public String description() {
    return "RocksDB on local disk; for state larger than memory";
  }

  @Override
  public Backend start(BackendOptions options) {
    return new RocksDbBackend(Settings.of(options));
  }
}
