package io.reshard.cli;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/** Reads what {@link TupleWriter} writes; anything else is CORRUPT. */
final class TupleReader {
  private final ByteView view = new ByteView();
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private byte[] scratch = new byte[64];
  private int at;

  /** Starts reading a tuple, which is borrowed. */
  void start(ByteView tuple) {
    view.set(tuple.array(), tuple.offset(), tuple.length());
    at = 0;
  }

  /** The next value as text. */
  String text() {
    if (scratch.length < view.length()) {
      scratch = new byte[view.length()];
    }
    int length = 0;
    while (true) {
      byte b = next("text");
      if (b == 0) {
        byte second = next("text");
        if (second == 1) {
          return decode(length);
        }
        if (second != (byte) 0xff) {
          throw corrupt("00 FF or 00 01 in text");
        }
      }
      scratch[length++] = b;
    }
  }

  private String decode(int length) {
    try {
      return decoder.decode(ByteBuffer.wrap(scratch, 0, length)).toString();
    } catch (CharacterCodingException e) {
      throw corrupt("UTF-8");
    }
  }

  /** The next value as a whole number or time. */
  long number() {
    return bigEndian() ^ Long.MIN_VALUE;
  }

  /** The next value as a double. */
  double real() {
    long bits = bigEndian();
    return Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
  }

  /** The next value as a truth value. */
  boolean bool() {
    byte b = next("a truth value");
    if (b != 0 && b != 1) {
      throw corrupt("00 or 01");
    }
    return b == 1;
  }

  /** Checks that the tuple ends here. */
  void end() {
    if (at != view.length()) {
      throw corrupt("the end");
    }
  }

  private long bigEndian() {
    long value = 0;
    for (int i = 0; i < 8; i++) {
      value = value << 8 | (next("a number") & 0xff);
    }
    return value;
  }

  private byte next(String expected) {
    if (at >= view.length()) {
      throw corrupt(expected);
    }
    return view.get(at++);
  }

  private StateStoreException corrupt(String expected) {
    return StateStoreException.corrupt(
        "the tuple "
            + view
            + " is not of the columns in the version's properties: expected "
            + expected
            + " at byte "
            + at
            + " of "
            + view.length()
            + "; was the row written by something else than reshard load?");
  }
}
