package io.reshard.cli;

/** A record of the input that cannot be taken; the ones after it still can. */
final class MalformedRecordException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The message says what was expected and what was found; where is added by the reader's user. */
  MalformedRecordException(String message) {
    super(message, null, false, false);
  }

  /** A found text, cut to what fits a message. */
  static String shown(String text) {
    return text.length() <= 40 ? "'" + text + "'" : "'" + text.substring(0, 40) + "…'";
  }
}
