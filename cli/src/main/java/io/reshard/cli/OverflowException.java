package io.reshard.cli;

/** A sum leaves the range of its type; the message says which, of which key, and the two parts. */
final class OverflowException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OverflowException(String message) {
    super(message);
  }
}
