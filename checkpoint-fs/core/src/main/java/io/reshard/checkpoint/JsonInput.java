package io.reshard.checkpoint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.reshard.spi.Limits;
import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads JSON whose form is known in advance, strictly: whoever reads says of each value what it
 * must be and how large it may get. Fields of an object come in any order, none twice. An unknown
 * field is INCOMPATIBLE and named, since a newer version may mean something by it that must not be
 * passed over; everything else that is not as expected is CORRUPT. Errors name object and offset.
 */
final class JsonInput {
  private static final JsonFactory STRICT = factory(true);
  private static final JsonFactory LISTS = factory(false);

  private static JsonFactory factory(boolean findsDuplicates) {
    return JsonFactory.builder()
        .configure(StreamReadFeature.STRICT_DUPLICATE_DETECTION, findsDuplicates)
        .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(16)
                .maxNumberLength(20)
                .maxNameLength(1024)
                .maxStringLength(2 * Limits.MAX_KEY_BYTES + 64)
                .maxDocumentLength(Envelope.MAX_BYTES)
                .build())
        .build();
  }

  private final String object;
  private final int start;
  private final JsonParser parser;

  /** Of a range of {@code bytes}; {@code object} and the range's offset in it are for messages. */
  JsonInput(String object, byte[] bytes, int offset, int length) {
    this(STRICT, object, offset, bytes, offset, length);
  }

  private JsonInput(
      JsonFactory factory, String object, int start, byte[] bytes, int offset, int length) {
    this.object = object;
    this.start = start;
    try {
      this.parser = factory.createParser(bytes, offset, length);
    } catch (IOException e) {
      throw StateStoreException.internal("cannot parse '" + object + "'", e);
    }
  }

  /**
   * Of a shard's file list, in which whoever reads looks for fields that are there twice: a set of
   * names for each of millions of files costs more than all the rest.
   *
   * @param start where the list starts in its object, for messages
   */
  static JsonInput ofList(String object, int start, byte[] bytes, int offset, int length) {
    return new JsonInput(LISTS, object, start, bytes, offset, length);
  }

  /** Reads the one value there is, to the end. */
  <T> T read(Supplier<T> value) {
    try {
      next();
      T result = value.get();
      if (parser.nextToken() != null) {
        throw corrupt("nothing more expected");
      }
      return result;
    } catch (IOException e) {
      throw damaged(e);
    } catch (StateStoreException e) {
      // Values check themselves and call nonsense INVALID; read from bytes it is damage.
      throw e.kind() == StateStoreException.Kind.INVALID
          ? new StateStoreException(StateStoreException.Kind.CORRUPT, where() + e.getMessage(), e)
          : e;
    }
  }

  /** The fields of an object; {@code field} must read the value of each. */
  void object(Consumer<String> field) {
    expect(JsonToken.START_OBJECT, "an object");
    try {
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        parser.nextToken();
        field.accept(name);
      }
    } catch (IOException e) {
      throw damaged(e);
    }
  }

  /**
   * The fields of an object whose first two say what it is: {@code "format"}, then {@code
   * "formatVersion"}. They come first so that a newer version is known before its fields are.
   */
  void formatted(String format, int newestVersion, Consumer<String> field) {
    expect(JsonToken.START_OBJECT, "an object");
    expectField("format");
    String found = text(64);
    if (!found.equals(format)) {
      throw corrupt("format '" + format + "' expected, found '" + found + "'");
    }
    expectField("formatVersion");
    long version = number(1, Integer.MAX_VALUE);
    if (version > newestVersion) {
      throw StateStoreException.incompatible(
          "object '"
              + object
              + "' has version "
              + version
              + " of "
              + format
              + ", this program knows versions up to "
              + newestVersion
              + "; use a newer program");
    }
    try {
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        parser.nextToken();
        field.accept(name);
      }
    } catch (IOException e) {
      throw damaged(e);
    }
  }

  private void expectField(String name) {
    next();
    if (parser.currentToken() != JsonToken.FIELD_NAME || !name.equals(currentName())) {
      throw corrupt("field '" + name + "' expected here");
    }
    next();
  }

  private String currentName() {
    try {
      return String.valueOf(parser.currentName());
    } catch (IOException e) {
      throw damaged(e);
    }
  }

  /** The elements of an array; {@code element} must read each. */
  void array(int max, Runnable element) {
    expect(JsonToken.START_ARRAY, "an array");
    try {
      for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
        if (i == max) {
          throw corrupt("more than " + max + " elements");
        }
        element.run();
      }
    } catch (IOException e) {
      throw damaged(e);
    }
  }

  /** A text of at most {@code maxLength} characters. */
  String text(int maxLength) {
    expect(JsonToken.VALUE_STRING, "a text");
    try {
      int length = parser.getTextLength();
      if (length > maxLength) {
        throw corrupt("a text of " + length + " characters; at most " + maxLength + " expected");
      }
      return parser.getText();
    } catch (IOException e) {
      throw damaged(e);
    }
  }

  /** A whole number within bounds, both included. */
  long number(long min, long max) {
    expect(JsonToken.VALUE_NUMBER_INT, "a whole number");
    long value;
    try {
      value = parser.getLongValue(); // Throws where it does not fit.
    } catch (IOException e) {
      throw damaged(e);
    }
    if (value < min || value > max) {
      throw corrupt(value + " is out of range; " + min + " to " + max + " expected");
    }
    return value;
  }

  /** A whole number within bounds, both included. */
  int number(int min, int max) {
    return (int) number((long) min, (long) max);
  }

  /** A number of things. */
  long count() {
    return number(0, Long.MAX_VALUE);
  }

  /** A text of at most {@code maxLength} characters: {@code same} where it is that. */
  String sameText(String same, int maxLength) {
    expect(JsonToken.VALUE_STRING, "a text");
    try {
      int length = parser.getTextLength();
      if (length == same.length()) {
        char[] found = parser.getTextCharacters();
        int offset = parser.getTextOffset();
        int i = 0;
        while (i < length && found[offset + i] == same.charAt(i)) {
          i++;
        }
        if (i == length) {
          return same;
        }
      }
    } catch (IOException e) {
      throw damaged(e);
    }
    return text(maxLength);
  }

  /** Bytes as hexadecimal digits. */
  byte[] bytes(int maxLength) {
    expect(JsonToken.VALUE_STRING, "a text");
    try {
      int length = parser.getTextLength();
      if (length > 2 * maxLength) {
        throw corrupt(
            "a text of " + length + " characters; at most " + 2 * maxLength + " expected");
      }
      return bytes(parser.getTextCharacters(), parser.getTextOffset(), length);
    } catch (IOException e) {
      throw damaged(e);
    }
  }

  private byte[] bytes(char[] text, int offset, int length) {
    byte[] bytes = new byte[length / 2];
    for (int i = 0; i < bytes.length; i++) {
      int high = Character.digit(text[offset + 2 * i], 16);
      int low = Character.digit(text[offset + 2 * i + 1], 16);
      bytes[i] = (byte) (high << 4 | low);
      if ((high | low) < 0 || text[offset + 2 * i] > 'f' || text[offset + 2 * i + 1] > 'f') {
        throw corrupt("hexadecimal digits expected");
      }
    }
    if (length % 2 != 0) {
      throw corrupt("an even number of hexadecimal digits expected");
    }
    return bytes;
  }

  /** A SHA-256. */
  String sha256() {
    String text = text(64);
    if (!Sha256.isHex(text)) {
      throw corrupt("64 lower-case hexadecimal digits expected");
    }
    return text;
  }

  /** A SHA-256 as bits. */
  void sha256(long[] bits) {
    expect(JsonToken.VALUE_STRING, "a text");
    try {
      char[] text = parser.getTextCharacters();
      int offset = parser.getTextOffset();
      int length = parser.getTextLength();
      if (length != 16 * Sha256.LONGS || !Hex.areDigits(text, offset, length)) {
        throw corrupt("64 lower-case hexadecimal digits expected");
      }
      for (int i = 0; i < Sha256.LONGS; i++) {
        bits[i] = Hex.bits(text, offset + 16 * i);
      }
    } catch (IOException e) {
      throw damaged(e);
    }
  }

  /**
   * An object name below {@code prefix}; anything else, such as a path out of the store, is not.
   */
  String objectName(String prefix) {
    String name = text(ObjectNames.MAX_LENGTH);
    if (!ObjectNames.isValid(name) || !name.startsWith(prefix)) {
      throw corrupt("'" + name + "' is no object name below " + prefix);
    }
    return name;
  }

  /** A digest. */
  SetDigest digest() {
    return SetDigest.parse(text(64));
  }

  /** A digest as its count and the upper and lower half of its sum. */
  void digest(long[] parts) {
    SetDigest digest = digest();
    parts[0] = digest.count();
    parts[1] = digest.high();
    parts[2] = digest.low();
  }

  /** Texts by name. */
  Map<String, String> properties() {
    Map<String, String> properties = new HashMap<>();
    object(
        name -> {
          if (properties.size() == Properties.MAX_COUNT) {
            throw corrupt("more than " + Properties.MAX_COUNT + " properties");
          }
          properties.put(name, text(Properties.MAX_LENGTH));
        });
    return properties;
  }

  /** A value that must be there. */
  <T> T required(@org.jspecify.annotations.Nullable T value, String field) {
    if (value == null) {
      throw corrupt("field '" + field + "' is missing");
    }
    return value;
  }

  /** A field nobody knows. */
  StateStoreException unknown(String field) {
    return StateStoreException.incompatible(
        where()
            + "unknown field '"
            + field
            + "'; a newer program wrote it, use that or a newer one");
  }

  /** A word nobody knows. */
  StateStoreException unknownValue(String word) {
    return StateStoreException.incompatible(
        where() + "unknown word '" + word + "'; a newer program wrote it, use that or a newer one");
  }

  /** Something is not as it must be. */
  StateStoreException corrupt(String what) {
    return StateStoreException.corrupt(where() + what);
  }

  private StateStoreException damaged(IOException e) {
    String message = String.valueOf(e.getMessage());
    int line = message.indexOf('\n');
    return new StateStoreException(
        StateStoreException.Kind.CORRUPT,
        where() + "no such JSON: " + (line < 0 ? message : message.substring(0, line)),
        e);
  }

  private String where() {
    return "object '" + object + "' at offset " + (start + offset()) + ": ";
  }

  private long offset() {
    return Math.max(0, parser.currentTokenLocation().getByteOffset());
  }

  private void next() {
    try {
      parser.nextToken();
    } catch (IOException e) {
      throw damaged(e);
    }
  }

  private void expect(JsonToken expected, String what) {
    JsonToken token = parser.currentToken();
    if (token != expected) {
      throw corrupt(what + " expected, found " + (token == null ? "the end" : token));
    }
  }
}
