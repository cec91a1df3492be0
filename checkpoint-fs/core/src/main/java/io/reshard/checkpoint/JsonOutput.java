package io.reshard.checkpoint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.reshard.spi.StateStoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes JSON without spaces, fields in the order written, so that the same value is the same
 * bytes.
 */
final class JsonOutput {
  private static final JsonFactory FACTORY = new JsonFactory();

  /** Writes one value. */
  @FunctionalInterface
  interface Value {
    void write(JsonGenerator json) throws IOException;
  }

  private JsonOutput() {}

  static byte[] bytes(Value value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
    write(out, value);
    if (out.size() > Envelope.MAX_BYTES) {
      throw StateStoreException.invalid(
          "metadata of " + out.size() + " bytes; at most " + Envelope.MAX_BYTES + " are allowed");
    }
    return out.toByteArray();
  }

  /** Writes one value to a stream in memory. */
  static void write(OutputStream out, Value value) {
    try (JsonGenerator json = FACTORY.createGenerator(out)) {
      value.write(json);
    } catch (IOException e) {
      // Nothing else fails in memory.
      throw new StateStoreException(
          StateStoreException.Kind.INVALID,
          "a text cannot be written as UTF-8: " + e.getMessage() + "; correct it",
          e);
    }
  }

  /** Starts an object that says what it is. */
  static void format(JsonGenerator json, String format, int version) throws IOException {
    json.writeStartObject();
    json.writeStringField("format", format);
    json.writeNumberField("formatVersion", version);
  }

  /** Texts by name, in order of names. */
  static void properties(JsonGenerator json, Map<String, String> properties) throws IOException {
    json.writeObjectFieldStart("properties");
    for (Map.Entry<String, String> property : new TreeMap<>(properties).entrySet()) {
      json.writeStringField(property.getKey(), property.getValue());
    }
    json.writeEndObject();
  }
}
