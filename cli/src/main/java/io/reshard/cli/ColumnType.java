package io.reshard.cli;

/** What a column holds once it is read. */
enum ColumnType {
  /** Unicode text. */
  TEXT,
  /** A whole number of 64 bits. */
  INT,
  /** A double. */
  DOUBLE,
  /** Microseconds since 1970-01-01T00:00:00Z. */
  TIME,
  /** True or false. */
  BOOL
}
