package io.reshard.cli;

import io.reshard.spi.ByteView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns records into rows of a column family. A record that is malformed changes nothing. */
abstract class RowSink {
  final RowTarget target;
  final RowSchema schema;
  final TupleWriter key = new TupleWriter();
  final TupleWriter value = new TupleWriter();
  private final int[] keyFields;

  private RowSink(RowTarget target, RowSchema schema) {
    this.target = target;
    this.schema = schema;
    this.keyFields = fieldsOf(schema, schema.key());
  }

  /** A sink as the schema says. */
  static RowSink of(RowTarget target, RowSchema schema) {
    return schema.aggregates().isEmpty()
        ? new Putting(target, schema)
        : new Aggregating(target, schema);
  }

  /**
   * Takes the current record of {@code records}, a reader of {@link RowSchema#fields()}.
   *
   * @throws OverflowException if a sum leaves the range of its type; the sink is of no use then
   */
  abstract void add(RecordReader records) throws MalformedRecordException;

  /**
   * Hands everything taken to the store.
   *
   * @throws OverflowException if a sum leaves the range of its type; the sink is of no use then
   */
  abstract void flush();

  /** Encodes the key of the current record. */
  final void readKey(RecordReader records) throws MalformedRecordException {
    key.clear();
    for (int i = 0; i < keyFields.length; i++) {
      Column column = schema.key().get(i);
      String text = records.field(keyFields[i]);
      if (text == null) {
        throw new MalformedRecordException("key column '" + column.field() + "' is absent");
      }
      column.write(text, key);
    }
  }

  /** Positions of the columns' fields in {@link RowSchema#fields()}; -1 for no column. */
  static int[] fieldsOf(RowSchema schema, List<? extends @Nullable Column> columns) {
    List<String> fields = schema.fields();
    return columns.stream().mapToInt(c -> c == null ? -1 : fields.indexOf(c.field())).toArray();
  }

  /** Whether a field stands for no value: absent, or empty where text is not meant. */
  static boolean isAbsent(@Nullable String text, ColumnType type) {
    return text == null || (text.isEmpty() && type != ColumnType.TEXT);
  }

  /** Each record is a row; the last of a key wins. */
  private static final class Putting extends RowSink {
    private final int[] valueFields;

    Putting(RowTarget target, RowSchema schema) {
      super(target, schema);
      this.valueFields = fieldsOf(schema, schema.values());
    }

    @Override
    void add(RecordReader records) throws MalformedRecordException {
      readKey(records);
      value.clear();
      for (int i = 0; i < valueFields.length; i++) {
        Column column = schema.values().get(i);
        String text = records.field(valueFields[i]);
        boolean absent = isAbsent(text, column.type());
        value.bool(!absent);
        if (text != null && !absent) {
          column.write(text, value);
        }
      }
      target.put(key.toByteArray(), value.toByteArray());
    }

    @Override
    void flush() {}
  }

  /**
   * The records of a key are put together into one row. Rows are gathered in memory up to a bound,
   * so that a key met again soon costs no read; then they are united with what the store has.
   *
   * <p>An accumulator is an array: bit i of element 0 says whether aggregate i has a value, which
   * is element i + 1; doubles as their bits.
   */
  private static final class Aggregating extends RowSink {
    private static final int MAX_PENDING = 100_000;
    private static final long MAX_PENDING_BYTES = 32 << 20;
    private static final int READ_AT_ONCE = 4096;

    private final List<Aggregate> aggregates;
    private final int[] fields;
    private final long[] current;
    private final ByteView probe = new ByteView();
    private final TupleReader tuple = new TupleReader();
    private final Map<ByteView, long[]> pending = new HashMap<>();
    private long pendingBytes;

    Aggregating(RowTarget target, RowSchema schema) {
      super(target, schema);
      this.aggregates = schema.aggregates();
      this.fields = fieldsOf(schema, aggregates.stream().map(Aggregate::column).toList());
      this.current = new long[aggregates.size() + 1];
    }

