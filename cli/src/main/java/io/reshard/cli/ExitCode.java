package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the process exits with. Numbers are part of the interface: scripts depend on them. */
enum ExitCode {
  /** All went well. */
  OK(0, "done", ""),
  /** A fault of Reshard or of a backend. */
  INTERNAL(
      1,
      "a fault of reshard itself, or of a backend",
      "run it again with --debug and report what it prints"),
  /** The request is wrong. */
  INVALID(2, "the command line or what it asks for is wrong", ""),
  /** A check did not hold. */
  MISMATCH(3, "a comparison or a check did not hold, or a key is not there", ""),
  /** Bytes are not what they should be. */
  CORRUPT(
      4,
      "bytes are not what their checksum or format says",
      "see which versions are sound (reshard verify --version V), and return to one with"
          + " reshard rollback --to V"),
  /** A newer or foreign format. */
  INCOMPATIBLE(
      5, "sound, but of a format or version not known here", "use the release that wrote it"),
  /** Another writer was first. */
  FENCED(
      6,
      "another writer published first; nothing of this run is visible",
      "run the command again; it starts from the version the other writer published"),
  /** Something did not answer, or there is no room. */
  UNAVAILABLE(
      7,
      "a disk or service did not answer or has no room",
      "nothing was published; check the place and its free space, then run the same command again"),
  /** Ctrl-C. */
  INTERRUPTED(130, "interrupted; nothing half done is visible", ""),
  /** SIGTERM: what the JVM ends with then; no command returns it. */
  TERMINATED(143, "told to end (SIGTERM); nothing half done is visible", "");

  private final int code;
  private final String meaning;
  private final String nextStep;

  ExitCode(int code, String meaning, String nextStep) {
    this.code = code;
    this.meaning = meaning;
    this.nextStep = nextStep;
  }

  /** The number. */
  int code() {
    return code;
  }

  /** What to try next, or empty where the message itself says it. */
  String nextStep() {
    return nextStep;
  }

  /** The exit code of an error. */
  static ExitCode of(StateStoreException.Kind kind) {
    return switch (kind) {
      case INVALID -> INVALID;
      case CORRUPT -> CORRUPT;
      case INCOMPATIBLE -> INCOMPATIBLE;
      case FENCED -> FENCED;
      case UNAVAILABLE -> UNAVAILABLE;
      case CLOSED, INTERNAL -> INTERNAL;
    };
  }

  /** Code and meaning of all, in order, for help pages. */
  static Map<String, String> meanings() {
    Map<String, String> all = new LinkedHashMap<>();
    for (ExitCode exit : values()) {
      all.put(Integer.toString(exit.code), exit.meaning);
    }
    return all;
  }
}
