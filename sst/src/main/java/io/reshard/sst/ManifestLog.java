package io.reshard.sst;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32C;

/**
 * Writes the log format of RocksDB's MANIFEST (db/log_format.h), integers little-endian:
 *
 * <pre>
 *   log      = blocks of 32768 bytes, the last may be shorter
 *   block    = fragment* zeros                (fewer than 7 bytes left: zeros)
 *   fragment = int masked CRC-32C of type and payload, short length, byte type, payload
 *   type     = 1 whole record, 2 first, 3 middle, 4 last fragment of a record
 * </pre>
 */
final class ManifestLog {
  private static final int BLOCK = 32_768;
  private static final int HEADER = 7;
  private static final int WHOLE = 1;
  private static final int FIRST = 2;
  private static final int MIDDLE = 3;
  private static final int LAST = 4;

  private final OutputStream out;
  private final CRC32C crc = new CRC32C();
  private int usedOfBlock;

  ManifestLog(OutputStream out) {
    this.out = out;
  }

  void append(byte[] record) throws IOException {
    int at = 0;
    do {
      int room = BLOCK - usedOfBlock;
      if (room < HEADER) {
        out.write(new byte[room]);
        usedOfBlock = 0;
        room = BLOCK;
      }
      int length = Math.min(record.length - at, room - HEADER);
      boolean first = at == 0;
      boolean last = at + length == record.length;
      appendFragment(type(first, last), record, at, length);
      at += length;
    } while (at < record.length);
  }

  private static int type(boolean first, boolean last) {
    if (first) {
      return last ? WHOLE : FIRST;
    }
    return last ? LAST : MIDDLE;
  }

  private void appendFragment(int type, byte[] record, int at, int length) throws IOException {
    crc.reset();
    crc.update(type);
    crc.update(record, at, length);
    byte[] header = new byte[HEADER];
    Bytes.putInt(header, 0, BlockChecksum.mask((int) crc.getValue()));
    header[4] = (byte) length;
    header[5] = (byte) (length >>> 8);
    header[6] = (byte) type;
    out.write(header);
    out.write(record, at, length);
    usedOfBlock += HEADER + length;
  }

  /**
   * A VersionEdit (db/version_edit.h): fields, each a varint32 tag and what belongs to it. Tags
   * used:
   *
   * <pre>
   *     1 comparator        string
   *     2 log number        varint64
   *     3 next file number  varint64
   *     4 last sequence     varint64
   *   103 new file          varint32 level, varint64 number, varint64 size,
   *                         string smallest and string largest internal key,
   *                         varint64 smallest and largest sequence number,
   *                         custom fields: varint32 tag, string; ended by tag 1
   *   200 column family     varint32 id the edit is about; 0 if not there
   *   201 add               string name of the column family to be created
   *   203 greatest id       varint32 of a column family
   *   string = varint32 length, bytes
   * </pre>
   */
  static final class Edit {
    private static final int COMPARATOR = 1;
    private static final int LOG_NUMBER = 2;
    private static final int NEXT_FILE_NUMBER = 3;
    private static final int LAST_SEQUENCE = 4;
    private static final int NEW_FILE = 103;
    private static final int COLUMN_FAMILY = 200;
    private static final int COLUMN_FAMILY_ADD = 201;
    private static final int MAX_COLUMN_FAMILY = 203;
    private static final int EPOCH_NUMBER = 13;
    private static final int END_OF_CUSTOM_FIELDS = 1;

    private final ByteArrayOutputStream fields = new ByteArrayOutputStream();

    Edit comparator(String name) {
      return number(COMPARATOR).string(PropertyWriter.utf8(name));
    }

    Edit logNumber(long number) {
      return number(LOG_NUMBER).number(number);
    }

    Edit nextFileNumber(long number) {
      return number(NEXT_FILE_NUMBER).number(number);
    }

    Edit lastSequence(long sequence) {
      return number(LAST_SEQUENCE).number(sequence);
    }

    Edit columnFamily(int id) {
      return number(COLUMN_FAMILY).number(id);
    }

    Edit addColumnFamily(String name) {
      return number(COLUMN_FAMILY_ADD).string(PropertyWriter.utf8(name));
    }

    Edit maxColumnFamily(int id) {
      return number(MAX_COLUMN_FAMILY).number(id);
    }

    Edit newFile(RocksDirectory.Member file, byte[] smallest, byte[] largest, long epoch) {
      return number(NEW_FILE)
          .number(file.level())
          .number(file.number())
          .number(file.size())
          .string(smallest)
          .string(largest)
          .number(file.smallestSequence())
          .number(file.largestSequence())
          .number(EPOCH_NUMBER)
          .string(Bytes.varint(epoch))
          .number(END_OF_CUSTOM_FIELDS);
    }

    private Edit number(long value) {
      fields.writeBytes(Bytes.varint(value));
      return this;
    }

    private Edit string(byte[] bytes) {
      number(bytes.length);
      fields.writeBytes(bytes);
      return this;
    }

    byte[] toBytes() {
      return fields.toByteArray();
    }
  }
}
