package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 as 64 lower-case hexadecimal digits. */
final class Sha256 {
  /** Longs that hold one. */
  static final int LONGS = 4;

  /** Bytes read at once. */
  static final int WINDOW = 256 << 10;

  private Sha256() {}

  static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw StateStoreException.internal("this Java has no SHA-256", e);
    }
  }

  static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  static String of(byte[] bytes, int offset, int length) {
    MessageDigest digest = newDigest();
    digest.update(bytes, offset, length);
    return hex(digest);
  }

  /** Of a part of a source, read in windows. */
  static String of(SstSource source, long offset, long length) {
    MessageDigest digest = newDigest();
    byte[] window = new byte[(int) Math.min(WINDOW, length)];
    for (long done = 0; done < length; ) {
      int part = (int) Math.min(window.length, length - done);
      source.read(offset + done, window, 0, part);
      digest.update(window, 0, part);
      done += part;
    }
    return hex(digest);
  }

  /** The bits of 64 hexadecimal digits that {@link #isHex} has found good. */
  static void parse(CharSequence hex, long[] bits) {
    for (int i = 0; i < LONGS; i++) {
      bits[i] = HexFormat.fromHexDigitsToLong(hex, 16 * i, 16 * i + 16);
    }
  }

  /** The 64 hexadecimal digits of four times 64 bits. */
  static String hex(long first, long second, long third, long fourth) {
    byte[] digits = new byte[16 * LONGS];
    Hex.put(first, digits, 0);
    Hex.put(second, digits, 16);
    Hex.put(third, digits, 32);
    Hex.put(fourth, digits, 48);
    return new String(digits, StandardCharsets.US_ASCII);
  }

  /** Whether it is 64 lower-case hexadecimal digits. */
  static boolean isHex(String text) {
    if (text.length() != 64) {
      return false;
    }
    for (int i = 0; i < 64; i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }
}
