package io.reshard.sst;

import io.reshard.spi.StateStoreException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last 53 bytes of a file (table/format.cc of RocksDB), integers little-endian:
 *
 * <pre>
 *   byte     checksum type
 *   40 bytes format version 2 to 5: metaindex handle, index handle, zeros
 *            format version 6, 7: 3e 00 7a 00, int checksum of the footer with this field zero,
 *            int context base, int size of the metaindex block (which ends where the footer starts),
 *            24 zeros, the last eight of which must be so
 *   int      format version
 *   long     magic number 0x88e241b785f4cff7
 * </pre>
 *
 * @param formatVersion 2 to 7
 * @param checksum code of the checksum of blocks
 * @param contextBase base of context checksums, 0 if there are none
 * @param metaindex the metaindex block
 * @param index the index block; null from version 6 on, where the metaindex names it
 */
record Footer(
    int formatVersion,
    int checksum,
    int contextBase,
    BlockHandle metaindex,
    @Nullable BlockHandle index) {
  static final int BYTES = 53;
  static final int OLDEST_VERSION = 2;
  static final int NEWEST_VERSION = 7;

  /** From this format version on checksums depend on their place. */
  static final int CONTEXT_VERSION = 6;

  /** From this format version on the property of the compression names who compressed. */
  static final int COMPRESSION_MANAGER_VERSION = 7;

  private static final long MAGIC = 0x88e241b785f4cff7L;
  private static final long MAGIC_BEFORE_VERSION_1 = 0xdb4775248b80fb57L;
  private static final long MAGIC_PLAIN_TABLE = 0x8242229663bf9564L;
  private static final long MAGIC_OLD_PLAIN_TABLE = 0x4f3418eb7a8f13b8L;
  private static final long MAGIC_CUCKOO_TABLE = 0x926789d0c5f17873L;
  private static final int EXTENDED_MAGIC = 0x007a003e;
  private static final int PARTS = 1;
  private static final int VERSION = 41;
  private static final int MAGIC_NUMBER = 45;

  static Footer read(SstSource source) {
    String file = source.name();
    if (source.size() < BYTES) {
      throw Faults.corrupt(
          file, 0, "it has " + source.size() + " bytes, and a footer alone takes " + BYTES);
    }
    long offset = source.size() - BYTES;
    byte[] bytes = new byte[BYTES];
    source.read(offset, bytes, 0, BYTES);
    checkMagic(file, offset, Bytes.getLong(bytes, MAGIC_NUMBER));
    int version = Bytes.getInt(bytes, VERSION);
    if (version < OLDEST_VERSION || version > NEWEST_VERSION) {
      throw Faults.incompatible(
          file,
          "has format version "
              + Integer.toUnsignedString(version)
              + ", supported are "
              + OLDEST_VERSION
              + " to "
              + NEWEST_VERSION,
          "write it anew with BlockBasedTableConfig.setFormatVersion set to one of these");
    }
    int checksum = bytes[0];
    if (checksum < BlockChecksum.NONE || checksum > BlockChecksum.XXH3) {
      throw Faults.corrupt(file, offset, "checksum type " + checksum + " does not exist");
    }
    return version < CONTEXT_VERSION
        ? readHandles(file, offset, bytes, version, checksum)
        : readExtended(file, offset, bytes, version, checksum);
  }

  private static void checkMagic(String file, long offset, long magic) {
    if (magic == MAGIC) {
      return;
    }
    if (magic == MAGIC_BEFORE_VERSION_1) {
      throw Faults.incompatible(
          file, "has format version 0 or 1", "let RocksDB 4.6 to 10 compact it first");
    }
    if (magic == MAGIC_PLAIN_TABLE
        || magic == MAGIC_OLD_PLAIN_TABLE
        || magic == MAGIC_CUCKOO_TABLE) {
      throw Faults.incompatible(
          file, "is no block-based table", "write it anew with BlockBasedTableConfig");
    }
    throw Faults.corrupt(
        file,
        offset + MAGIC_NUMBER,
        "magic number "
            + Long.toHexString(magic)
            + " instead of "
            + Long.toHexString(MAGIC)
            + "; it is no SST file, or is cut short");
  }

  private static Footer readHandles(
      String file, long offset, byte[] bytes, int version, int checksum) {
    ByteInput input = new ByteInput(file, offset, bytes, PARTS, VERSION);
    BlockHandle metaindex = input.handle("metaindex handle");
    BlockHandle index = input.handle("index handle");
    return new Footer(version, checksum, 0, metaindex, index);
  }

  private static Footer readExtended(
      String file, long offset, byte[] bytes, int version, int checksum) {
    if (Bytes.getInt(bytes, PARTS) != EXTENDED_MAGIC) {
      throw Faults.corrupt(file, offset, "extended magic number is wrong");
    }
    int stored = Bytes.getInt(bytes, 5);
    int base = Bytes.getInt(bytes, 9);
    long metaindexSize = Bytes.getInt(bytes, 13) & 0xffffffffL;
    if (base == 0) {
      throw Faults.corrupt(file, offset, "context base is 0");
    }
    int computed = checksumOf(bytes, checksum, base, offset);
    if (computed != stored) {
      throw Faults.corrupt(
          file,
          offset,
          "checksum of the footer is "
              + Integer.toHexString(computed)
              + ", stored is "
              + Integer.toHexString(stored));
    }
    if (Bytes.getLong(bytes, VERSION - Long.BYTES) != 0) {
      throw Faults.incompatible(
          file,
          "sets reserved bits of the footer",
          "write it anew with a RocksDB that this library knows");
    }
    long start = offset - BlockHandle.TRAILER - metaindexSize;
    if (start < 0) {
      throw Faults.corrupt(file, offset, "metaindex of " + metaindexSize + " bytes");
    }
    return new Footer(version, checksum, base, new BlockHandle(start, metaindexSize), null);
  }

  /** The bytes of this footer where it lies at {@code offset}. */
  byte[] toBytes(long offset) {
    byte[] bytes = new byte[BYTES];
    bytes[0] = (byte) checksum;
    Bytes.putInt(bytes, VERSION, formatVersion);
    Bytes.putLong(bytes, MAGIC_NUMBER, MAGIC);
    if (index != null) {
      int at = Bytes.putVarint(bytes, PARTS, metaindex.offset());
      at = Bytes.putVarint(bytes, at, metaindex.size());
      at = Bytes.putVarint(bytes, at, index.offset());
      Bytes.putVarint(bytes, at, index.size());
      return bytes;
    }
    if (metaindex.size() > Integer.MAX_VALUE) {
      throw StateStoreException.internal("metaindex of " + metaindex.size() + " bytes", null);
    }
    Bytes.putInt(bytes, PARTS, EXTENDED_MAGIC);
    Bytes.putInt(bytes, 9, contextBase);
    Bytes.putInt(bytes, 13, (int) metaindex.size());
    Bytes.putInt(bytes, 5, checksumOf(bytes, checksum, contextBase, offset));
    return bytes;
  }

  private static int checksumOf(byte[] footer, int checksum, int base, long offset) {
    byte[] copy = Arrays.copyOf(footer, BYTES);
    Bytes.putInt(copy, 5, 0);
    return new BlockChecksum(checksum).compute(copy, 0, BYTES)
        + BlockChecksum.context(base, offset);
  }
}
