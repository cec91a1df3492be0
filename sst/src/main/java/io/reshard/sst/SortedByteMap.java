package io.reshard.sst;

import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import org.jspecify.annotations.Nullable;

/**
 * A sorted map of byte arrays in memory whose whole content can be frozen in constant time: a B+
 * tree that copies a node on its first change after a freeze. The memory backend keeps its state in
 * one, the RocksDB backend its uncommitted writes.
 *
 * <p>One thread changes it at a time; a {@link Frozen} content is read by any number.
 */
public final class SortedByteMap {
  /** A content that no longer changes. */
  public interface Frozen {
    /** The value itself, not a copy; null if there is none. */
    byte @Nullable [] get(byte[] key);

    /** Rows of a range in order; key and value views point at the arrays kept. */
    StateIterator scan(ScanRange range);

    /** Number of keys. */
    long size();
  }

  /** An empty map. */
  public SortedByteMap() {}

  /** Keeps both arrays; they must not change any more. Returns what was there. */
  public byte @Nullable [] put(byte[] key, byte[] value) {
    throw new UnsupportedOperationException("stub");
  }

  /** Removes a key; returns what was there. */
  public byte @Nullable [] remove(byte[] key) {
    throw new UnsupportedOperationException("stub");
  }

  /** The value itself, not a copy; null if there is none. */
  public byte @Nullable [] get(byte[] key) {
    throw new UnsupportedOperationException("stub");
  }

  /** The present content, in constant time. */
  public Frozen freeze() {
    throw new UnsupportedOperationException("stub");
  }

  /** Makes a content frozen from this map its present one again, in constant time. */
  public void restore(Frozen frozen) {
    throw new UnsupportedOperationException("stub");
  }

  /** Empties it. */
  public void clear() {
    throw new UnsupportedOperationException("stub");
  }

  /** Number of keys. */
  public long size() {
    throw new UnsupportedOperationException("stub");
  }

  /** Bytes of heap the present content takes: arrays, their headers and the nodes. */
  public long bytes() {
    throw new UnsupportedOperationException("stub");
  }
}
