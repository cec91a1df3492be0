package io.reshard.cli;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the records of an input one after another in bounded memory. */
interface RecordReader {
  /**
   * Longest record, in bytes: beyond it something is wrong with the input, such as a lost quote.
   */
  int MAX_RECORD_BYTES = 16 << 20;

  /**
   * Steps to the next record; false at the end.
   *
   * @throws MalformedRecordException if the record cannot be read; the next call goes on after it
   * @throws io.reshard.spi.StateStoreException of kind INVALID if nothing after this can be read
   */
  boolean next() throws IOException, MalformedRecordException;

  /** The line the current record starts at, from 1 on. */
  long line();

  /**
   * A field of the current record; null if it is absent.
   *
   * @param index position in the list of names the reader was made for
   * @throws MalformedRecordException if it is not text
   */
  @Nullable String field(int index) throws MalformedRecordException;
}
