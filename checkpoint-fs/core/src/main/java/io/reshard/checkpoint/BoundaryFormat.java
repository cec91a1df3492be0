package io.reshard.checkpoint;

import org.jspecify.annotations.Nullable;

/**
 * A boundary object: how far garbage collection has gone; see {@code GarbageCollection}.
 *
 * @param version versions up to this one are retired
 * @param cutoffMillis objects created before this may be deleted if nothing names them, by the
 *     object store's clock
 * @param jobCutoffMillis job results created before this no longer protect what they name
 */
record BoundaryFormat(long version, long cutoffMillis, long jobCutoffMillis) {
  private static final String FORMAT = "reshard-gc-boundary";
  private static final int VERSION = 1;

  byte[] write() {
    return JsonOutput.bytes(
        json -> {
          JsonOutput.format(json, FORMAT, VERSION);
          json.writeNumberField("version", version);
          json.writeNumberField("cutoff", cutoffMillis);
          json.writeNumberField("jobCutoff", jobCutoffMillis);
          json.writeEndObject();
        });
  }

  static BoundaryFormat read(JsonInput json) {
    var fields =
        new Object() {
          @Nullable Long version;
          @Nullable Long cutoff;
          @Nullable Long jobCutoff;
        };
    return json.read(
        () -> {
          json.formatted(
              FORMAT,
              VERSION,
              field -> {
                switch (field) {
                  case "version" -> fields.version = json.count();
                  case "cutoff" -> fields.cutoff = json.count();
                  case "jobCutoff" -> fields.jobCutoff = json.count();
                  default -> throw json.unknown(field);
                }
              });
          return new BoundaryFormat(
              json.required(fields.version, "version"),
              json.required(fields.cutoff, "cutoff"),
              json.required(fields.jobCutoff, "jobCutoff"));
        });
  }
}
