package io.reshard.checkpoint.s3;

import io.reshard.checkpoint.ReadAhead;
import io.reshard.checkpoint.StoreOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a user can say of S3; {@code docs/operations.md} explains each.
 *
 * @param endpoint where requests go; empty for Amazon's
 * @param region empty where the SDK is to find it
 * @param pathStyle whether the bucket stands in the path and not in the host's name
 * @param encryption how the server is to encrypt
 * @param kmsKey key for {@link Encryption#SSE_KMS}; empty for the account's default
 * @param storageClass of new objects; empty for the bucket's default
 * @param tags of new objects, {@code name=value&name=value}
 * @param parallel most transfers at once
 * @param partBytes bytes of one part of a large object
 * @param multipartBytes files above this go in parts
 * @param readCacheBytes most memory for bytes read ahead
 * @param timeout within which an answer must begin; and go on, where one is slow
 * @param retryBudget how long one operation is tried
 */
record S3Options(
    String endpoint,
    String region,
    boolean pathStyle,
    Encryption encryption,
    String kmsKey,
    String storageClass,
    String tags,
    int parallel,
    long partBytes,
    long multipartBytes,
    long readCacheBytes,
    Duration timeout,
    Duration retryBudget) {
  /** How the server encrypts. */
  enum Encryption {
    /** As the bucket says. */
    BUCKET,
    /** With keys of S3. */
    SSE_S3,
    /** With a key of the key management service. */
    SSE_KMS
  }

  private static final String PREFIX = "s3.";
  private static final Set<String> KNOWN =
      Set.of(
          "s3.endpoint",
          "s3.region",
          "s3.path-style",
          "s3.encryption",
          "s3.kms-key",
          "s3.storage-class",
          "s3.tags",
          "s3.parallel",
          "s3.part-bytes",
          "s3.multipart-bytes",
          "s3.read-cache",
          "s3.timeout",
          "s3.retry-budget");

  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_:/.-]*");
  private static final Pattern TAGS =
      Pattern.compile("([A-Za-z0-9_.:/+@%-]+=[A-Za-z0-9_.:/+@%-]*(&(?=.))?)*");

  /** S3's bounds of a part that is not the last, and of one PUT. */
  private static final long MIN_PART = 5 << 20;

  private static final long MAX_PUT = 5L << 30;

  static S3Options of(StoreOptions options) {
    options.checkKnown(PREFIX, KNOWN);
    String endpoint = endpoint(options.get("s3.endpoint", ""));
    Encryption encryption = encryption(options.get("s3.encryption", "bucket"));
    String kmsKey = word(options, "s3.kms-key");
    if (!kmsKey.isEmpty() && encryption != Encryption.SSE_KMS) {
      throw StoreOptions.malformed("s3.kms-key", kmsKey, "it with s3.encryption=sse-kms only");
    }
    String tags = options.get("s3.tags", "");
    if (!TAGS.matcher(tags).matches()) {
      throw StoreOptions.malformed("s3.tags", tags, "tags like team=search&stage=test");
    }
    return new S3Options(
        endpoint,
        word(options, "s3.region"),
        options.flag("s3.path-style", !endpoint.isEmpty()),
        encryption,
        kmsKey,
        word(options, "s3.storage-class").toUpperCase(Locale.ROOT),
        tags,
        (int) options.number("s3.parallel", 16, 1, 256),
        options.number("s3.part-bytes", 32L << 20, MIN_PART, MAX_PUT),
        options.number("s3.multipart-bytes", 64L << 20, MIN_PART, MAX_PUT),
        options.number("s3.read-cache", ReadAhead.defaultBytes(), 1 << 20, 16L << 30),
        options.duration("s3.timeout", Duration.ofSeconds(30)),
        options.duration("s3.retry-budget", Duration.ofMinutes(2)));
  }

  private static String word(StoreOptions options, String name) {
    String text = options.get(name, "");
    if (!WORD.matcher(text).matches()) {
      throw StoreOptions.malformed(name, text, "letters, digits and _ : / . -");
    }
    return text;
  }

  private static String endpoint(String text) {
    if (!text.isEmpty()) {
      URI uri;
      try {
        uri = new URI(text);
      } catch (URISyntaxException e) {
        throw StoreOptions.malformed("s3.endpoint", text, "a URI like https://host:port");
      }
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (uri.getRawUserInfo() != null) {
        throw StoreOptions.malformed(
            "s3.endpoint", scheme + "://...@" + uri.getHost(), "it without credentials");
      }
      if (!Set.of("http", "https").contains(scheme) || uri.getHost() == null) {
        throw StoreOptions.malformed("s3.endpoint", text, "a URI like https://host:port");
      }
    }
    return text;
  }

  private static Encryption encryption(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "bucket" -> Encryption.BUCKET;
      case "sse-s3" -> Encryption.SSE_S3;
      case "sse-kms" -> Encryption.SSE_KMS;
      default -> throw StoreOptions.malformed("s3.encryption", text, "bucket, sse-s3 or sse-kms");
    };
  }

  /** Bytes of the parts of a file: S3 takes at most 10,000. */
  long partBytesFor(long fileBytes) {
    return Math.max(partBytes, (fileBytes + 9_999) / 10_000);
  }
}
