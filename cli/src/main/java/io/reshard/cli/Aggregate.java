package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A running figure over the records of a key: {@code count()}, {@code sum(column)}, {@code
 * min(column)} or {@code max(column)}.
 *
 * @param kind what is computed
 * @param column of what; null for a count
 */
record Aggregate(Kind kind, @Nullable Column column) {
  /** What is computed. */
  enum Kind {
    /** Number of records. */
    COUNT,
    /** Sum of the values that are there. */
    SUM,
    /** Least value. */
    MIN,
    /** Greatest value. */
    MAX
  }

  /** Checks that the column fits. */
  Aggregate {
    ColumnType type = column == null ? ColumnType.INT : column.type();
    boolean fits =
        switch (kind) {
          case COUNT -> column == null;
          case SUM -> column != null && (type == ColumnType.INT || type == ColumnType.DOUBLE);
          case MIN, MAX -> column != null && type != ColumnType.TEXT && type != ColumnType.BOOL;
        };
    if (!fits) {
      throw StateStoreException.invalid(
          "'"
              + kind.name().toLowerCase(Locale.ROOT)
              + "("
              + (column == null ? "" : column)
              + ")' cannot be computed; give count(), or sum, min or max of int(column) or"
              + " double(column), or min or max of time(column)");
    }
  }

  /** Reads a list such as {@code count(),sum(delay)}; a bare column is a whole number. */
  static List<Aggregate> parseList(String text) {
    List<Aggregate> aggregates = new ArrayList<>();
    for (String part : Call.split(text)) {
      aggregates.add(parse(part));
    }
    return aggregates;
  }

  private static Aggregate parse(String text) {
    Call call = Call.parse(text);
    for (Kind kind : Kind.values()) {
      if (kind.name().toLowerCase(Locale.ROOT).equals(call.name())) {
        return new Aggregate(
            kind,
            call.argument().isEmpty() ? null : Column.parse(call.argument(), Column.Function.INT));
      }
    }
    throw StateStoreException.invalid(
        "'" + text + "' is no aggregate; give count(), sum(column), min(column) or max(column)");
  }

  /** What it results in. */
  ColumnType type() {
    return column == null ? ColumnType.INT : column.type();
  }

  /**
   * Two values put together; doubles as their bits.
   *
   * @throws ArithmeticException if the sum leaves the range of its type; the message says how
   */
  long combine(long a, long b) {
    if (type() == ColumnType.DOUBLE) {
      double x = Double.longBitsToDouble(a);
      double y = Double.longBitsToDouble(b);
      return Double.doubleToLongBits(
          switch (kind) {
            case MIN -> Math.min(x, y);
            case MAX -> Math.max(x, y);
            case COUNT, SUM -> add(x, y);
          });
    }
    return switch (kind) {
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case COUNT, SUM -> add(a, b);
    };
  }

  private static long add(long a, long b) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      throw new ArithmeticException(
          "goes beyond 64 bits: " + a + " + " + b + "; sum a double(…) instead");
    }
    return sum;
  }

  private static double add(double a, double b) {
    double sum = a + b;
    if (!Double.isFinite(sum)) {
      throw new ArithmeticException("goes beyond the range of a double: " + a + " + " + b);
    }
    return sum;
  }

  /** The text that {@link #parseList} reads, and the column's name in output. */
  @Override
  public String toString() {
    String argument = "";
    if (column != null) {
      argument = column.function() == Column.Function.INT ? column.field() : column.toString();
    }
    return kind.name().toLowerCase(Locale.ROOT) + "(" + argument + ")";
  }
}
