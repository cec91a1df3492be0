package io.reshard.cli;

/** A check did not hold; the message says which, with what was expected and what was found. */
final class MismatchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MismatchException(String message) {
    super(message);
  }
}
