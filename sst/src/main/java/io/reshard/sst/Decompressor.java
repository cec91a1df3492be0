package io.reshard.sst;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

/**
 * Undoes block compression into a buffer that is kept and reused. The size a block claims is
 * checked against the caller's bound, and against what the algorithm can reach at best, before the
 * buffer grows. Used by one thread.
 *
 * <p>Data blocks may be compressed with a dictionary, which is the content of a meta block. It is
 * raw content or, for ZSTD, one that was trained. Snappy has none, though a file may carry one.
 */
final class Decompressor implements AutoCloseable {
  /** LZ4 spends at least one byte on 255. */
  private static final int LZ4_BEST_RATIO = 255;

  /** Snappy's densest element copies 64 bytes and takes 3. */
  private static final int SNAPPY_BEST_RATIO = 22;

  /** ZSTD spends at least four bytes on a block of 128 KiB. */
  private static final int ZSTD_BEST_RATIO = 32_768;

  private static final byte[] EMPTY = new byte[0];

  /** DEFLATE spends at least two bits on 258 bytes. */
  private static final int ZLIB_BEST_RATIO = 1032;

  /** Loaded at the first LZ4 block. The safe decompressor checks its input; the fast one trusts. */
  private static final class Lz4 {
    static final LZ4SafeDecompressor SAFE = LZ4Factory.fastestInstance().safeDecompressor();
  }

  private final String file;
  private final byte @Nullable [] dictionary;
  private byte[] buffer = EMPTY;
  private int length;
  private @Nullable ZstdDecompressCtx zstd;
  private @Nullable Inflater inflater;
  private @Nullable Lz4Dictionary lz4Dictionary;

  /**
   * Decompresses blocks of a file.
   *
   * @param dictionary that of its data blocks; null if they have none, and for other blocks
   */
  Decompressor(String file, byte @Nullable [] dictionary) {
    this.file = file;
    this.dictionary = dictionary;
  }

  /** Holds what the last call gave; valid until the next. */
  byte[] buffer() {
    return buffer;
  }

  /** Bytes in {@link #buffer()}. */
  int length() {
    return length;
  }

  /**
   * Decompresses a block.
   *
   * @param type code of the compression, not {@link Compression#NONE}
   * @param block offset of the block in the file, for errors
   * @param maxBytes most it may have
   */
  void decompress(int type, byte[] source, int start, int end, long block, int maxBytes) {
    ByteInput input = new ByteInput(file, block, source, start, end);
    long claimed = input.varint64("decompressed size");
    if (claimed > maxBytes) {
      throw Faults.corrupt(
          file, block, "a block claims " + claimed + " bytes, most allowed is " + maxBytes);
    }
    // Snappy's own format starts with the size; the others have it in front.
    int from = type == Compression.SNAPPY.code() ? start : input.position();
    checkRatio(type, claimed, end - from, block);
    length = (int) claimed;
    if (buffer.length < length) {
      buffer = new byte[Math.max(length, (int) Math.min(maxBytes, buffer.length * 2L))];
    }
    int got;
    try {
      got = run(type, source, from, end - from);
    } catch (LZ4Exception | ZstdException | IOException e) {
      throw Faults.corrupt(file, block, "a block does not decompress: " + e.getMessage(), e);
    }
    if (got != length) {
      throw Faults.corrupt(
          file, block, "a block decompresses to " + got + " bytes and claims " + length);
    }
  }

  private void checkRatio(int type, long claimed, int stored, long block) {
    long ratio =
        isLz4(type)
            ? LZ4_BEST_RATIO
            : type == Compression.SNAPPY.code()
                ? SNAPPY_BEST_RATIO
                : type == Compression.ZLIB.code() ? ZLIB_BEST_RATIO : ZSTD_BEST_RATIO;
    if (claimed > ratio * stored) {
      throw Faults.corrupt(
          file, block, "a block of " + stored + " bytes claims to decompress to " + claimed);
    }
  }

  private int run(int type, byte[] source, int from, int size) throws IOException {
    if (isLz4(type)) {
      return lz4(source, from, size);
    }
    if (type == Compression.ZSTD.code()) {
      return zstd().decompressByteArray(buffer, 0, length, source, from, size);
    }
    if (type == Compression.SNAPPY.code()) {
      return Snappy.uncompress(source, from, size, buffer, 0);
    }
    if (type == Compression.ZLIB.code()) {
      return inflate(source, from, size);
    }
    throw StateStoreException.internal("no decompressor for type " + type, null);
  }

  private int lz4(byte[] source, int from, int size) {
    if (dictionary == null) {
      return Lz4.SAFE.decompress(source, from, size, buffer, 0, length);
    }
    Lz4Dictionary used = lz4Dictionary;
    if (used == null) {
      used = new Lz4Dictionary(dictionary);
      lz4Dictionary = used;
    }
    return used.decompress(Lz4.SAFE, source, from, size, buffer, length);
  }

  private ZstdDecompressCtx zstd() {
    ZstdDecompressCtx used = zstd;
    if (used == null) {
      used = new ZstdDecompressCtx();
      zstd = used;
      if (dictionary != null) {
        used.loadDict(dictionary);
      }
    }
    return used;
  }

  /** Raw DEFLATE, without header and checksum. */
  private int inflate(byte[] source, int from, int size) throws IOException {
    Inflater used = inflater;
    if (used == null) {
      used = new Inflater(true);
      inflater = used;
    }
    used.reset();
    if (dictionary != null) {
      used.setDictionary(dictionary);
    }
    used.setInput(source, from, size);
    try {
      int got = used.inflate(buffer, 0, length);
      if (got == length && !used.finished() && used.inflate(new byte[1]) > 0) {
        throw new IOException("more bytes than claimed");
      }
      return got;
    } catch (DataFormatException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static boolean isLz4(int type) {
    return type == Compression.LZ4.code() || type == Compression.LZ4HC.code();
  }

  /** Whether blocks of this compression can be read. */
  static boolean supports(int type) {
    return isLz4(type)
        || type == Compression.ZLIB.code()
        || type == Compression.ZSTD.code()
        || type == Compression.SNAPPY.code();
  }

  @Override
  public void close() {
    buffer = EMPTY;
    length = 0;
    lz4Dictionary = null;
    if (zstd != null) {
      zstd.close();
      zstd = null;
    }
    if (inflater != null) {
      inflater.end();
      inflater = null;
    }
  }
}
