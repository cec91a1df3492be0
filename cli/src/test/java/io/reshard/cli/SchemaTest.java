package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns, aggregates, and what becomes of records. */
class SchemaTest {
  /** Keeps rows in memory. */
  private static final class Kept implements RowTarget {
    private final TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);

    @Override
    public long version() {
      return 0;
    }

    @Override
    public byte[] @Nullable [] multiGet(byte[][] keys) {
      byte[] @Nullable [] values = new byte[keys.length][];
      for (int i = 0; i < keys.length; i++) {
        values[i] = rows.get(keys[i]);
      }
      return values;
    }

    @Override
    public void put(byte[] key, byte[] value) {
      rows.put(key, value);
    }

    @Override
    public long commit(Map<String, String> properties) {
      return 1;
    }
  }

  private static void load(Kept target, RowSchema schema, String csv) throws IOException {
    RowSink sink = RowSink.of(target, schema);
    CsvReader reader =
        new CsvReader(
            "input",
            new ByteArrayInputStream(csv.getBytes(StandardCharsets.UTF_8)),
            ',',
            schema.fields());
    try {
      while (reader.next()) {
        sink.add(reader);
      }
    } catch (MalformedRecordException e) {
      throw new AssertionError(e);
    }
    sink.flush();
  }

  private static List<String> rows(Kept target, RowSchema schema) {
    TupleReader tuple = new TupleReader();
    return target.rows.entrySet().stream()
        .map(
            row ->
                schema.decodeKey(new ByteView(row.getKey()), tuple)
                    + " "
                    + schema.decodeValue(new ByteView(row.getValue()), tuple))
        .toList();
  }

  @Test
  void aggregatesUniteWithinAndAcrossLoads() throws IOException {
    RowSchema schema =
        RowSchema.parse("k", "", "count(), sum(n), min(n), max(n), sum(double(x)), max(time(t))");
    Kept target = new Kept();
    load(target, schema, "k,n,x,t\na,1,0.5,2001-01-01\nb,,,\na,-3,,2001-01-02T00:00:00Z\n");
    load(target, schema, "k,n,x,t\na,10,1.25,\nb,7,,2001-01-01 10:00:00\n");
    assertThat(rows(target, schema))
        .containsExactly(
            "[a] [3, 8, -3, 10, 1.75, 2001-01-02T00:00:00Z]",
            "[b] [2, 7, 7, 7, null, 2001-01-01T10:00:00Z]");
  }

  @Test
  void theLastRecordOfAKeyWins() throws IOException {
    RowSchema schema = RowSchema.parse("int(k)", "s,bool(b),double(d)", "");
    Kept target = new Kept();
    load(target, schema, "k,s,b,d\n-1,x,true,1e3\n2,,FALSE,\n-1,y,,-0.5\n");
    assertThat(rows(target, schema)).containsExactly("[-1] [y, null, -0.5]", "[2] [, false, null]");
  }

  @ParameterizedTest
  @CsvSource({
    "time, 2001-01-01T00:01:02.123456Z, 2001-01-01T00:01:02.123456Z",
    "time, 2001-01-01T02:00:00+02:00, 2001-01-01T00:00:00Z",
    "time, 1969-12-31T23:59:59.9999999Z, 1969-12-31T23:59:59.999999Z",
    "minute, 2001-01-01T00:01:59Z, 2001-01-01T00:01:00Z",
    "hour, 1969-12-31T22:59:59Z, 1969-12-31T22:00:00Z",
    "day, 2001-01-01T23:59:59, 2001-01-01T00:00:00Z"
  })
  void timesAreCut(String function, String text, Instant expected) {
    RowSchema schema = RowSchema.parse(function + "(t)", "v", "");
    byte[] key = schema.encodeKey(List.of(text));
    assertThat(schema.decodeKey(new ByteView(key), new TupleReader())).isEqualTo(List.of(expected));
  }

  @ParameterizedTest
  @CsvSource({
    "int(a), 1.0, a whole number",
    "int(a), 9223372036854775808, a whole number",
    "int(a), '', a whole number",
    "double(a), NaN, a number",
    "double(a), 0x1p3, a number",
    "double(a), 1d, a number",
    "bool(a), yes, true or false",
    "time(a), 2001-02-30, a time",
    "time(a), soon, a time",
    "time(a), +1000000000-01-01T00:00:00Z, a time"
  })
  void malformedTextIsNamed(String column, String text, String expected) {
    RowSchema schema = RowSchema.parse(column, "v", "");
    assertThatThrownBy(() -> schema.encodeKey(List.of(text)))
        .isInstanceOf(StateStoreException.class)
        .hasMessageContaining("column 'a': expected " + expected)
        .hasMessageContaining("found '" + text + "'");
  }

  @Test
  void unpairedSurrogatesAreMalformed() {
    RowSchema schema = RowSchema.parse("a", "v", "");
    assertThatThrownBy(() -> schema.encodeKey(List.of("x\ud800")))
        .hasMessageContaining("Unicode text");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "avg(n)",
        "count(n)",
        "sum()",
        "sum(bool(n))",
        "min(text(n))",
        "sum(time(n))",
        "sum(n",
        "sum",
        "",
        "count(),count()",
        "n)"
      })
  void whatIsNoAggregateIsInvalid(String text) {
    assertThatThrownBy(
            () -> new RowSchema(Column.parseList("k"), List.of(), Aggregate.parseList(text)))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a,a", "a,", "week(a)", "hour()", "(a)", "hour(a)x"})
  void whatIsNoKeyIsInvalid(String text) {
    assertThatThrownBy(() -> RowSchema.parse(text, "v", ""))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID));
  }

  @Test
  void aSumBeyond64BitsIsNoWrongAnswer() {
    RowSchema schema = RowSchema.parse("k", "", "sum(n)");
    assertThatThrownBy(() -> load(new Kept(), schema, "k,n\na,9223372036854775807\na,1\n"))
        .isInstanceOf(OverflowException.class)
        .hasMessageContainingAll("sum(n)", "key 'a'", "64 bits");
  }

  @Test
  void propertiesBringTheSchemaBack() {
    RowSchema schema = RowSchema.parse("a,hour(t)", "", "count(),min(double(x)),sum(int(n))");
    assertThat(RowSchema.of(schema.toProperties("cf"), "cf")).isEqualTo(schema);
    assertThat(RowSchema.of(schema.toProperties("cf"), "other")).isNull();
    assertThat(schema.describe())
        .isEqualTo("--key 'a,hour(t)' --aggregate 'count(),min(double(x)),sum(n)'");
  }

  @Test
  void loadedInputsComeBackAndForgetTheOldest() {
    LoadedInputs loaded = LoadedInputs.of(Map.of());
    for (int i = 0; i < 300; i++) {
      loaded.note(String.format("%032x", i), i, i % 2 == 0);
    }
    LoadedInputs again = LoadedInputs.of(Map.of(LoadedInputs.PROPERTY, loaded.toText()));
    assertThat(again.taken(String.format("%032x", 0))).isEqualTo(new LoadedInputs.Taken(0, false));
    assertThat(again.taken(String.format("%032x", 298)))
        .isEqualTo(new LoadedInputs.Taken(298, true));
    assertThatThrownBy(() -> LoadedInputs.of(Map.of(LoadedInputs.PROPERTY, "x")))
        .isInstanceOf(StateStoreException.class);
  }
}
