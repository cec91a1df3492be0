package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads CSV as of RFC 4180 with a header line: fields separated by a delimiter, quoted where they
 * hold a delimiter, quote or line break, a quote within quotes doubled. Lines end with LF or CRLF;
 * empty lines are skipped; a byte order mark is too. An empty field is the empty text.
 *
 * <p>A record's bytes, unquoted, lie one field after another in one array that grows to the longest
 * record; only fields asked for become text.
 */
final class CsvReader implements RecordReader {
  private final String input;
  private final LineSource source;
  private final int delimiter;
  private final int[] columns;
  private byte[] bytes = new byte[4096];
  private int length;
  private int[] ends = new int[16];
  private int fields;
  private int headerFields;
  private long line;

  /**
   * Reads the header.
   *
   * @param input what errors call the input
   * @param names the fields needed
   * @throws StateStoreException of kind INVALID if a name is not in the header, listing those there
   */
  CsvReader(String input, InputStream in, char delimiter, List<String> names) throws IOException {
    this.input = input;
    this.source = new LineSource(in);
    this.delimiter = delimiter;
    source.skipByteOrderMark();
    this.columns = columns(header(), names);
  }

  private List<String> header() throws IOException {
    try {
      if (!readRecord()) {
        throw StateStoreException.invalid(
            input + " is empty; expected a header line with the names of the columns");
      }
      headerFields = fields;
      checkLineEnds();
      List<String> header = new ArrayList<>();
      for (int i = 0; i < fields; i++) {
        header.add(text(i));
      }
      return header;
    } catch (MalformedRecordException e) {
      throw StateStoreException.invalid(
          input + ", line 1: the header cannot be read: " + e.getMessage());
    }
  }

  private int[] columns(List<String> header, List<String> names) {
    int[] columns = new int[names.size()];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = header.indexOf(names.get(i));
      if (columns[i] < 0 || header.lastIndexOf(names.get(i)) != columns[i]) {
        throw StateStoreException.invalid(
            input
                + (columns[i] < 0 ? ": no column '" : ": more than one column '")
                + names.get(i)
                + "' in the header; it has: "
                + String.join(", ", header)
                + ". Correct --key, --value or --aggregate, or --delimiter");
      }
    }
    return columns;
  }

  /** A carriage return without a line feed within the header: all the lines look like one. */
  private void checkLineEnds() {
    for (int i = 0; i < length; i++) {
      if (bytes[i] == '\r') {
        throw StateStoreException.invalid(
            input
                + ": line ends are CR; expected LF or CRLF. Convert them, as with tr '\\r' '\\n'");
      }
    }
  }

  @Override
  public boolean next() throws IOException, MalformedRecordException {
    if (!readRecord()) {
      return false;
    }
    if (fields != headerFields) {
      throw new MalformedRecordException(fields + " fields; the header has " + headerFields);
    }
    return true;
  }

  @Override
  public long line() {
    return line;
  }

  @Override
  public @Nullable String field(int index) throws MalformedRecordException {
    return text(columns[index]);
  }

  private String text(int field) throws MalformedRecordException {
    int start = field == 0 ? 0 : ends[field - 1];
    String text = new String(bytes, start, ends[field] - start, StandardCharsets.UTF_8);
    // The decoder puts U+FFFD where bytes are not UTF-8; the input may also hold that character.
    if (text.indexOf('\ufffd') >= 0) {
      byte[] again = text.getBytes(StandardCharsets.UTF_8);
      if (!Arrays.equals(again, 0, again.length, bytes, start, ends[field])) {
        throw new MalformedRecordException(
            "field " + (field + 1) + " is not UTF-8: " + MalformedRecordException.shown(text));
      }
    }
    return text;
  }

  /** Reads the next record that is not an empty line. */
  private boolean readRecord() throws IOException, MalformedRecordException {
    while (true) {
      line = source.line();
      length = 0;
      fields = 0;
      int b = source.read();
      if (b < 0) {
        return false;
      }
      if (b == '\n' || (b == '\r' && source.peek() == '\n')) {
        continue;
      }
      readFields(b);
      return true;
    }
  }

  private void readFields(int first) throws IOException, MalformedRecordException {
    int b = first;
    while (true) {
      b = b == '"' ? readQuoted() : readPlain(b);
      endField();
      if (b != delimiter) {
        return;
      }
      b = source.read();
    }
  }

  /** Reads an unquoted field; returns the delimiter, LF or -1 behind it. */
  private int readPlain(int first) throws IOException {
    int b = first;
    while (b != delimiter && b != '\n' && b >= 0) {
      if (b != '\r' || (source.peek() != '\n' && source.peek() >= 0)) {
        append(b);
      }
      b = source.read();
    }
    return b;
  }

  /** Reads a quoted field after its quote; returns the delimiter, LF or -1 behind it. */
  private int readQuoted() throws IOException, MalformedRecordException {
    while (true) {
      int b = source.read();
      if (b < 0) {
        throw new MalformedRecordException("a quote is opened and not closed before the end");
      }
      if (b != '"') {
        append(b);
      } else if (source.peek() == '"') {
        append(source.read());
      } else {
        return afterQuote();
      }
    }
  }

  private int afterQuote() throws IOException, MalformedRecordException {
    int b = source.read();
    if (b == '\r' && (source.peek() == '\n' || source.peek() < 0)) {
      b = source.read();
    }
    if (b == delimiter || b == '\n' || b < 0) {
      return b;
    }
    skipLine(b);
    throw new MalformedRecordException(
        "something follows a closing quote; double a quote within quotes");
  }

  private void skipLine(int first) throws IOException {
    int b = first;
    while (b != '\n' && b >= 0) {
      b = source.read();
    }
  }

  private void append(int b) {
    if (length == bytes.length) {
      if (length >= MAX_RECORD_BYTES) {
        throw StateStoreException.invalid(
            input
                + ", line "
                + line
                + ": the record is longer than "
                + MAX_RECORD_BYTES
                + " bytes; is a quote not closed?");
      }
      bytes = Arrays.copyOf(bytes, length * 2);
    }
    bytes[length++] = (byte) b;
  }

  private void endField() {
    if (fields == ends.length) {
      ends = Arrays.copyOf(ends, fields * 2);
    }
    ends[fields++] = length;
  }
}
