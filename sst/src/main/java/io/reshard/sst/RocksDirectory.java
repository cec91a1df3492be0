package io.reshard.sst;

import java.nio.file.Path;
import java.util.List;

/**
 * Makes a directory that RocksDB opens as a database out of SST files that lie in it: writes a
 * MANIFEST (a log of VersionEdits) and CURRENT beside them, and copies no data.
 */
public final class RocksDirectory {
  /**
   * One file. It must lie in the directory under RocksDB's name for its number ({@link #fileName}).
   *
   * @param columnFamily name of the column family
   * @param number file number, unique in the directory, from 8 on
   * @param size length in bytes
   * @param level 0 to 6; files of one column family on a level above 0 must not overlap
   * @param smallestKey least user key
   * @param largestKey greatest user key
   * @param smallestSequence least sequence number
   * @param largestSequence greatest sequence number
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, not compared.
  public record Member(
      String columnFamily,
      long number,
      long size,
      int level,
      byte[] smallestKey,
      byte[] largestKey,
      long smallestSequence,
      long largestSequence) {}

  private RocksDirectory() {}

  /** RocksDB's name for an SST file number: six digits and more, {@code .sst}. */
  public static String fileName(long number) {
    return String.format("%06d.sst", number);
  }

  /**
   * Writes MANIFEST and CURRENT, files and directory forced to disk.
   *
   * @param columnFamilies names in order of their ids, "default" first (id 0)
   * @throws io.reshard.spi.StateStoreException INVALID if files overlap that must not, UNAVAILABLE
   *     if writing fails
   */
  public static void write(Path directory, List<String> columnFamilies, List<Member> members) {
    throw new UnsupportedOperationException("stub");
  }
}
