package io.reshard.sst;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.util.zip.Deflater;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

/** Compresses blocks with one algorithm. Used by one thread. */
final class Compressor implements AutoCloseable {
  /** RocksDB's default level. */
  private static final int ZSTD_LEVEL = 3;

  /** Loaded at the first LZ4 file. */
  private static final class Lz4 {
    static final LZ4Compressor FAST = LZ4Factory.fastestInstance().fastCompressor();

    /** Of level 9, which is RocksDB's default. */
    static final LZ4Compressor HIGH = LZ4Factory.fastestInstance().highCompressor();
  }

  private final Compression compression;
  private final @Nullable ZstdCompressCtx zstd;
  private final @Nullable Deflater deflater;

  Compressor(Compression compression) {
    this.compression = compression;
    this.zstd = compression == Compression.ZSTD ? new ZstdCompressCtx().setLevel(ZSTD_LEVEL) : null;
    this.deflater =
        compression == Compression.ZLIB
            ? new Deflater(Deflater.DEFAULT_COMPRESSION, /* nowrap= */ true)
            : null;
  }

  /** Most bytes that {@link #compress} can write for {@code length}. */
  long maxBytes(int length) {
    long bound =
        switch (compression) {
          case NONE -> length;
          case LZ4, LZ4HC -> length + length / 255L + 16;
          case ZSTD -> Zstd.compressBound(length);
          // Snappy's documented bound.
          case ZLIB -> length;
          case SNAPPY -> 32L + length + length / 6L;
        };
    return bound + Bytes.MAX_VARINT;
  }

  /**
   * Writes a block compressed to {@code target}, which has room for {@link #maxBytes}.
   *
   * @return its length; -1 if it would not be smaller by an eighth at least, which is where RocksDB
   *     stores a block as it is
   */
  int compress(byte[] source, int length, byte[] target, int at) {
    int from = compression == Compression.SNAPPY ? at : Bytes.putVarint(target, at, length);
    int end = from + run(source, length, target, from);
    int stored = end - at;
    return stored <= length - length / 8 ? stored : -1;
  }

  private int run(byte[] source, int length, byte[] target, int at) {
    int room = target.length - at;
    return switch (compression) {
      case LZ4 -> Lz4.FAST.compress(source, 0, length, target, at, room);
      case LZ4HC -> Lz4.HIGH.compress(source, 0, length, target, at, room);
      case ZLIB -> deflate(source, length, target, at);
      case ZSTD -> zstd(source, length, target, at, room);
      case SNAPPY -> snappy(source, length, target, at);
      case NONE -> throw StateStoreException.internal("no compressor", null);
    };
  }

  private int zstd(byte[] source, int length, byte[] target, int at, int room) {
    if (zstd == null) {
      throw StateStoreException.internal("no ZSTD context", null);
    }
    return zstd.compressByteArray(target, at, room, source, 0, length);
  }

  /** Gives up, and says the whole length, where a block does not get smaller. */
  private int deflate(byte[] source, int length, byte[] target, int at) {
    if (deflater == null) {
      throw StateStoreException.internal("no deflater", null);
    }
    deflater.reset();
    deflater.setInput(source, 0, length);
    deflater.finish();
    int written = deflater.deflate(target, at, length);
    return deflater.finished() ? written : length;
  }

  private static int snappy(byte[] source, int length, byte[] target, int at) {
    try {
      return Snappy.compress(source, 0, length, target, at);
    } catch (IOException e) {
      throw StateStoreException.internal("Snappy cannot compress: " + e, e);
    }
  }

  @Override
  public void close() {
    if (zstd != null) {
      zstd.close();
    }
    if (deflater != null) {
      deflater.end();
    }
  }
}
