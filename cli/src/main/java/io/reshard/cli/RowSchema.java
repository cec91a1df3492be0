package io.reshard.cli;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which columns the rows of a column family have: kept in the version's properties by {@code load},
 * as {@code columns.CF.key} and {@code columns.CF.value} or {@code columns.CF.aggregate}.
 *
 * @param key the columns of the key, in order
 * @param values the columns of the value; empty where there are aggregates
 * @param aggregates the aggregates of the value; empty where there are values
 */
record RowSchema(List<Column> key, List<Column> values, List<Aggregate> aggregates) {
  private static final int MAX_COLUMNS = 60;

  /** Checks that there is something, and no name twice. */
  RowSchema {
    if (values.isEmpty() == aggregates.isEmpty()) {
      throw StateStoreException.invalid(
          "give either --value with columns or --aggregate with aggregates, such as"
              + " --aggregate 'count(),sum(delay)'");
    }
    if (key.size() + values.size() + aggregates.size() > MAX_COLUMNS) {
      throw StateStoreException.invalid("more than " + MAX_COLUMNS + " columns; give fewer");
    }
    Set<String> names = new HashSet<>();
    Stream.of(key, values, aggregates)
        .flatMap(List::stream)
        .map(Object::toString)
        .filter(name -> !names.add(name))
        .forEach(
            name -> {
              throw StateStoreException.invalid(
                  "column '" + name + "' is given twice; once is enough");
            });
  }

  /** Reads the texts of the command line; an empty text is none. */
  static RowSchema parse(String key, String values, String aggregates) {
    return new RowSchema(
        Column.parseList(key),
        values.isEmpty() ? List.of() : Column.parseList(values),
        aggregates.isEmpty() ? List.of() : Aggregate.parseList(aggregates));
  }

  /** The schema in a version's properties; null if the column family has none there. */
  static @Nullable RowSchema of(Map<String, String> properties, String columnFamily) {
    String key = properties.get(property(columnFamily, "key"));
    if (key == null) {
      return null;
    }
    return parse(
        key,
        properties.getOrDefault(property(columnFamily, "value"), ""),
        properties.getOrDefault(property(columnFamily, "aggregate"), ""));
  }

  /** The properties that {@link #of} reads. */
  Map<String, String> toProperties(String columnFamily) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(property(columnFamily, "key"), join(key));
    if (values.isEmpty()) {
      properties.put(property(columnFamily, "aggregate"), join(aggregates));
    } else {
      properties.put(property(columnFamily, "value"), join(values));
    }
    return properties;
  }

  private static String property(String columnFamily, String what) {
    return "columns." + columnFamily + "." + what;
  }

  private static String join(List<?> parts) {
    return parts.stream().map(Object::toString).collect(Collectors.joining(","));
  }

  /** The schema as the command line writes it. */
  String describe() {
    return "--key '"
        + join(key)
        + "' "
        + (values.isEmpty()
            ? "--aggregate '" + join(aggregates) + "'"
            : "--value '" + join(values) + "'");
  }

  /** Names of the fields of the input that are needed, each once. */
  List<String> fields() {
    return Stream.of(key.stream(), values.stream(), aggregates.stream().map(Aggregate::column))
        .flatMap(s -> s)
        .filter(Objects::nonNull)
        .map(Column::field)
        .distinct()
        .toList();
  }

  /** Names of the columns of the key. */
  List<String> keyNames() {
    return key.stream().map(Column::toString).toList();
  }

  /** Names of the columns of the value. */
  List<String> valueNames() {
    return (values.isEmpty() ? aggregates : values).stream().map(Object::toString).toList();
  }

  /** Encodes a key from the texts of its columns. */
  byte[] encodeKey(List<String> texts) {
    if (texts.size() != key.size()) {
      throw columnCount(texts, "");
    }
    return encodePrefix(texts);
  }

  /** Encodes the first columns of a key from their texts. */
  byte[] encodePrefix(List<String> texts) {
    if (texts.size() > key.size()) {
      throw columnCount(texts, "at most ");
    }
    TupleWriter tuple = new TupleWriter();
    for (int i = 0; i < texts.size(); i++) {
      try {
        key.get(i).write(texts.get(i), tuple);
      } catch (MalformedRecordException e) {
        throw StateStoreException.invalid("key " + String.join(" ", texts) + ": " + e.getMessage());
      }
    }
    return tuple.toByteArray();
  }

  private StateStoreException columnCount(List<String> texts, String atMost) {
    return StateStoreException.invalid(
        "a key of "
            + texts.size()
            + " columns ("
            + String.join(" ", texts)
            + "); expected "
            + atMost
            + key.size()
            + ": "
            + String.join(" ", keyNames()));
  }

  /** The columns of a stored key: text, Long, Double, Instant or Boolean. */
  List<@Nullable Object> decodeKey(ByteView bytes, TupleReader tuple) {
    tuple.start(bytes);
    List<@Nullable Object> row = new ArrayList<>();
    for (Column column : key) {
      row.add(decode(column.type(), tuple));
    }
    tuple.end();
    return row;
  }

  /** The columns of a stored value; null where one is absent. */
  List<@Nullable Object> decodeValue(ByteView bytes, TupleReader tuple) {
    tuple.start(bytes);
    List<@Nullable Object> row = new ArrayList<>();
    for (Column column : values) {
      row.add(tuple.bool() ? decode(column.type(), tuple) : null);
    }
    for (Aggregate aggregate : aggregates) {
      row.add(tuple.bool() ? decode(aggregate.type(), tuple) : null);
    }
    tuple.end();
    return row;
  }

  private static Object decode(ColumnType type, TupleReader tuple) {
    return switch (type) {
      case TEXT -> tuple.text();
      case INT -> tuple.number();
      case DOUBLE -> tuple.real();
      case BOOL -> tuple.bool();
      case TIME -> Instant.EPOCH.plus(tuple.number(), ChronoUnit.MICROS);
    };
  }
}
