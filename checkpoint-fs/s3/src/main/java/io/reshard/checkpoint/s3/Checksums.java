package io.reshard.checkpoint.s3;

import io.reshard.spi.StateStoreException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** SHA-256 as S3 writes it. */
final class Checksums {
  private Checksums() {}

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw StateStoreException.internal("this Java has no SHA-256", e);
    }
  }

  /** Base64 of the SHA-256. */
  static String sha256(byte[] content) {
    return Base64.getEncoder().encodeToString(sha256().digest(content));
  }
}
