package io.reshard.cli;

/** The user asked to stop; the message says what is there and how to go on. */
final class InterruptedRunException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InterruptedRunException(String message) {
    super(message);
  }
}
