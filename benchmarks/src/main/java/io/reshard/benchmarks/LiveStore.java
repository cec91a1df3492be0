package io.reshard.benchmarks;

import org.jspecify.annotations.Nullable;

/** A store as the live path uses it: one shard, one writer. */
interface LiveStore extends AutoCloseable {
  /** Writes a row; it may wait for more to come. */
  void put(byte[] key, byte[] value) throws Exception;

  /** Makes what was written a version that survives the death of the process. */
  void commit() throws Exception;

  /** Has RocksDB write out its memtables, so that the same reads meet the same files. */
  void flush() throws Exception;

  /** The value of a key that is there; null otherwise. */
  byte @Nullable [] get(byte[] key) throws Exception;

  /** The values of several keys. */
  byte[] @Nullable [] multiGet(byte[][] keys) throws Exception;

  /** Looks at every row, in order or against it; returns how many there were. */
  long scan(boolean forward) throws Exception;

  /** Looks at every row whose key starts with a prefix; returns how many there were. */
  long scanPrefix(byte[] prefix) throws Exception;

  @Override
  void close();
}
