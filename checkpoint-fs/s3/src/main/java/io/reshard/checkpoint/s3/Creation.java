package io.reshard.checkpoint.s3;

import io.reshard.spi.StateStoreException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/**
 * Creates one object, once.
 *
 * <p>The request that makes the object carries {@code If-None-Match: *}, so the service makes it
 * only where there is none: of several writers one wins, and nothing is ever replaced. What it may
 * answer:
 *
 * <ul>
 *   <li>200: it is ours.
 *   <li>412: there is one. Perhaps our own, if an earlier attempt got through and its answer was
 *       lost, here or anywhere on the way: every creation has an id of its own, kept in the
 *       object's metadata, and the object that is there is asked for it.
 *   <li>409: another request for the same name was under way at the same moment, and which of them
 *       wins is open. Sent again; of a multipart upload all parts, whose upload is spent.
 *   <li>404 to a multipart upload: someone has removed the upload, or an earlier attempt to
 *       complete it got through. The metadata tell.
 * </ul>
 *
 * <p>Each body goes with its SHA-256, which the service compares before it answers. The SHA-256 of
 * the whole object is in the metadata as well, since the service has none of an object in parts.
 */
final class Creation {
  private static final String ID = "reshard-creation";
  private static final String SHA256 = "reshard-sha256";
  private static final Set<Integer> JUDGED =
      Set.of(S3Errors.PRECONDITION_FAILED, S3Errors.CONFLICT, S3Errors.NOT_FOUND);

  private final S3ObjectStore store;
  private final S3Options options;
  private final String name;
  private final String bucket;
  private final String key;
  private final String what;
  private final String id = UUID.randomUUID().toString();
  private final Attempts attempts;

  Creation(S3ObjectStore store, S3Options options, S3Location place, String name) {
    this.store = store;
    this.options = options;
    this.name = name;
    this.bucket = place.bucket();
    this.key = place.key(name);
    this.what = "creating s3://" + bucket + "/" + key;
    this.attempts = store.attempts();
  }

  /** Creates it by one request; false if the name is taken. */
  boolean put(RequestBody body, long length, String sha256) {
    return untilDecided(() -> putOnce(body, length, sha256));
  }

  /** Creates it in parts; false if the name is taken. */
  boolean putInParts(Path file, long length) {
    String sha256 = new FileSlice(file, 0, length).sha256();
    return untilDecided(() -> putInPartsOnce(file, length, sha256));
  }

  private boolean untilDecided(java.util.function.BooleanSupplier attempt) {
    for (int failures = 0; ; failures++) {
      try {
        return attempt.getAsBoolean();
      } catch (S3Exception e) {
        if (e.statusCode() == S3Errors.PRECONDITION_FAILED) {
          return isOurs();
        }
        if (e.statusCode() == S3Errors.NOT_FOUND && isOurs()) {
          return true;
        }
        attempts.pause(what, failures, e);
      }
    }
  }

  private boolean isOurs() {
    HeadObjectResponse there = store.head(name, attempts);
    return there != null && id.equals(there.metadata().get(ID));
  }

  private boolean putOnce(RequestBody body, long length, String sha256) {
    attempts.call(
        what,
        () -> {
          store.counter().sent(length);
          return store
              .client()
              .putObject(
                  request -> {
                    request
                        .bucket(bucket)
                        .key(key)
                        .ifNoneMatch("*")
                        .contentLength(length)
                        .checksumSHA256(sha256)
                        .metadata(metadata(sha256))
                        .overrideConfiguration(store.patience(length));
                    if (!options.storageClass().isEmpty()) {
                      request.storageClass(options.storageClass());
                    }
                    if (!options.tags().isEmpty()) {
                      request.tagging(options.tags());
                    }
                    switch (options.encryption()) {
                      case SSE_S3 -> request.serverSideEncryption(ServerSideEncryption.AES256);
                      case SSE_KMS -> {
                        request.serverSideEncryption(ServerSideEncryption.AWS_KMS);
                        if (!options.kmsKey().isEmpty()) {
                          request.ssekmsKeyId(options.kmsKey());
                        }
                      }
                      case BUCKET -> {}
                    }
                  },
                  body);
        },
        JUDGED);
    return true;
  }

  private Map<String, String> metadata(String sha256) {
    String hex = HexFormat.of().formatHex(Base64.getDecoder().decode(sha256));
    return Map.of(ID, id, SHA256, hex);
  }

  private boolean putInPartsOnce(Path file, long length, String sha256) {
    String upload = begin(sha256);
    boolean completed = false;
    try {
      complete(upload, sendParts(upload, file, length));
      completed = true;
      return true;
    } finally {
      if (!completed) {
        store.abortQuietly(key, upload);
      }
    }
  }

