package io.reshard.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreMetrics;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.checkpoint.StoreOptions;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of every verb with a store that say how its location is opened. */
final class StorePlace {
  /** What {@code --store} is, for help. */
  static final String WHAT = "a directory, s3://bucket/prefix or hdfs://host:port/path";

  @Option(
      names = "--store-option",
      order = 90,
      paramLabel = "NAME=VALUE",
      description =
          "How to open the store, such as s3.endpoint=http://localhost:9000; may be repeated. The"
              + " names are in docs/operations.md.")
  Map<String, String> options = new LinkedHashMap<>();

  /** Opens a location. */
  ObjectStore open(String location) {
    return ObjectStores.open(location, StoreOptions.of(options));
  }

  /** What was asked of the object store, as a field of a JSON object. */
  static void write(JsonGenerator out, ObjectStoreMetrics metrics) throws IOException {
    out.writeObjectFieldStart("requests");
    out.writeNumberField("put", metrics.puts());
    out.writeNumberField("get", metrics.gets());
    out.writeNumberField("head", metrics.heads());
    out.writeNumberField("list", metrics.lists());
    out.writeNumberField("delete", metrics.deletes());
    out.writeNumberField("retries", metrics.retries());
    out.writeNumberField("bytesSent", metrics.bytesSent());
    out.writeNumberField("bytesReceived", metrics.bytesReceived());
    out.writeEndObject();
  }

  /** What was asked of the object store, for a person; empty where nothing is counted. */
  static String describe(ObjectStoreMetrics metrics) {
    if (metrics.requests() == 0) {
      return "";
    }
    return Units.count(metrics.requests())
        + " requests ("
        + Units.count(metrics.puts())
        + " put, "
        + Units.count(metrics.gets())
        + " get, "
        + Units.count(metrics.heads())
        + " head, "
        + Units.count(metrics.lists())
        + " list, "
        + Units.count(metrics.deletes())
        + " delete"
        + (metrics.retries() == 0 ? "" : "; " + Units.count(metrics.retries()) + " of them again")
        + "), "
        + Units.bytes(metrics.bytesSent())
        + " sent, "
        + Units.bytes(metrics.bytesReceived())
        + " received";
  }
}
