package io.reshard.checkpoint;

import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A boundary object: how far garbage collection has gone; see {@code GarbageCollection}.
 *
 * @param version versions up to this one are retired
 * @param cutoffMillis objects created before this may be deleted if nothing names them, by the
 *     object store's clock
 * @param jobCutoffMillis job results created before this no longer protect what they name
 * @param superseded versions above {@code version} that must not be used: some of their files may
 *     be gone, and the next version has taken their place
 */
record BoundaryFormat(
    long version, long cutoffMillis, long jobCutoffMillis, SortedSet<Long> superseded) {
  /** More superseded versions than this are not remembered; the oldest go first. */
  static final int MAX_SUPERSEDED = 1000;

  private static final String FORMAT = "reshard-gc-boundary";
  private static final int VERSION = 1;

  byte[] write() {
    return JsonOutput.bytes(
        json -> {
          JsonOutput.format(json, FORMAT, VERSION);
          json.writeNumberField("version", version);
          json.writeNumberField("cutoff", cutoffMillis);
          json.writeNumberField("jobCutoff", jobCutoffMillis);
          json.writeArrayFieldStart("superseded");
          for (long number : superseded) {
            json.writeNumber(number);
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  static BoundaryFormat read(JsonInput json) {
    var fields =
        new Object() {
          @Nullable Long version;
          @Nullable Long cutoff;
          @Nullable Long jobCutoff;
          final SortedSet<Long> superseded = new TreeSet<>();
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
                  case "superseded" ->
                      json.array(MAX_SUPERSEDED, () -> fields.superseded.add(json.count()));
                  default -> throw json.unknown(field);
                }
              });
          return new BoundaryFormat(
              json.required(fields.version, "version"),
              json.required(fields.cutoff, "cutoff"),
              json.required(fields.jobCutoff, "jobCutoff"),
              fields.superseded);
        });
  }
}