    @Override
    void add(RecordReader records) throws MalformedRecordException {
      readKey(records);
      readCurrent(records);
      key.view(probe);
      long[] known = pending.get(probe);
      if (known != null) {
        unite(probe, known, current);
        return;
      }
      pending.put(new ByteView(key.toByteArray()), current.clone());
      pendingBytes += key.length() + 8L * current.length;
      if (pending.size() >= MAX_PENDING || pendingBytes >= MAX_PENDING_BYTES) {
        flush();
      }
    }

    private void readCurrent(RecordReader records) throws MalformedRecordException {
      current[0] = 0;
      for (int i = 0; i < fields.length; i++) {
        Column column = aggregates.get(i).column();
        if (column == null) {
          set(i, 1);
        } else {
          String text = records.field(fields[i]);
          if (text != null && !isAbsent(text, column.type())) {
            set(
                i,
                column.type() == ColumnType.DOUBLE
                    ? Double.doubleToLongBits(column.real(text))
                    : column.number(text));
          }
        }
      }
    }

    private void set(int aggregate, long bits) {
      current[0] |= 1L << aggregate;
      current[aggregate + 1] = bits;
    }

    private void unite(ByteView rowKey, long[] into, long[] more) {
      for (int i = 0; i < aggregates.size(); i++) {
        long bit = 1L << i;
        if ((more[0] & bit) != 0) {
          into[i + 1] =
              (into[0] & bit) == 0
                  ? more[i + 1]
                  : combine(rowKey, aggregates.get(i), into[i + 1], more[i + 1]);
        }
      }
      into[0] |= more[0];
    }

    private long combine(ByteView rowKey, Aggregate aggregate, long a, long b) {
      try {
        return aggregate.combine(a, b);
      } catch (ArithmeticException e) {
        String columns =
            schema.decodeKey(rowKey, new TupleReader()).stream()
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
        throw new OverflowException(
            "the " + aggregate + " of key '" + columns + "' " + e.getMessage());
      }
    }

    @Override
    void flush() {
      ByteView[] keys = pending.keySet().toArray(ByteView[]::new);
      for (int from = 0; from < keys.length; from += READ_AT_ONCE) {
        int to = Math.min(keys.length, from + READ_AT_ONCE);
        byte[][] some = new byte[to - from][];
        for (int i = from; i < to; i++) {
          some[i - from] = keys[i].array();
        }
        byte[] @Nullable [] stored = target.multiGet(some);
        for (int i = from; i < to; i++) {
          flush(keys[i], stored[i - from]);
        }
      }
      pending.clear();
      pendingBytes = 0;
    }

    private void flush(ByteView rowKey, byte @Nullable [] stored) {
      long[] row = pending.get(rowKey);
      if (row == null) {
        return;
      }
      if (stored != null) {
        long[] old = decode(stored);
        unite(rowKey, old, row);
        row = old;
      }
      target.put(rowKey.array(), encode(row));
    }

    private long[] decode(byte[] stored) {
      long[] row = new long[current.length];
      tuple.start(new ByteView(stored));
      for (int i = 0; i < aggregates.size(); i++) {
        if (tuple.bool()) {
          row[0] |= 1L << i;
          row[i + 1] =
              aggregates.get(i).type() == ColumnType.DOUBLE
                  ? Double.doubleToLongBits(tuple.real())
                  : tuple.number();
        }
      }
      tuple.end();
      return row;
    }

    private byte[] encode(long[] row) {
      value.clear();
      for (int i = 0; i < aggregates.size(); i++) {
        boolean there = (row[0] & 1L << i) != 0;
        value.bool(there);
        if (there) {
          if (aggregates.get(i).type() == ColumnType.DOUBLE) {
            value.real(Double.longBitsToDouble(row[i + 1]));
          } else {
            value.number(row[i + 1]);
          }
        }
      }
      return value.toByteArray();
    }
  }
}
