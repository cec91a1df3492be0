package io.reshard.checkpoint;

import java.nio.charset.StandardCharsets;

/** Lower-case hexadecimal digits into and out of buffers, without an object for each number. */
final class Hex {
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private Hex() {}

  /** Writes 16 digits. */
  static void put(long bits, byte[] target, int at) {
    for (int i = 15; i >= 0; i--) {
      target[at + i] = DIGITS[(int) bits & 15];
      bits >>>= 4;
    }
  }

  /** Writes 16 digits. */
  static void put(long bits, char[] target, int at) {
    for (int i = 15; i >= 0; i--) {
      target[at + i] = (char) DIGITS[(int) bits & 15];
      bits >>>= 4;
    }
  }

  /** Writes two digits for each byte. */
  static void put(byte[] bytes, char[] target) {
    for (int i = 0; i < bytes.length; i++) {
      target[2 * i] = (char) DIGITS[(bytes[i] >>> 4) & 15];
      target[2 * i + 1] = (char) DIGITS[bytes[i] & 15];
    }
  }

  /** What a digit stands for; -1 if it is none. Upper case is none. */
  static int digit(char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  }

  /** Whether all of a range are digits. */
  static boolean areDigits(char[] text, int offset, int count) {
    for (int i = 0; i < count; i++) {
      if (digit(text[offset + i]) < 0) {
        return false;
      }
    }
    return true;
  }

  /** The bits of 16 digits, which they must be. */
  static long bits(char[] text, int offset) {
    long bits = 0;
    for (int i = 0; i < 16; i++) {
      bits = bits << 4 | digit(text[offset + i]);
    }
    return bits;
  }
}
