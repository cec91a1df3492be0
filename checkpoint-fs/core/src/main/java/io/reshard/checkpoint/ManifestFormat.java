package io.reshard.checkpoint;

import com.fasterxml.jackson.core.JsonGenerator;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.Placement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A {@link Manifest} as the body of an {@link Envelope}. */
final class ManifestFormat {
  private static final String FORMAT = "reshard-manifest";
  private static final int VERSION = 1;

  private @Nullable String storeId;
  private @Nullable Long version;
  private @Nullable Long parent;
  private @Nullable String writer;
  private @Nullable Long created;
  private Manifest.@Nullable Operation operation;
  private @Nullable String backend;
  private @Nullable Layout layout;
  private @Nullable List<ColumnFamily> columnFamilies;
  private @Nullable List<ShardRef> shards;
  private @Nullable Map<String, String> properties;

  private ManifestFormat() {}

  static byte[] write(Manifest manifest) {
    return JsonOutput.bytes(json -> write(json, manifest));
  }

  private static void write(JsonGenerator json, Manifest manifest) throws IOException {
    JsonOutput.format(json, FORMAT, VERSION);
    json.writeStringField("storeId", manifest.storeId());
    json.writeNumberField("version", manifest.version());
    json.writeNumberField("parent", manifest.parent());
    json.writeStringField("writer", manifest.writer());
    json.writeNumberField("created", manifest.createdMillis());
    json.writeStringField("operation", label(manifest.operation()));
    json.writeStringField("backend", manifest.backend());
    writeLayout(json, manifest.layout());
    json.writeArrayFieldStart("columnFamilies");
    for (ColumnFamily columnFamily : manifest.columnFamilies()) {
      json.writeStartObject();
      json.writeStringField("name", columnFamily.name());
      json.writeStringField("placement", label(columnFamily.placement()));
      json.writeStringField("partitionKey", columnFamily.partitionKey().toString());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("shards");
    for (ShardRef shard : manifest.shards()) {
      writeShard(json, shard);
    }
    json.writeEndArray();
    JsonOutput.properties(json, manifest.properties());
    json.writeEndObject();
  }

  private static void writeLayout(JsonGenerator json, Layout layout) throws IOException {
    json.writeObjectFieldStart("layout");
    json.writeStringField("kind", layout.kind().label());
    json.writeNumberField("shards", layout.shards());
    json.writeStringField("hash", layout.hash());
    json.writeNumberField("seed", layout.seed());
    json.writeEndObject();
  }

  /** A shard without files is an empty object. */
  private static void writeShard(JsonGenerator json, ShardRef shard) throws IOException {
    json.writeStartObject();
    if (shard.files() > 0) {
      json.writeStringField("object", shard.object());
      json.writeNumberField("offset", shard.offset());
      json.writeNumberField("length", shard.length());
      json.writeStringField("sha256", shard.sha256());
      json.writeNumberField("files", shard.files());
      json.writeNumberField("bytes", shard.bytes());
      json.writeNumberField("deletions", shard.deletions());
      json.writeStringField("digest", shard.digest().toString());
    }
    json.writeEndObject();
  }

  static Manifest read(JsonInput json) {
    return json.read(
        () -> {
          ManifestFormat fields = new ManifestFormat();
          json.formatted(FORMAT, VERSION, field -> fields.readField(json, field));
          return fields.manifest(json);
        });
  }

  private Manifest manifest(JsonInput json) {
    return new Manifest(
        json.required(storeId, "storeId"),
        json.required(version, "version"),
        json.required(parent, "parent"),
        json.required(writer, "writer"),
        json.required(created, "created"),
        json.required(operation, "operation"),
        json.required(backend, "backend"),
        json.required(layout, "layout"),
        json.required(columnFamilies, "columnFamilies"),
        json.required(shards, "shards"),
        json.required(properties, "properties"));
  }

  private void readField(JsonInput json, String field) {
    switch (field) {
      case "storeId" -> storeId = json.text(64);
      case "version" -> version = json.number(1, Long.MAX_VALUE);
      case "parent" -> parent = json.count();
      case "writer" -> writer = json.text(64);
      case "created" -> created = json.count();
      case "operation" -> operation = constant(json, Manifest.Operation.values());
      case "backend" -> backend = json.text(64);
      case "layout" -> layout = readLayout(json);
      case "columnFamilies" -> columnFamilies = readColumnFamilies(json);
      case "shards" -> shards = readShards(json);
      case "properties" -> properties = json.properties();
      default -> throw json.unknown(field);
    }
  }

  private static Layout readLayout(JsonInput json) {
    var fields =
        new Object() {
          Layout.@Nullable Kind kind;
          @Nullable Integer shards;
          @Nullable String hash;
          @Nullable Long seed;
        };
    json.object(
        field -> {
          switch (field) {
            case "kind" -> fields.kind = constant(json, Layout.Kind.values());
            case "shards" -> fields.shards = json.number(1, Layout.MAX_SHARDS);
            case "hash" -> fields.hash = json.text(64);
            case "seed" -> fields.seed = json.number(Long.MIN_VALUE, Long.MAX_VALUE);
            default -> throw json.unknown(field);
          }
        });
    return new Layout(
        json.required(fields.kind, "kind"),
        json.required(fields.shards, "shards"),
        json.required(fields.hash, "hash"),
        json.required(fields.seed, "seed"));
  }

  private static List<ColumnFamily> readColumnFamilies(JsonInput json) {
    List<ColumnFamily> columnFamilies = new ArrayList<>();
    json.array(ColumnFamily.MAX_COUNT, () -> columnFamilies.add(readColumnFamily(json)));
    return columnFamilies;
  }

  private static ColumnFamily readColumnFamily(JsonInput json) {
    var fields =
        new Object() {
          @Nullable String name;
          @Nullable Placement placement;
          @Nullable PartitionKey partitionKey;
        };
    json.object(
        field -> {
          switch (field) {
            case "name" -> fields.name = json.text(64);
            case "placement" -> fields.placement = constant(json, Placement.values());
            case "partitionKey" -> fields.partitionKey = PartitionKey.parse(json.text(128));
            default -> throw json.unknown(field);
          }
        });
    return new ColumnFamily(
        json.required(fields.name, "name"),
        json.required(fields.placement, "placement"),
        json.required(fields.partitionKey, "partitionKey"));
  }

  private static List<ShardRef> readShards(JsonInput json) {
    List<ShardRef> shards = new ArrayList<>();
    json.array(Layout.MAX_SHARDS, () -> shards.add(readShard(json)));
    return shards;
  }

  private static ShardRef readShard(JsonInput json) {
    var fields =
        new Object() {
          String object = "";
          int offset;
          int length;
          String sha256 = "";
          int files;
          long bytes;
          long deletions;
          SetDigest digest = new SetDigest();
        };
    json.object(
        field -> {
          switch (field) {
            case "object" -> fields.object = json.objectName(StoreNames.SHARDS);
            case "offset" -> fields.offset = json.number(0, Envelope.MAX_BYTES);
            case "length" -> fields.length = json.number(0, Envelope.MAX_BYTES);
            case "sha256" -> fields.sha256 = json.sha256();
            case "files" -> fields.files = json.number(0, ShardRef.MAX_FILES);
            case "bytes" -> fields.bytes = json.count();
            case "deletions" -> fields.deletions = json.count();
            case "digest" -> fields.digest = json.digest();
            default -> throw json.unknown(field);
          }
        });
    return new ShardRef( // Checks that all are there, or none.
        fields.object,
        fields.offset,
        fields.length,
        fields.sha256,
        fields.files,
        fields.bytes,
        fields.deletions,
        fields.digest);
  }

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static <E extends Enum<E>> E constant(JsonInput json, E[] values) {
    String text = json.text(64);
    for (E value : values) {
      if (label(value).equals(text)) {
        return value;
      }
    }
    throw json.unknownValue(text);
  }
}
