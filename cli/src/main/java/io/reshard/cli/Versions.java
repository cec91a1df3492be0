package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.util.List;
import java.util.stream.Collectors;

/** Speaking of several versions. */
final class Versions {
  private Versions() {}

  /** Their numbers as a person reads them. */
  static String list(List<Long> versions) {
    return versions.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  /**
   * Tells on standard error that a version is damaged, so that the next can be looked at.
   *
   * @throws StateStoreException what was given, if it is no damage
   */
  static void noteDamage(Console console, long version, StateStoreException e) {
    if (e.kind() != StateStoreException.Kind.CORRUPT) {
      throw e;
    }
    console.say("reshard: CORRUPT: version " + version + ": " + e.getMessage());
  }
}
