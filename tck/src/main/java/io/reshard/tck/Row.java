package io.reshard.tck;

import io.reshard.spi.ByteView;

/** A row whose bytes are its own. */
record Row(ByteView key, ByteView value) {
  static Row of(byte[] key, byte[] value) {
    return new Row(new ByteView(key), new ByteView(value));
  }
}
