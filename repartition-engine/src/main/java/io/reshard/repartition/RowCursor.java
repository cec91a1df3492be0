package io.reshard.repartition;

import io.reshard.spi.ByteView;

/**
 * Rows in order of their keys, each with what of its partition key decides the shard. Views are
 * valid until the next call of {@link #next()}. Used by one thread.
 */
interface RowCursor extends AutoCloseable {
  /** Steps to the next row; false if there is none. */
  boolean next();

  /** The key of the current row. */
  ByteView key();

  /** The value of the current row. */
  ByteView value();

  /** {@link io.reshard.checkpoint.Layout.Placer#hash} of the current row's partition key. */
  int hash();

  @Override
  void close();
}
