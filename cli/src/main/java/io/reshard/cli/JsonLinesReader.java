package io.reshard.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON Lines: one object a line, in UTF-8. Fields are those at the top of the object; a field
 * that is missing or null is absent. Numbers and truth values are read as the text they are written
 * as. Empty lines are skipped.
 */
final class JsonLinesReader implements RecordReader {
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private static final Pattern INTERNAL =
      Pattern.compile(
          " \\(start marker|: enable `|, from `| \\(not recognized as one| at \\[Source");

  private final String input;
  private final LineSource source;
  private final Map<String, Integer> indexes = new HashMap<>();
  private final @Nullable String[] values;
  private byte[] bytes = new byte[4096];
  private int length;
  private long line;

  /**
   * A reader of the fields of those names.
   *
   * @param input what errors call the input
   */
  JsonLinesReader(String input, InputStream in, List<String> names) throws IOException {
    this.input = input;
    this.source = new LineSource(in);
    this.values = new @Nullable String[names.size()];
    for (int i = 0; i < names.size(); i++) {
      indexes.put(names.get(i), i);
    }
    source.skipByteOrderMark();
  }

  @Override
  public boolean next() throws IOException, MalformedRecordException {
    do {
      if (!readLine()) {
        return false;
      }
    } while (isBlank());
    Arrays.fill(values, null);
    try (JsonParser parser = JSON.createParser(bytes, 0, length)) {
      readObject(parser);
    } catch (JsonProcessingException e) {
      throw new MalformedRecordException("not JSON: " + plain(e.getOriginalMessage()));
    }
    return true;
  }

  @Override
  public long line() {
    return line;
  }

  @Override
  public @Nullable String field(int index) {
    return values[index];
  }

  private void readObject(JsonParser parser) throws IOException, MalformedRecordException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new MalformedRecordException("a line must hold one JSON object");
    }
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      Integer index = indexes.get(parser.currentName());
      JsonToken token = parser.nextToken();
      if (index == null) {
        parser.skipChildren();
      } else if (!token.isScalarValue()) {
        throw new MalformedRecordException(
            "field '" + parser.currentName() + "' is an object or array; expected one value");
      } else {
        values[index] = token == JsonToken.VALUE_NULL ? null : parser.getText();
      }
    }
    if (parser.nextToken() != null) {
      throw new MalformedRecordException("something follows the JSON object on its line");
    }
  }

  /** What the parser says, without its source locations and the names of its settings. */
  private static String plain(String message) {
    if (message.startsWith("Non-standard token")) {
      return "NaN and Infinity are no JSON numbers; write null, or leave the field out";
    }
    Matcher internal = INTERNAL.matcher(message);
    return internal.find() ? message.substring(0, internal.start()) : message;
  }

  private boolean readLine() throws IOException {
    line = source.line();
    length = 0;
    int b = source.read();
    if (b < 0) {
      return false;
    }
    while (b >= 0 && b != '\n') {
      append(b);
      b = source.read();
    }
    return true;
  }

  private void append(int b) {
    if (length == bytes.length) {
      if (length >= MAX_RECORD_BYTES) {
        throw StateStoreException.invalid(
            input
                + ", line "
                + line
                + ": the line is longer than "
                + MAX_RECORD_BYTES
                + " bytes; is it JSON Lines?");
      }
      bytes = Arrays.copyOf(bytes, length * 2);
    }
    bytes[length++] = (byte) b;
  }

  private boolean isBlank() {
    for (int i = 0; i < length; i++) {
      if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r') {
        return false;
      }
    }
    return true;
  }
}
