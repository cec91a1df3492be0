package io.reshard.checkpoint;

import com.fasterxml.jackson.core.JsonGenerator;
import io.reshard.spi.Limits;
import java.io.IOException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A {@link FileRef} in JSON, as shard lists and job results hold it. */
final class FileRefFormat {
  private static final HexFormat HEX = HexFormat.of();

  private @Nullable String columnFamily;
  private @Nullable String object;
  private @Nullable Long offset;
  private @Nullable Long length;
  private @Nullable String sha256;
  private @Nullable Integer level;
  private byte @Nullable [] smallestKey;
  private byte @Nullable [] largestKey;
  private @Nullable Long smallestSequence;
  private @Nullable Long largestSequence;
  private @Nullable Long deletions;
  private @Nullable SetDigest digest;

  private FileRefFormat() {}

  static void write(JsonGenerator json, FileRef file) throws IOException {
    json.writeStartObject();
    json.writeStringField("columnFamily", file.columnFamily());
    json.writeStringField("object", file.object());
    json.writeNumberField("offset", file.offset());
    json.writeNumberField("length", file.length());
    json.writeStringField("sha256", file.sha256());
    json.writeNumberField("level", file.level());
    json.writeStringField("smallestKey", HEX.formatHex(file.smallestKey()));
    json.writeStringField("largestKey", HEX.formatHex(file.largestKey()));
    json.writeNumberField("smallestSequence", file.smallestSequence());
    json.writeNumberField("largestSequence", file.largestSequence());
    json.writeNumberField("deletions", file.deletions());
    json.writeStringField("digest", file.digest().toString());
    json.writeEndObject();
  }

  static FileRef read(JsonInput json) {
    FileRefFormat fields = new FileRefFormat();
    json.object(field -> fields.readField(json, field));
    return new FileRef(
        json.required(fields.columnFamily, "columnFamily"),
        json.required(fields.object, "object"),
        json.required(fields.offset, "offset"),
        json.required(fields.length, "length"),
        json.required(fields.sha256, "sha256"),
        json.required(fields.level, "level"),
        json.required(fields.smallestKey, "smallestKey"),
        json.required(fields.largestKey, "largestKey"),
        json.required(fields.smallestSequence, "smallestSequence"),
        json.required(fields.largestSequence, "largestSequence"),
        json.required(fields.deletions, "deletions"),
        json.required(fields.digest, "digest"));
  }

  private void readField(JsonInput json, String field) {
    switch (field) {
      case "columnFamily" -> columnFamily = json.text(64);
      case "object" -> object = json.objectName(StoreNames.FILES);
      case "offset" -> offset = json.count();
      case "length" -> length = json.count();
      case "sha256" -> sha256 = json.sha256();
      case "level" -> level = json.number(0, FileRef.MAX_LEVEL);
      case "smallestKey" -> smallestKey = json.bytes(Limits.MAX_KEY_BYTES);
      case "largestKey" -> largestKey = json.bytes(Limits.MAX_KEY_BYTES);
      case "smallestSequence" -> smallestSequence = json.count();
      case "largestSequence" -> largestSequence = json.count();
      case "deletions" -> deletions = json.count();
      case "digest" -> digest = json.digest();
      default -> throw json.unknown(field);
    }
  }
}
