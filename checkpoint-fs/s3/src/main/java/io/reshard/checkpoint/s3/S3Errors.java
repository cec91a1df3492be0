package io.reshard.checkpoint.s3;

import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.io.IOException;
import java.util.Set;
import javax.xml.stream.XMLStreamException;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;

/** What an answer of S3, or none, means to a caller. */
final class S3Errors {
  static final int NOT_FOUND = 404;
  static final int CONFLICT = 409;
  static final int PRECONDITION_FAILED = 412;
  static final int RANGE_NOT_SATISFIABLE = 416;

  /** Codes that come with a status of a caller's fault and yet may go away by themselves. */
  private static final Set<String> TRANSIENT =
      Set.of(
          "RequestTimeout",
          "RequestTimeTooSkewed",
          "SlowDown",
          "Throttling",
          "ThrottlingException",
          "RequestLimitExceeded",
          "OperationAborted",
          "IncompleteBody",
          "BadDigest",
          "XAmzContentSHA256Mismatch");

  private S3Errors() {}

  /** The HTTP status; 0 if there was no answer. */
  static int status(RuntimeException e) {
    return e instanceof AwsServiceException answer ? answer.statusCode() : 0;
  }

  private static String code(AwsServiceException e) {
    return e.awsErrorDetails() == null || e.awsErrorDetails().errorCode() == null
        ? ""
        : e.awsErrorDetails().errorCode();
  }

  /** Whether it is the bucket, not the object, that is not there. */
  static boolean isNoBucket(RuntimeException e) {
    return e instanceof AwsServiceException answer && code(answer).equals("NoSuchBucket");
  }

  /** Whether the same request may be answered otherwise in a moment. */
  static boolean isTransient(RuntimeException e) {
    if (e instanceof AwsServiceException answer) {
      int status = answer.statusCode();
      return (status >= 500 && status != 501)
          || status == 429
          || status == CONFLICT
          || TRANSIENT.contains(code(answer));
    }
    if (e instanceof AbortedException) {
      return false;
    }
    return e instanceof ApiCallAttemptTimeoutException
        || e instanceof ApiCallTimeoutException
        || (e instanceof SdkException
            // An answer in XML that was cut short does not parse.
            && (hasCause(e, IOException.class) || hasCause(e, XMLStreamException.class)));
  }

  private static boolean hasCause(Throwable e, Class<? extends Throwable> type) {
    int depth = 0;
    for (Throwable cause = e.getCause(); cause != null && depth++ < 20; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The error for a caller.
   *
   * @param what was tried, such as {@code reading s3://bucket/key}
   */
  static StateStoreException of(String what, RuntimeException e) {
    if (e instanceof StateStoreException known) {
      return known;
    }
    if (e instanceof AwsServiceException answer) {
      return ofAnswer(what, answer);
    }
    if (e instanceof AbortedException || Thread.currentThread().isInterrupted()) {
      Thread.currentThread().interrupt();
      return StateStoreException.unavailable(
          what + " failed: the thread was interrupted; call again if that was not meant", e);
    }
    if (e instanceof SdkException) {
      String reason = String.valueOf(e.getMessage());
      return StateStoreException.unavailable(
          what
              + " failed: "
              + reason
              + (reason.contains("credentials")
                  ? "; give them by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or a"
                      + " role, then call again"
                  : "; check the endpoint and the network, then call again"),
          e);
    }
    return StateStoreException.internal(what + " failed: " + e, e);
  }

  private static StateStoreException ofAnswer(String what, AwsServiceException e) {
    String code = code(e);
    String failed = what + " failed with status " + e.statusCode() + " " + code;
    String detail = e.awsErrorDetails() == null ? "" : e.awsErrorDetails().errorMessage();
    String said = detail == null || detail.isEmpty() ? "" : " (" + detail + ")";
    if (code.equals("NoSuchBucket")) {
      return new StateStoreException(
          Kind.INVALID, failed + ": there is no such bucket; make it, or name another one", e);
    }
    switch (e.statusCode()) {
      case 301, 307, 308, 400 -> {
        return new StateStoreException(
            Kind.INVALID,
            failed
                + said
                + "; check bucket, region (s3.region or AWS_REGION) and endpoint (s3.endpoint)",
            e);
      }
      case 401, 403 -> {
        return StateStoreException.unavailable(
            failed
                + said
                + ": the credentials found are not allowed this; the policy it needs is in"
                + " docs/operations.md, then call again",
            e);
      }
      case 405, 501 -> {
        return new StateStoreException(
            Kind.INCOMPATIBLE,
            failed + said + ": the service does not know this request; use another one",
            e);
      }
      default -> {
        return StateStoreException.unavailable(failed + said + "; call again later", e);
      }
    }
  }
}
