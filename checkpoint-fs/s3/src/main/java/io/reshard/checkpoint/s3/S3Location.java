package io.reshard.checkpoint.s3;

import io.reshard.checkpoint.ObjectNames;
import io.reshard.spi.StateStoreException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bucket and what all keys of the store start with.
 *
 * @param bucket name of the bucket
 * @param prefix empty, or ends in a slash
 */
record S3Location(String bucket, String prefix) {
  /** Most bytes of a key, by S3's documentation. */
  private static final int MAX_KEY = 1024;

  /** What the names of directory buckets (S3 Express One Zone) end in. */
  private static final String DIRECTORY_BUCKET = "--x-s3";

  private static final Pattern FORM = Pattern.compile("[a-zA-Z0-9]+://([^/]*)/*(.*)");
  private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,254}");
  private static final Pattern SEGMENT = Pattern.compile("[A-Za-z0-9!_.*'()=@,+:-]+");

  /** Reads {@code s3://bucket/prefix}. */
  static S3Location parse(String location) {
    Matcher matcher = FORM.matcher(location);
    if (!matcher.matches()) {
      throw malformed(location, "give one like s3://bucket/prefix");
    }
    String bucket = matcher.group(1);
    if (bucket.contains("@")) {
      // Not shown: what stands there may be a secret.
      throw StateStoreException.invalid(
          "the location holds credentials; leave them out, they are taken from where the AWS SDK"
              + " looks: environment, profile, container, instance");
    }
    if (!BUCKET.matcher(bucket).matches()) {
      throw malformed(location, "'" + bucket + "' is no name of a bucket");
    }
    if (bucket.endsWith(DIRECTORY_BUCKET)) {
      throw StateStoreException.incompatible(
          "bucket '"
              + bucket
              + "' is a directory bucket, which lists its objects in no order; use a general purpose"
              + " bucket");
    }
    return new S3Location(bucket, prefix(location, matcher.group(2)));
  }

  private static String prefix(String location, String text) {
    String trimmed = text.replaceAll("/+$", "");
    if (trimmed.isEmpty()) {
      return "";
    }
    for (String segment : trimmed.split("/", -1)) {
      if (!SEGMENT.matcher(segment).matches() || segment.equals(".") || segment.equals("..")) {
        throw malformed(location, "'" + segment + "' is no part of a prefix");
      }
    }
    if (trimmed.length() > MAX_KEY - 1 - ObjectNames.MAX_LENGTH) {
      throw malformed(
          location,
          "the prefix has more than " + (MAX_KEY - 1 - ObjectNames.MAX_LENGTH) + " bytes");
    }
    return trimmed + "/";
  }

  private static StateStoreException malformed(String location, String why) {
    return StateStoreException.invalid("'" + location + "' is no location on S3: " + why);
  }

  /** The key of an object. */
  String key(String name) {
    return prefix + name;
  }

  @Override
  public String toString() {
    return "s3://"
        + bucket
        + (prefix.isEmpty() ? "" : "/" + prefix.substring(0, prefix.length() - 1));
  }
}
