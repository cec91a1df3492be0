package io.reshard.checkpoint;

import org.jspecify.annotations.Nullable;

/**
 * {@code store.json}: what a store is.
 *
 * @param storeId identity of the store
 * @param createdMillis when it was created, milliseconds since 1970 by the clock of who did
 */
record StoreFormat(String storeId, long createdMillis) {
  private static final String FORMAT = "reshard-store";
  private static final int VERSION = 1;

  byte[] write() {
    return JsonOutput.bytes(
        json -> {
          JsonOutput.format(json, FORMAT, VERSION);
          json.writeStringField("storeId", storeId);
          json.writeNumberField("created", createdMillis);
          json.writeEndObject();
        });
  }

  static StoreFormat read(JsonInput json) {
    var fields =
        new Object() {
          @Nullable String storeId;
          @Nullable Long created;
        };
    return json.read(
        () -> {
          json.formatted(
              FORMAT,
              VERSION,
              field -> {
                switch (field) {
                  case "storeId" -> fields.storeId = json.text(64);
                  case "created" -> fields.created = json.count();
                  default -> throw json.unknown(field);
                }
              });
          return new StoreFormat(
              json.required(fields.storeId, "storeId"), json.required(fields.created, "created"));
        });
  }
}
