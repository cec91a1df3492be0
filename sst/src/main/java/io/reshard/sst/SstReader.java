package io.reshard.sst;

import org.jspecify.annotations.Nullable;

/** Reads one SST file. Thread-safe; each cursor belongs to one thread. */
public final class SstReader implements AutoCloseable {
  private SstReader() {}

  /**
   * Opens a file: checks footer, properties and what features it uses. Takes over {@code source}
   * and closes it, also when this throws.
   *
   * @throws io.reshard.spi.StateStoreException CORRUPT naming file and offset; INCOMPATIBLE naming
   *     the property that is not supported
   */
  public static SstReader open(SstSource source) {
    throw new UnsupportedOperationException("stub");
  }

  /** What the properties block says. */
  public SstProperties properties() {
    throw new UnsupportedOperationException("stub");
  }

  /** Every entry. Block checksums are verified. */
  public EntryCursor cursor() {
    throw new UnsupportedOperationException("stub");
  }

  /** The entries with {@code from <= user key < to}; null means no bound. */
  public EntryCursor cursor(byte @Nullable [] from, byte @Nullable [] to) {
    throw new UnsupportedOperationException("stub");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("stub");
  }
}
