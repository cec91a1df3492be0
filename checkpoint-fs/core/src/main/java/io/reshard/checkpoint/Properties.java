package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.util.Map;

/** Bounds of what users may write into a manifest or a job result in their own words. */
final class Properties {
  static final int MAX_COUNT = 1000;
  static final int MAX_NAME_LENGTH = 255;
  static final int MAX_LENGTH = 65_535;
  static final long MAX_TOTAL = 16 << 20;

  private Properties() {}

  /**
   * Copies them.
   *
   * @throws StateStoreException of kind INVALID if they are out of bounds
   */
  static Map<String, String> check(Map<String, String> properties) {
    if (properties.size() > MAX_COUNT) {
      throw StateStoreException.invalid(
          properties.size() + " properties; give at most " + MAX_COUNT);
    }
    long total =
        properties.entrySet().stream()
            .mapToLong(e -> (long) e.getKey().length() + e.getValue().length())
            .sum();
    if (total > MAX_TOTAL) {
      throw StateStoreException.invalid(
          "properties of " + total + " characters; give at most " + MAX_TOTAL + " in all");
    }
    properties.forEach(
        (name, value) -> {
          if (name.length() > MAX_NAME_LENGTH || value.length() > MAX_LENGTH) {
            throw StateStoreException.invalid(
                "property '"
                    + name.substring(0, Math.min(name.length(), MAX_NAME_LENGTH))
                    + "' has a name of "
                    + name.length()
                    + " and a value of "
                    + value.length()
                    + " characters; at most "
                    + MAX_NAME_LENGTH
                    + " and "
                    + MAX_LENGTH
                    + " are allowed");
          }
        });
    return Map.copyOf(properties);
  }
}
