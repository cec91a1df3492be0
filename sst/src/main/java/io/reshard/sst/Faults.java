package io.reshard.sst;

import io.reshard.spi.StateStoreException;
import org.jspecify.annotations.Nullable;

/** The errors of a file: what, where, and what to do next. */
final class Faults {
  private Faults() {}

  static StateStoreException corrupt(String file, long offset, String what) {
    return corrupt(file, offset, what, null);
  }

  static StateStoreException corrupt(
      String file, long offset, String what, @Nullable Throwable cause) {
    return new StateStoreException(
        StateStoreException.Kind.CORRUPT,
        "SST file '"
            + file
            + "' is damaged at offset "
            + offset
            + ": "
            + what
            + "; restore the file from a sound copy",
        cause);
  }

  /**
   * The error of a sound file that uses something not supported here.
   *
   * @param what names the property and its value
   * @param next what to do
   */
  static StateStoreException incompatible(String file, String what, String next) {
    return StateStoreException.incompatible("SST file '" + file + "' " + what + "; " + next);
  }
}
