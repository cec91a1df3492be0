package io.reshard.checkpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A {@link JobResult} as the body of an {@link Envelope}. */
final class JobResultFormat {
  private static final String FORMAT = "reshard-job-result";
  private static final int VERSION = 1;

  private JobResultFormat() {}

  static byte[] write(JobResult result) {
    return JsonOutput.bytes(
        json -> {
          JsonOutput.format(json, FORMAT, VERSION);
          json.writeArrayFieldStart("shards");
          FileRefFormat format = new FileRefFormat();
          for (Map.Entry<Integer, List<FileRef>> shard : result.files().entrySet()) {
            json.writeStartObject();
            json.writeNumberField("shard", shard.getKey());
            json.writeArrayFieldStart("files");
            for (FileRef file : shard.getValue()) {
              format.write(json, file);
            }
            json.writeEndArray();
            json.writeEndObject();
          }
          json.writeEndArray();
          JsonOutput.properties(json, result.properties());
          json.writeEndObject();
        });
  }

  static JobResult read(JsonInput json) {
    var fields =
        new Object() {
          final SortedMap<Integer, List<FileRef>> files = new TreeMap<>();
          final FileRefFormat format = new FileRefFormat();
          @Nullable Map<String, String> properties;
        };
    return json.read(
        () -> {
          json.formatted(
              FORMAT,
              VERSION,
              field -> {
                switch (field) {
                  case "shards" ->
                      json.array(
                          Layout.MAX_SHARDS, () -> readShard(json, fields.format, fields.files));
                  case "properties" -> fields.properties = json.properties();
                  default -> throw json.unknown(field);
                }
              });
          return new JobResult(fields.files, json.required(fields.properties, "properties"));
        });
  }

  private static void readShard(
      JsonInput json, FileRefFormat format, SortedMap<Integer, List<FileRef>> into) {
    List<FileRef> files = new ArrayList<>();
    var fields =
        new Object() {
          @Nullable Integer shard;
        };
    json.object(
        field -> {
          switch (field) {
            case "shard" -> fields.shard = json.number(0, Layout.MAX_SHARDS - 1);
            case "files" -> json.array(ShardRef.MAX_FILES, () -> files.add(format.read(json)));
            default -> throw json.unknown(field);
          }
        });
    int shard = json.required(fields.shard, "shard");
    if (into.put(shard, files) != null) {
      throw json.corrupt("shard " + shard + " is there twice");
    }
  }
}
