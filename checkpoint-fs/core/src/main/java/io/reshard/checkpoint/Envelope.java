package io.reshard.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.util.Arrays;

/**
 * The frame around every JSON object that nothing else holds the hash of:
 *
 * <pre>
 *   {"sha256":"64 hexadecimal digits","body":BODY}\n
 * </pre>
 *
 * The SHA-256 is over the bytes of BODY exactly as they stand there; there is no space between the
 * parts. So any changed, missing or added bit is found before a parser sees the bytes.
 */
final class Envelope {
  /** No such object is larger: 256 MiB. */
  static final int MAX_BYTES = 256 << 20;

  private static final byte[] HEAD = "{\"sha256\":\"".getBytes(US_ASCII);
  private static final byte[] MIDDLE = "\",\"body\":".getBytes(US_ASCII);
  private static final byte[] TAIL = "}\n".getBytes(US_ASCII);
  private static final int BODY = HEAD.length + 64 + MIDDLE.length;

  private Envelope() {}

  /** Puts the frame around a body. */
  static byte[] wrap(byte[] body) {
    byte[] framed = new byte[BODY + body.length + TAIL.length];
    byte[] digest = Sha256.of(body, 0, body.length).getBytes(US_ASCII);
    System.arraycopy(HEAD, 0, framed, 0, HEAD.length);
    System.arraycopy(digest, 0, framed, HEAD.length, 64);
    System.arraycopy(MIDDLE, 0, framed, HEAD.length + 64, MIDDLE.length);
    System.arraycopy(body, 0, framed, BODY, body.length);
    System.arraycopy(TAIL, 0, framed, BODY + body.length, TAIL.length);
    return framed;
  }

  /** Reads the whole of an object and checks its frame. */
  static JsonInput open(String object, SstSource source) {
    long size = source.size();
    if (size > MAX_BYTES) {
      throw StateStoreException.corrupt(
          "object '" + object + "' has " + size + " bytes; at most " + MAX_BYTES + " are allowed");
    }
    byte[] bytes = new byte[(int) size];
    source.read(0, bytes, 0, bytes.length);
    return unwrap(object, bytes);
  }

  /**
   * Checks the frame and gives the body.
   *
   * @throws StateStoreException of kind CORRUPT if it is damaged
   */
  static JsonInput unwrap(String object, byte[] bytes) {
    int bodyLength = bytes.length - BODY - TAIL.length;
    if (bodyLength < 0
        || !holds(bytes, 0, HEAD)
        || !holds(bytes, HEAD.length + 64, MIDDLE)
        || !holds(bytes, bytes.length - TAIL.length, TAIL)) {
      throw StateStoreException.corrupt(
          "object '"
              + object
              + "' of "
              + bytes.length
              + " bytes is not framed as {\"sha256\":…,\"body\":…}; it is damaged or no such object."
              + " Restore it from a copy, or use another version");
    }
    String expected = new String(bytes, HEAD.length, 64, US_ASCII);
    String actual = Sha256.of(bytes, BODY, bodyLength);
    if (!actual.equals(expected)) {
      throw StateStoreException.corrupt(
          "object '"
              + object
              + "': the body, bytes "
              + BODY
              + " to "
              + (BODY + bodyLength)
              + ", has SHA-256 "
              + actual
              + ", expected "
              + expected
              + "; it is damaged. Restore it from a copy, or use another version");
    }
    return new JsonInput(object, bytes, BODY, bodyLength);
  }

  private static boolean holds(byte[] bytes, int at, byte[] expected) {
    return Arrays.equals(bytes, at, at + expected.length, expected, 0, expected.length);
  }
}
