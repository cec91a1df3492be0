package io.reshard.sst;

import com.dynatrace.hash4j.hashing.Hashing;
import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Gathers blocks with their trailers and hands them to a stream in large pieces. Blocks are
 * compressed right into the buffer that is written.
 */
final class BlockSink {
  private static final int PIECE = 256 << 10;

  private final String name;
  private final OutputStream out;
  private final Compressor compressor;
  private final int compressionCode;
  private final BlockChecksum checksum;
  private final boolean contextChecksums;
  private byte[] buffer;
  private int used;
  private long handedOut;
  private int contextBase;
  private boolean failed;

  BlockSink(String name, OutputStream out, Compressor compressor, SstWriterOptions options) {
    this.name = name;
    this.out = out;
    this.compressor = compressor;
    this.compressionCode = options.compression().code();
    this.checksum = new BlockChecksum(options.checksumCode());
    this.contextChecksums = options.formatVersion() >= Footer.CONTEXT_VERSION;
    this.buffer = new byte[PIECE];
  }

  /** Offset at which the next block will start. */
  long position() {
    return handedOut + used;
  }

  /** Base of context checksums; 0 where the format version has none. */
  int contextBase() {
    return contextBase;
  }

  /** Writes a block, compressed where that pays; returns its size as stored. */
  int writeCompressed(byte[] block, int length) {
    if (compressionCode == Compression.NONE.code()) {
      return write(block, length);
    }
    long room = compressor.maxBytes(length) + BlockHandle.TRAILER;
    ensure(room);
    int stored = compressor.compress(block, length, buffer, used);
    if (stored < 0) {
      return write(block, length);
    }
    finish(stored, compressionCode);
    return stored;
  }

  /** Writes a block as it is; returns its size. */
  int write(byte[] block, int length) {
    ensure((long) length + BlockHandle.TRAILER);
    System.arraycopy(block, 0, buffer, used, length);
    finish(length, Compression.NONE.code());
    return length;
  }

  private void finish(int stored, int type) {
    int start = used;
    buffer[start + stored] = (byte) type;
    if (contextChecksums && contextBase == 0) {
      contextBase = chooseBase(start, stored);
    }
    int sum =
        checksum.compute(buffer, start, stored + 1)
            + BlockChecksum.context(contextBase, position());
    Bytes.putInt(buffer, start + stored + 1, sum);
    used = start + stored + BlockHandle.TRAILER;
  }

  /** A hash of the first block: differs from file to file, and is the same for the same file. */
  private int chooseBase(int start, int stored) {
    int base = (int) (Hashing.xxh3_64().hashBytesToLong(buffer, start, stored) >>> 32);
    return base == 0 ? 1 : base;
  }

  /** Writes bytes without a trailer: the footer. */
  void writeRaw(byte[] bytes) {
    ensure(bytes.length);
    System.arraycopy(bytes, 0, buffer, used, bytes.length);
    used += bytes.length;
  }

  /** Makes room; a buffer grown for a large block is given up after it. */
  private void ensure(long room) {
    if (room <= buffer.length - used && buffer.length == PIECE) {
      return;
    }
    flush();
    long wanted = Math.max(PIECE, room);
    if (wanted > Integer.MAX_VALUE - 64) {
      throw StateStoreException.invalid(
          "SST file '" + name + "': a block of " + room + " bytes; end the file earlier");
    }
    if (buffer.length < wanted || (wanted == PIECE && buffer.length > PIECE)) {
      buffer = new byte[(int) wanted];
    }
  }

  /** Hands everything to the stream. */
  void flush() {
    if (failed) {
      throw StateStoreException.unavailable(
          "SST file '" + name + "' could not be written earlier; start it anew", null);
    }
    // Until it is written: nobody knows how much of it was.
    failed = true;
    try {
      out.write(buffer, 0, used);
      failed = false;
    } catch (IOException e) {
      throw StateStoreException.unavailable(
          "SST file '" + name + "' cannot be written at offset " + handedOut + ": " + e, e);
    }
    handedOut += used;
    used = 0;
  }
}
