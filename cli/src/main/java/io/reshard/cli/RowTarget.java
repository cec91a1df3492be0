package io.reshard.cli;

import io.reshard.checkpoint.KeyedStore;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where loaded rows go. */
interface RowTarget {
  /** The last committed version; 0 before the first. */
  long version();

  /** The values of several keys; null for those not there. */
  byte[] @Nullable [] multiGet(byte[][] keys);

  /** Stores a row. */
  void put(byte[] key, byte[] value);

  /** Makes what is there the next version. */
  long commit(Map<String, String> properties);

  /** A column family of a store. */
  static RowTarget of(KeyedStore store, String columnFamily) {
    return new RowTarget() {
      @Override
      public long version() {
        return store.version();
      }

      @Override
      public byte[] @Nullable [] multiGet(byte[][] keys) {
        return store.multiGet(columnFamily, keys);
      }

      @Override
      public void put(byte[] key, byte[] value) {
        store.put(columnFamily, key, value);
      }

      @Override
      public long commit(Map<String, String> properties) {
        return store.commit(properties).version();
      }
    };
  }

  /** Takes everything and keeps nothing: what a dry run loads into. */
  static RowTarget nowhere(long version) {
    return new RowTarget() {
      @Override
      public long version() {
        return version;
      }

      @Override
      public byte[] @Nullable [] multiGet(byte[][] keys) {
        return new byte[keys.length][];
      }

      @Override
      public void put(byte[] key, byte[] value) {}

      @Override
      public long commit(Map<String, String> properties) {
        return version;
      }
    };
  }
}
