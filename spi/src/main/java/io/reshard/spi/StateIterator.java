package io.reshard.spi;

/**
 * A cursor over rows. It starts before the first row.
 *
 * <pre>{@code
 * try (StateIterator rows = store.scan("default", ScanRange.all())) {
 *   while (rows.next()) {
 *     use(rows.key(), rows.value());
 *   }
 * }
 * }</pre>
 *
 * <ul>
 *   <li>S-301: {@link #key()} and {@link #value()} are valid until the next call of {@link #next()}
 *       or {@link #close()}; the same {@link ByteView} instances are reused.
 *   <li>S-302: after {@code next()} has returned false it returns false for ever.
 *   <li>S-303: {@code key()} and {@code value()} without a current row are INVALID.
 *   <li>S-304: {@code close()} is idempotent; {@code next()} after it is CLOSED, and so is {@code
 *       next()} after the shard store was closed.
 * </ul>
 *
 * <p>Used by one thread at a time.
 */
public interface StateIterator extends AutoCloseable {
  /** Steps to the next row; false if there is none. */
  boolean next();

  /** The key of the current row. */
  ByteView key();

  /** The value of the current row. */
  ByteView value();

  @Override
  void close();
}
