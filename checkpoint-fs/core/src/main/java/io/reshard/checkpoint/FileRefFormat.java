package io.reshard.checkpoint;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;
import io.reshard.spi.Limits;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * {@link FileRef}s in JSON, as shard lists and job results hold them. There may be millions, so no
 * text is made that is not kept: digits go from and to the parser's and the generator's buffers,
 * and files of one pack share its name. One instance for each reader or writer of a list.
 */
final class FileRefFormat {
  private static final SerializableString COLUMN_FAMILY = new SerializedString("columnFamily");
  private static final SerializableString OBJECT = new SerializedString("object");
  private static final SerializableString OFFSET = new SerializedString("offset");
  private static final SerializableString LENGTH = new SerializedString("length");
  private static final SerializableString SHA256 = new SerializedString("sha256");
  private static final SerializableString LEVEL = new SerializedString("level");
  private static final SerializableString SMALLEST_KEY = new SerializedString("smallestKey");
  private static final SerializableString LARGEST_KEY = new SerializedString("largestKey");
  private static final SerializableString SMALLEST_SEQUENCE =
      new SerializedString("smallestSequence");
  private static final SerializableString LARGEST_SEQUENCE =
      new SerializedString("largestSequence");
  private static final SerializableString DELETIONS = new SerializedString("deletions");
  private static final SerializableString DIGEST = new SerializedString("digest");

  /** In the order of their bits in {@link #seen}. */
  private static final String[] FIELDS = {
    "columnFamily",
    "object",
    "offset",
    "length",
    "sha256",
    "level",
    "smallestKey",
    "largestKey",
    "smallestSequence",
    "largestSequence",
    "deletions",
    "digest"
  };

  private static final int SHA_DIGITS = 64;
  private static final byte[] NO_KEY = {};

  private final FileRef.Parts parts = new FileRef.Parts("", NO_KEY, NO_KEY);
  private final Map<String, String> names = new HashMap<>();
  private final long[] digest = new long[3];
  private char[] text = new char[256];
  private String object = "";
  private int seen;

  /** Writes one. */
  void write(JsonGenerator json, FileRef file) throws IOException {
    json.writeStartObject();
    json.writeFieldName(COLUMN_FAMILY);
    json.writeString(file.columnFamily());
    hash(file);
    json.writeFieldName(OBJECT);
    if (file.isAlone()) {
      json.writeString(text, 0, StoreNames.putFile(text));
    } else {
      json.writeString(file.object());
    }
    json.writeFieldName(OFFSET);
    json.writeNumber(file.offset());
    json.writeFieldName(LENGTH);
    json.writeNumber(file.length());
    json.writeFieldName(SHA256);
    json.writeString(text, StoreNames.FILE_HASH_AT, SHA_DIGITS);
    json.writeFieldName(LEVEL);
    json.writeNumber(file.level());
    json.writeFieldName(SMALLEST_KEY);
    writeKey(json, file.smallestKey());
    json.writeFieldName(LARGEST_KEY);
    writeKey(json, file.largestKey());
    json.writeFieldName(SMALLEST_SEQUENCE);
    json.writeNumber(file.smallestSequence());
    json.writeFieldName(LARGEST_SEQUENCE);
    json.writeNumber(file.largestSequence());
    json.writeFieldName(DELETIONS);
    json.writeNumber(file.deletions());
    json.writeFieldName(DIGEST);
    writeDigest(json, file);
    json.writeEndObject();
  }

  /** Puts a file's hash where it stands in the name of an object of its own. */
  private void hash(FileRef file) {
    for (int i = 0; i < Sha256.LONGS; i++) {
      Hex.put(file.hash(i), text, StoreNames.FILE_HASH_AT + 16 * i);
    }
  }

  private void writeKey(JsonGenerator json, byte[] key) throws IOException {
    if (text.length < 2 * key.length) {
      text = new char[2 * key.length];
    }
    Hex.put(key, text);
    json.writeString(text, 0, 2 * key.length);
  }

  /** {@code count:32 digits}, as {@link SetDigest#toString()} has it. */
  private void writeDigest(JsonGenerator json, FileRef file) throws IOException {
    int at = 20;
    for (long rest = file.entries(); rest > 0 || at == 20; rest /= 10) {
      text[--at] = (char) ('0' + rest % 10);
    }
    text[20] = ':';
    Hex.put(file.digestHigh(), text, 21);
    Hex.put(file.digestLow(), text, 37);
    json.writeString(text, at, 53 - at);
  }

  /** Reads one. */
  FileRef read(JsonInput json) {
    seen = 0;
    json.object(field -> readField(json, field));
    if (seen != (1 << FIELDS.length) - 1) {
      throw json.corrupt("field '" + FIELDS[Integer.numberOfTrailingZeros(~seen)] + "' is missing");
    }
    parts.object = StoreNames.isFile(object, parts.hash) ? null : object;
    return new FileRef(parts);
  }

  private void readField(JsonInput json, String field) {
    switch (field) {
      case "columnFamily" -> {
        once(json, 0);
        parts.columnFamily = json.sameText(parts.columnFamily, 64);
      }
      case "object" -> {
        once(json, 1);
        object = readObject(json);
      }
      case "offset" -> {
        once(json, 2);
        parts.offset = json.count();
      }
      case "length" -> {
        once(json, 3);
        parts.length = json.count();
      }
      case "sha256" -> {
        once(json, 4);
        json.sha256(parts.hash);
      }
      case "level" -> {
        once(json, 5);
        parts.level = json.number(0, FileRef.MAX_LEVEL);
      }
      case "smallestKey" -> {
        once(json, 6);
        parts.smallestKey = json.bytes(Limits.MAX_KEY_BYTES);
      }
      case "largestKey" -> {
        once(json, 7);
        parts.largestKey = json.bytes(Limits.MAX_KEY_BYTES);
      }
      case "smallestSequence" -> {
        once(json, 8);
        parts.smallestSequence = json.count();
      }
      case "largestSequence" -> {
        once(json, 9);
        parts.largestSequence = json.count();
      }
      case "deletions" -> {
        once(json, 10);
        parts.deletions = json.count();
      }
      case "digest" -> {
        once(json, 11);
        json.digest(digest);
        parts.digestCount = digest[0];
        parts.digestHigh = digest[1];
        parts.digestLow = digest[2];
      }
      default -> throw json.unknown(field);
    }
  }

  private void once(JsonInput json, int field) {
    if ((seen & 1 << field) != 0) {
      throw json.corrupt("field '" + FIELDS[field] + "' is there twice");
    }
    seen |= 1 << field;
  }

  /** Files of one pack share its name. */
  private String readObject(JsonInput json) {
    String name = json.objectName(StoreNames.FILES);
    return StoreNames.isPack(name) ? names.computeIfAbsent(name, same -> same) : name;
  }
}
