package io.reshard.spi;

import org.jspecify.annotations.Nullable;

/**
 * The one exception of Reshard: unchecked, of a {@link Kind}, with a message that says what failed,
 * where, what was expected against what was found, and what to do next.
 *
 * <p>Rule S-001: no method of the SPI lets any other exception out, except {@link
 * NullPointerException} for a null argument.
 */
public final class StateStoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What kind of failure it is; decides what a caller may do about it. */
  public enum Kind {
    /**
     * The request is wrong: argument out of range, unknown column family, undeclared capability.
     */
    INVALID(false),
    /** The object was closed before the call. */
    CLOSED(false),
    /** Another writer was first; this one has lost and must reopen. */
    FENCED(false),
    /** A resource did not answer, or there is no room; the same call may succeed later. */
    UNAVAILABLE(true),
    /** Bytes are not what their length, checksum or format says. */
    CORRUPT(false),
    /** Sound, but of a format, version or option that is not supported here. */
    INCOMPATIBLE(false),
    /** A fault of Reshard or of a backend itself. */
    INTERNAL(false);

    private final boolean retryable;

    Kind(boolean retryable) {
      this.retryable = retryable;
    }
  }

  private final Kind kind;

  /** An error of {@code kind} with a message for a person. */
  public StateStoreException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** An error of {@code kind} with a message for a person and what caused it. */
  public StateStoreException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** What kind of failure this is. */
  public Kind kind() {
    return kind;
  }

  /** Whether the same call may succeed later, nothing else changed. */
  public boolean isRetryable() {
    return kind.retryable;
  }

  /** An error of kind {@link Kind#INVALID}. */
  public static StateStoreException invalid(String message) {
    return new StateStoreException(Kind.INVALID, message);
  }

  /** An error of kind {@link Kind#CORRUPT}. */
  public static StateStoreException corrupt(String message) {
    return new StateStoreException(Kind.CORRUPT, message);
  }

  /** An error of kind {@link Kind#INCOMPATIBLE}. */
  public static StateStoreException incompatible(String message) {
    return new StateStoreException(Kind.INCOMPATIBLE, message);
  }

  /** An error of kind {@link Kind#FENCED}. */
  public static StateStoreException fenced(String message) {
    return new StateStoreException(Kind.FENCED, message);
  }

  /** An error of kind {@link Kind#UNAVAILABLE}. */
  public static StateStoreException unavailable(String message, @Nullable Throwable cause) {
    return new StateStoreException(Kind.UNAVAILABLE, message, cause);
  }

  /** An error of kind {@link Kind#INTERNAL}. */
  public static StateStoreException internal(String message, @Nullable Throwable cause) {
    return new StateStoreException(Kind.INTERNAL, message, cause);
  }

  /** Rule S-002: the error of a call on something closed. */
  public static StateStoreException closed(String what) {
    return new StateStoreException(
        Kind.CLOSED, what + " is closed; open it again before calling it");
  }

  /**
   * Rule S-003: the error of a call that needs a capability its backend does not declare. Nothing
   * is emulated in silence.
   */
  public static StateStoreException unsupported(String backend, Capability capability) {
    return invalid(
        "backend '"
            + backend
            + "' does not declare "
            + capability
            + "; check StateStoreProvider.capabilities() before the call, or choose a backend that"
            + " declares it");
  }
}