  private String begin(String sha256) {
    return attempts
        .call(
            what,
            () ->
                store
                    .client()
                    .createMultipartUpload(
                        request -> {
                          request
                              .bucket(bucket)
                              .key(key)
                              .checksumAlgorithm(ChecksumAlgorithm.SHA256)
                              .metadata(metadata(sha256))
                              .overrideConfiguration(store.patience(0));
                          if (!options.storageClass().isEmpty()) {
                            request.storageClass(options.storageClass());
                          }
                          if (!options.tags().isEmpty()) {
                            request.tagging(options.tags());
                          }
                          switch (options.encryption()) {
                            case SSE_S3 ->
                                request.serverSideEncryption(ServerSideEncryption.AES256);
                            case SSE_KMS -> {
                              request.serverSideEncryption(ServerSideEncryption.AWS_KMS);
                              if (!options.kmsKey().isEmpty()) {
                                request.ssekmsKeyId(options.kmsKey());
                              }
                            }
                            case BUCKET -> {}
                          }
                        }),
            Set.of())
        .uploadId();
  }

  private List<CompletedPart> sendParts(String upload, Path file, long length) {
    long partBytes = options.partBytesFor(length);
    List<Callable<CompletedPart>> parts = new ArrayList<>();
    for (long offset = 0; offset < length; offset += partBytes) {
      int number = parts.size() + 1;
      FileSlice slice = new FileSlice(file, offset, Math.min(partBytes, length - offset));
      parts.add(() -> sendPart(upload, number, slice));
    }
    return store.transfers().all(parts);
  }

  private CompletedPart sendPart(String upload, int number, FileSlice slice) {
    String sha256 = slice.sha256();
    RequestBody body = slice.body();
    String tag =
        attempts
            .call(
                what + ", part " + number,
                () -> {
                  store.counter().sent(slice.length());
                  return store
                      .client()
                      .uploadPart(
                          request ->
                              request
                                  .bucket(bucket)
                                  .key(key)
                                  .uploadId(upload)
                                  .partNumber(number)
                                  .contentLength(slice.length())
                                  .checksumSHA256(sha256)
                                  .overrideConfiguration(store.patience(slice.length())),
                          body);
                },
                Set.of(S3Errors.NOT_FOUND))
            .eTag();
    return CompletedPart.builder().partNumber(number).eTag(tag).checksumSHA256(sha256).build();
  }

  private void complete(String upload, List<CompletedPart> parts) {
    attempts.call(
        what,
        () ->
            store
                .client()
                .completeMultipartUpload(
                    request ->
                        request
                            .bucket(bucket)
                            .key(key)
                            .uploadId(upload)
                            .ifNoneMatch("*")
                            .multipartUpload(parted -> parted.parts(parts))
                            .overrideConfiguration(store.patience(0))),
        JUDGED);
  }

  /**
   * Tries to make an object where one is, in the two ways above.
   *
   * @return what the service did wrong; empty if it refused both
   */
  String provoke() {
    byte[] content = new byte[] {'\n'};
    String sha256 = Checksums.sha256(content);
    RequestBody body = RequestBody.fromBytes(content);
    if (isAccepted(() -> putOnce(body, content.length, sha256))) {
      return "PutObject with If-None-Match: * replaced an object";
    }
    String upload = begin(sha256);
    try {
      CompletedPart part = sendByte(upload, body, sha256);
      return isAccepted(() -> complete(upload, List.of(part)))
          ? "CompleteMultipartUpload with If-None-Match: * replaced an object"
          : "";
    } finally {
      store.abortQuietly(key, upload);
    }
  }

  private CompletedPart sendByte(String upload, RequestBody body, String sha256) {
    String tag =
        attempts
            .call(
                what,
                () ->
                    store
                        .client()
                        .uploadPart(
                            request ->
                                request
                                    .bucket(bucket)
                                    .key(key)
                                    .uploadId(upload)
                                    .partNumber(1)
                                    .checksumSHA256(sha256),
                            body),
                Set.of())
            .eTag();
    return CompletedPart.builder().partNumber(1).eTag(tag).checksumSHA256(sha256).build();
  }

  private boolean isAccepted(Runnable request) {
    for (int failures = 0; ; failures++) {
      try {
        request.run();
        return true;
      } catch (S3Exception e) {
        if (e.statusCode() == S3Errors.PRECONDITION_FAILED) {
          return false;
        }
        if (e.statusCode() != S3Errors.CONFLICT) {
          throw S3Errors.of(what, e);
        }
        attempts.pause(what, failures, e);
      }
    }
  }

  /** The error of a service that is no place for a store. */
  StateStoreException unfit(String why) {
    return StateStoreException.incompatible(
        "the service behind s3://"
            + bucket
            + " does not create an object only where there is none: "
            + why
            + ". Two writers could both believe they published a version, so no store was made; use"
            + " a service with conditional writes, or a newer release of this one");
  }
}
