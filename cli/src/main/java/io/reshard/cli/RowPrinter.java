package io.reshard.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.reshard.spi.ByteView;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Prints rows: tab-separated with a header line (backslash, tab and line break in text written as
 * \\, \t, \n, \r), or JSON Lines. Rows that {@code load} did not write are shown as hexadecimal.
 */
final class RowPrinter implements AutoCloseable {
  private static final int BUFFER_LENGTH = 32 << 10;

  private final Console console;
  private final boolean json;
  private final @Nullable RowSchema schema;
  private final TupleReader tuple = new TupleReader();
  private final StringBuilder buffer = new StringBuilder();
  private boolean unread;

  RowPrinter(Console console, boolean json, @Nullable RowSchema schema) {
    this.console = console;
    this.json = json;
    this.schema = schema;
  }

  /** Prints the names of the columns, unless it is JSON. */
  void printHeader() {
    if (!json) {
      String names =
          schema == null
              ? "key\tvalue"
              : String.join("\t", schema.keyNames())
                  + "\t"
                  + String.join("\t", schema.valueNames());
      console.print(console.bold(names));
    }
  }

  /**
   * Prints a row, some together.
   *
   * @return whether anyone reads on: false once a pipe is closed, as head does
   */
  boolean print(ByteView key, ByteView value) {
    buffer.append(schema == null ? raw(key, value) : row(schema, key, value)).append('\n');
    if (buffer.length() >= BUFFER_LENGTH) {
      close();
    }
    return !unread;
  }

  /** Prints what is still to be printed. */
  @Override
  public void close() {
    console.out().print(buffer);
    buffer.setLength(0);
    unread = console.out().checkError();
  }

  private String row(RowSchema schema, ByteView key, ByteView value) {
    List<@Nullable Object> keyColumns = schema.decodeKey(key, tuple);
    List<@Nullable Object> valueColumns = schema.decodeValue(value, tuple);
    if (json) {
      return Console.json(
          out -> {
            write(out, schema.keyNames(), keyColumns);
            write(out, schema.valueNames(), valueColumns);
          });
    }
    StringJoiner line = new StringJoiner("\t");
    keyColumns.forEach(column -> line.add(escaped(column)));
    valueColumns.forEach(column -> line.add(escaped(column)));
    return line.toString();
  }

  private String raw(ByteView key, ByteView value) {
    if (!json) {
      return hex(key) + "\t" + hex(value);
    }
    return Console.json(
        out -> {
          out.writeStringField("key", hex(key));
          out.writeStringField("value", hex(value));
        });
  }

  private static String hex(ByteView bytes) {
    return HexFormat.of().formatHex(bytes.array(), bytes.offset(), bytes.offset() + bytes.length());
  }

  private static String escaped(@Nullable Object column) {
    if (column == null) {
      return "";
    }
    String text = column.toString();
    return column instanceof String
        ? text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
        : text;
  }

  private static void write(JsonGenerator out, List<String> names, List<@Nullable Object> columns)
      throws IOException {
    for (int i = 0; i < names.size(); i++) {
      out.writeFieldName(names.get(i));
      Object column = columns.get(i);
      if (column instanceof Long number) {
        out.writeNumber(number);
      } else if (column instanceof Double number) {
        out.writeNumber(number);
      } else if (column instanceof Boolean truth) {
        out.writeBoolean(truth);
      } else if (column == null) {
        out.writeNull();
      } else {
        out.writeString(column.toString());
      }
    }
  }
}
