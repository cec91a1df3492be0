package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one column family of a database, read from its files: exactly those that RocksDB's
 * own iterator would show, now or at the sequence number of a snapshot.
 *
 * <p>What is needed is decided once for all files, from their properties. Where none has range
 * deletions or merge operands, and the newest rows are asked for, the rows are those of {@link
 * Cursors#rows(EntryCursor)}; else {@link ResolvedRows} makes them.
 *
 * <p>Range deletions work across files: one of any file deletes what has a smaller sequence number
 * in every file, but only within the keys of its own file. A compaction that ends a file in the
 * middle of a range writes the whole range into both files, and leaves it to the reader to cut it
 * at the bounds that the MANIFEST has of each. That must be done: part of such a range may outlive
 * the rest, and newer entries below the rest may have lost their sequence numbers, which become 0
 * at the bottom of the tree; the uncut range would delete those.
 *
 * <p>So the bounds of a file are to be given as the database has them ({@code
 * RocksDB.getLiveFilesMetaData}). They say not whether the largest key belongs to the file or is
 * where a range was cut, the first key of the next file: it belongs to it where an entry of that
 * key lies in the file.
 */
public final class LevelRows {
  /** More than any sequence number: the newest rows. */
  public static final long NEWEST = SstCursor.MAX_SEQUENCE;

  /**
   * One file. It must stay open as long as the rows are read; it is not closed with them.
   *
   * @param reader the file, opened with its largest sequence number as the database has it
   * @param level its LSM level
   * @param smallestKey least user key, as the database has it
   * @param largestKey greatest user key, as the database has it
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, not compared.
  public record File(SstReader reader, int level, byte[] smallestKey, byte[] largestKey) {}

  private LevelRows() {}

  /** The newest rows of files without merge operands. */
  public static StateIterator open(List<File> files) {
    return open(files, null, NEWEST);
  }

  /**
   * The rows of files. Memory: the range deletions, and a read window for each file.
   *
   * @param files all files of the column family
   * @param append the merge operator of the database, if that is string append; null if it has none
   * @param sequence greatest sequence number that is seen: that of a snapshot, or {@link #NEWEST}.
   *     What the snapshot sees must still be there, as it is while the database holds it
   * @throws io.reshard.spi.StateStoreException INCOMPATIBLE if a file has merge operands and they
   *     cannot be resolved; CORRUPT
   */
  public static StateIterator open(List<File> files, @Nullable StringAppend append, long sequence) {
    List<File> newestFirst = new ArrayList<>(files);
    newestFirst.sort(Comparator.comparingInt(File::level));
    List<RangeDeletion> deletions = new ArrayList<>();
    boolean plain = sequence >= NEWEST;
    for (File file : newestFirst) {
      checkOperator(file.reader, append);
      SstProperties properties = file.reader.properties();
      plain &= properties.rangeDeletions() == 0 && properties.mergeOperands() == 0;
      deletions.addAll(rangeDeletions(file.reader, file.smallestKey, file.largestKey));
    }
    EntryCursor merged = merged(newestFirst);
    return plain ? Cursors.rows(merged) : Cursors.rows(merged, deletions, append, sequence);
  }

  private static EntryCursor merged(List<File> files) {
    List<EntryCursor> cursors = new ArrayList<>();
    files.forEach(file -> cursors.add(file.reader.entries()));
    return Cursors.merge(cursors);
  }

  private static void checkOperator(SstReader reader, @Nullable StringAppend append) {
    SstProperties properties = reader.properties();
    if (properties.mergeOperands() == 0) {
      return;
    }
    String name = properties.mergeOperator();
    if (!StringAppend.isNamed(name)) {
      throw unresolved(
          reader,
          PropertyReader.shown(name),
          "only StringAppendOperator is known; open the database with its merge operator and"
              + " compact it, which leaves values, then read it again");
    }
    if (append == null) {
      throw unresolved(reader, name, "give the delimiter that the database is opened with");
    }
  }

  private static StateStoreException unresolved(SstReader reader, String name, String next) {
    return Faults.incompatible(
        reader.file(),
        "has "
            + reader.properties().mergeOperands()
            + " merge operands, property '"
            + PropertyNames.MERGE_OPERATOR
            + "' = "
            + name,
        next);
  }

  /**
   * The range deletions of a file, cut at its bounds; empty ones are left out.
   *
   * @param smallestKey least user key, as the database has it
   * @param largestKey greatest user key, as the database has it
   */
  public static List<RangeDeletion> rangeDeletions(
      SstReader reader, byte[] smallestKey, byte[] largestKey) {
    List<RangeDeletion> cut = new ArrayList<>();
    byte @Nullable [] end = null;
    for (RangeDeletion deletion : reader.rangeDeletions()) {
      byte[] from = deletion.begin();
      byte[] to = deletion.end();
      if (Arrays.compareUnsigned(from, smallestKey) < 0) {
        from = smallestKey;
      }
      if (Arrays.compareUnsigned(to, largestKey) > 0) {
        end = end == null ? endOf(reader, largestKey) : end;
        to = Arrays.compareUnsigned(to, end) > 0 ? end : to;
      }
      if (Arrays.compareUnsigned(from, to) < 0) {
        cut.add(new RangeDeletion(from, to, deletion.sequence()));
      }
    }
    return cut;
  }

  /** Where a file ends: behind the largest key if an entry of it is there, else at it. */
  private static byte[] endOf(SstReader reader, byte[] largestKey) {
    byte[] behind = Arrays.copyOf(largestKey, largestKey.length + 1);
    try (EntryCursor cursor = reader.entries(largestKey, null)) {
      if (!cursor.next()) {
        return largestKey;
      }
      if (cursor.key().compareTo(largestKey) == 0) {
        return behind;
      }
      throw StateStoreException.invalid(
          "SST file '"
              + reader.file()
              + "' holds key "
              + cursor.key()
              + ", and its largest key is said to be "
              + new ByteView(largestKey)
              + "; give its bounds as the database has them");
    }
  }
}
