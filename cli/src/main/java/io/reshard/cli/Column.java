package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A column of the state, taken from a field of the input: {@code field} or {@code function(field)}.
 *
 * @param function how the field is read
 * @param field name of the field in the input
 */
record Column(Function function, String field) {
  /** How a field is read. */
  enum Function {
    /** As it is. */
    TEXT(ColumnType.TEXT, 0),
    /** A whole number. */
    INT(ColumnType.INT, 0),
    /** A number. */
    DOUBLE(ColumnType.DOUBLE, 0),
    /** {@code true} or {@code false}. */
    BOOL(ColumnType.BOOL, 0),
    /** A time. */
    TIME(ColumnType.TIME, 1),
    /** The start of a time's minute. */
    MINUTE(ColumnType.TIME, 60_000_000L),
    /** The start of a time's hour. */
    HOUR(ColumnType.TIME, 3_600_000_000L),
    /** The start of a time's day, UTC. */
    DAY(ColumnType.TIME, 86_400_000_000L);

    private final ColumnType type;
    private final long unit;

    Function(ColumnType type, long unit) {
      this.type = type;
      this.unit = unit;
    }

    /** Its name on the command line. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Function parse(String name, String whole) {
      for (Function function : values()) {
        if (function.label().equals(name)) {
          return function;
        }
      }
      throw StateStoreException.invalid(
          "no function '"
              + name
              + "' in '"
              + whole
              + "'; give a column, or one of "
              + Arrays.stream(values())
                  .map(f -> f.label() + "(column)")
                  .collect(Collectors.joining(", ")));
    }
  }

  /** What the column holds. */
  ColumnType type() {
    return function.type;
  }

  /** Reads {@code field} or {@code function(field)}; a bare field is read by {@code bare}. */
  static Column parse(String text, Function bare) {
    Call call = Call.parse(text);
    if (call.name().isEmpty()) {
      return new Column(bare, call.argument());
    }
    if (call.argument().isEmpty()) {
      throw StateStoreException.invalid("'" + text + "' names no column; give " + text + "…");
    }
    return new Column(Function.parse(call.name(), text), call.argument());
  }

  /** Reads a list such as {@code origin,destination,hour(time)}. */
  static List<Column> parseList(String text) {
    List<Column> columns = new ArrayList<>();
    for (String part : Call.split(text)) {
      columns.add(parse(part, Function.TEXT));
    }
    return columns;
  }

  /** The text that {@link #parse} reads, and the column's name in output. */
  @Override
  public String toString() {
    return function == Function.TEXT ? field : function.label() + "(" + field + ")";
  }

  /** Reads a field and appends it to a tuple. */
  void write(String text, TupleWriter out) throws MalformedRecordException {
    switch (type()) {
      case TEXT -> out.text(checkSurrogates(text));
      case DOUBLE -> out.real(real(text));
      case BOOL -> out.bool(bool(text));
      case INT, TIME -> out.number(number(text));
    }
  }

  /** Reads a field of type INT or TIME. */
  long number(String text) throws MalformedRecordException {
    if (type() == ColumnType.TIME) {
      return Math.floorDiv(microseconds(text), function.unit) * function.unit;
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw malformed("a whole number", text);
    }
  }

  /** Reads a field of type DOUBLE. */
  double real(String text) throws MalformedRecordException {
    boolean plain =
        !text.isEmpty() && text.chars().allMatch(c -> "0123456789+-.eE".indexOf(c) >= 0);
    try {
      if (plain) {
        double real = Double.parseDouble(text);
        if (Double.isFinite(real)) {
          return real;
        }
      }
    } catch (NumberFormatException e) {
      // Falls through to the one message.
    }
    throw malformed(plain ? "a number within the range of a double" : "a number", text);
  }

  private boolean bool(String text) throws MalformedRecordException {
    if (text.equalsIgnoreCase("true")) {
      return true;
    }
    if (text.equalsIgnoreCase("false")) {
      return false;
    }
    throw malformed("true or false", text);
  }

  private String checkSurrogates(String text) throws MalformedRecordException {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (i + 1 == text.length()
            || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
          throw malformed("Unicode text", text);
        }
        i++;
      }
    }
    return text;
  }

  /** A time without a zone is UTC; a date is its midnight; what is finer than 1 µs is dropped. */
  private long microseconds(String text) throws MalformedRecordException {
    try {
      Instant instant;
      int length = text.length();
      if (length == 10) {
        instant = LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC);
      } else {
        String iso = length > 10 && text.charAt(10) == ' ' ? text.replace(' ', 'T') : text;
        if (iso.endsWith("Z")) {
          instant = Instant.parse(iso);
        } else if (iso.lastIndexOf('+') > 10 || iso.lastIndexOf('-') > 10) {
          instant = OffsetDateTime.parse(iso).toInstant();
        } else {
          instant = LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC);
        }
      }
      return Math.addExact(
          Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1000);
    } catch (DateTimeException | ArithmeticException e) {
      throw malformed("a time like 2001-01-31T23:59:00Z", text);
    }
  }

  private MalformedRecordException malformed(String expected, String found) {
    return new MalformedRecordException(
        "column '"
            + field
            + "': expected "
            + expected
            + ", found "
            + MalformedRecordException.shown(found));
  }
}
