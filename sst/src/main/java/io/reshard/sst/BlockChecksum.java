package io.reshard.sst;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.util.zip.CRC32C;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Checksums of blocks, over the bytes as stored and the compression type behind them. Codes and
 * definitions are RocksDB's (include/rocksdb/table.h, table/format.cc):
 *
 * <pre>
 *   0 none       always 0
 *   1 CRC-32C    rotated right by 15 bits, plus 0xa282ead8, so that a checksum may be checksummed
 *   2 xxHash     XXH32, seed 0
 *   3 xxHash64   lower half of XXH64, seed 0
 *   4 XXH3       lower half of XXH3-64 without the type byte, exclusive-or type byte * 0x6b9083d9
 * </pre>
 *
 * <p>From format version 6 on a checksum also depends on file and place: {@link #context} is added.
 *
 * <p>Used by one thread.
 */
final class BlockChecksum {
  static final int NONE = 0;
  static final int CRC32C = 1;
  static final int XXHASH = 2;
  static final int XXHASH64 = 3;
  static final int XXH3 = 4;

  private static final int CRC_MASK = 0xa282ead8;
  private static final int LAST_BYTE_FACTOR = 0x6b9083d9;
  private static final Hasher64 XXH3_64 = Hashing.xxh3_64();

  /** Loaded where needed: the two are rare. */
  private static final class OldHashes {
    static final XXHash32 XXH32 = XXHashFactory.fastestInstance().hash32();
    static final XXHash64 XXH64 = XXHashFactory.fastestInstance().hash64();
  }

  private final int code;
  private final CRC32C crc = new CRC32C();

  /** A checksum of the given code, which is one of the above. */
  BlockChecksum(int code) {
    this.code = code;
  }

  /** The checksum of {@code length} bytes, the last of which is the compression type. */
  int compute(byte[] array, int offset, int length) {
    return switch (code) {
      case NONE -> 0;
      case CRC32C -> crc32c(array, offset, length);
      case XXHASH -> OldHashes.XXH32.hash(array, offset, length, 0);
      case XXHASH64 -> (int) OldHashes.XXH64.hash(array, offset, length, 0);
      default ->
          (int) XXH3_64.hashBytesToLong(array, offset, length - 1)
              ^ (array[offset + length - 1] & 0xff) * LAST_BYTE_FACTOR;
    };
  }

  private int crc32c(byte[] array, int offset, int length) {
    crc.reset();
    crc.update(array, offset, length);
    return mask((int) crc.getValue());
  }

  /** How RocksDB stores a CRC. */
  static int mask(int crc) {
    return Integer.rotateRight(crc, 15) + CRC_MASK;
  }

  /**
   * What is added to the checksum of a block at {@code offset}, or of a footer there; nothing where
   * {@code base} is 0 (format versions below 6).
   */
  static int context(int base, long offset) {
    return base == 0 ? 0 : base ^ ((int) offset + (int) (offset >>> 32));
  }
}
