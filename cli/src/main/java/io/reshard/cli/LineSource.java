package io.reshard.cli;

import java.io.IOException;
import java.io.InputStream;

/** Bytes of an input, one at a time through a buffer, with the line counted. */
final class LineSource {
  private final InputStream in;
  private final byte[] buffer = new byte[64 << 10];
  private int at;
  private int end;
  private long line = 1;

  LineSource(InputStream in) {
    this.in = in;
  }

  /** The next byte, 0 to 255; -1 at the end. */
  int read() throws IOException {
    int b = peek();
    if (b >= 0) {
      at++;
      if (b == '\n') {
        line++;
      }
    }
    return b;
  }

  /** The byte that {@link #read()} would give. */
  int peek() throws IOException {
    if (at == end) {
      int read = in.read(buffer, 0, buffer.length);
      if (read <= 0) {
        return -1;
      }
      at = 0;
      end = read;
    }
    return buffer[at] & 0xff;
  }

  /** Skips a byte order mark at the start. */
  void skipByteOrderMark() throws IOException {
    if (peek() == 0xef
        && end - at >= 3
        && buffer[at + 1] == (byte) 0xbb
        && buffer[at + 2] == (byte) 0xbf) {
      at += 3;
    }
  }

  /** The line of the next byte, from 1 on. */
  long line() {
    return line;
  }
}
