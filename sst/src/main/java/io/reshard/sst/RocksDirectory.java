package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.Limits;
import io.reshard.spi.StateStoreException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes a directory that RocksDB opens as a database out of SST files that lie in it: writes a
 * MANIFEST (a log of VersionEdits, {@link ManifestLog}) and CURRENT beside them, and copies no
 * data.
 *
 * <p>RocksDB trusts the MANIFEST for two things that can make a read wrong without an error, so
 * both are settled here:
 *
 * <ul>
 *   <li>On level 0 a read asks one file after another, newest first, and stops at the first that
 *       has the key. Files are put in that order by their largest sequence numbers, and the order
 *       is written down as epoch numbers. Where the keys and the sequence numbers of two files both
 *       overlap, as after an ingestion beside a memtable that had nothing of those keys, the two
 *       are read: one must have the newer entries of every key they share, else they are INVALID.
 *   <li>A read asks level 0 before 1, 1 before 2 and so on. The caller knows that entries of a
 *       lower level are the newer ones; sequence ranges of whole files do not tell.
 * </ul>
 *
 * <p>On a level above 0 files do not overlap, else they are INVALID; with one exception that
 * RocksDB makes itself, when it moves files from level 0 without a look into them, and when a
 * compaction ends a file between two versions of a key that a snapshot wants both: neighbours may
 * share the key where one ends and the next begins, if its entries in the first are newer than
 * those in the second. Where the sequence numbers of the whole files do not show that, the two
 * files are asked for the entries of that key.
 *
 * <p>The records name no unique ids of the files and no times, which RocksDB then does not check
 * and takes from the files. A file that is external (ingestible) has in RocksDB the sequence number
 * that is given here as its largest, for all of its entries.
 */
public final class RocksDirectory {
  private static final int LEVELS = 7;
  private static final long FIRST_FILE_NUMBER = 8;

  /** One that files cannot have. */
  private static final long MANIFEST_NUMBER = 1;

  /** RocksDB keeps 1 for files ingested behind all others. */
  private static final long FIRST_EPOCH = 2;

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
   * Writes MANIFEST and CURRENT, files and directory forced to disk. The SST files themselves are
   * the caller's to force. CURRENT comes last and at once: until then there is no database.
   *
   * @param columnFamilies names in order of their ids, "default" first (id 0); where "default" is
   *     not among them it is added as id 0, and the others follow
   * @throws io.reshard.spi.StateStoreException INVALID if files overlap that must not, if one is
   *     not there or has another length, or if the directory has a CURRENT already; UNAVAILABLE if
   *     writing fails
   */
  public static void write(Path directory, List<String> columnFamilies, List<Member> members) {
    Map<String, Integer> ids = ids(columnFamilies);
    checkMembers(directory, ids, members);
    Map<String, List<Member>> byFamily = new HashMap<>();
    members.forEach(
        member ->
            byFamily.computeIfAbsent(member.columnFamily(), name -> new ArrayList<>()).add(member));
    SharedKeys shared = new SharedKeys(directory);
    byFamily.values().forEach(files -> checkOverlaps(files, shared));
    try {
      if (Files.exists(directory.resolve("CURRENT"))) {
        throw StateStoreException.invalid(
            "directory '" + directory + "' is a database already; give an empty directory");
      }
      writeManifest(directory, ids, members, byFamily, shared);
      writeCurrent(directory);
      force(directory);
    } catch (IOException e) {
      throw StateStoreException.unavailable(
          "directory '" + directory + "' cannot be made a database: " + e, e);
    }
  }

  /**
   * Whether the files of level 0 can stand side by side in a database, as far as bounds and
   * sequence numbers tell: whether of any two that hold the same keys one is the newer throughout.
   * Where it is false {@link #write} looks at their entries and refuses them if those have no order
   * either; merge them into files of their own first.
   */
  public static boolean hasOrderOnLevelZero(List<Member> members) {
    Map<String, List<Member>> byFamily = new HashMap<>();
    for (Member member : members) {
      if (member.level() == 0) {
        byFamily.computeIfAbsent(member.columnFamily(), name -> new ArrayList<>()).add(member);
      }
    }
    return byFamily.values().stream()
        .allMatch(files -> overlaps(files, 0).stream().allMatch(Pair::hasOrder));
  }

  private static Map<String, Integer> ids(List<String> columnFamilies) {
    Map<String, Integer> ids = new HashMap<>();
    List<String> names = new ArrayList<>(columnFamilies);
    if (!names.contains(ColumnFamily.DEFAULT_NAME)) {
      names.add(0, ColumnFamily.DEFAULT_NAME);
    }
    if (names.indexOf(ColumnFamily.DEFAULT_NAME) != 0) {
      throw StateStoreException.invalid(
          "column families " + names + "; put 'default' first, RocksDB gives it id 0");
    }
    for (String name : names) {
      if (ids.put(name, ids.size()) != null) {
        throw StateStoreException.invalid("column family '" + name + "' twice in " + names);
      }
    }
    return ids;
  }

  private static void checkMembers(Path directory, Map<String, Integer> ids, List<Member> members) {
    Set<Long> numbers = new HashSet<>();
    for (Member member : members) {
      checkMember(ids, member);
      if (!numbers.add(member.number())) {
        throw invalid(member, "its number is given to two files; give each its own");
      }
      checkFile(directory, member);
    }
  }

  private static void checkMember(Map<String, Integer> ids, Member member) {
    if (!ids.containsKey(member.columnFamily())) {
      throw invalid(
          member, "column family '" + member.columnFamily() + "' is not among " + ids.keySet());
    }
    if (member.number() < FIRST_FILE_NUMBER) {
      throw invalid(member, "give a number from " + FIRST_FILE_NUMBER + " on");
    }
    if (member.level() < 0 || member.level() >= LEVELS) {
      throw invalid(member, "level " + member.level() + "; give 0 to " + (LEVELS - 1));
    }
    if (member.smallestSequence() < 0
        || member.smallestSequence() > member.largestSequence()
        || member.largestSequence() > SstCursor.MAX_SEQUENCE) {
      throw invalid(
          member,
          "sequence numbers "
              + member.smallestSequence()
              + " to "
              + member.largestSequence()
              + "; give an ascending range within 0 to 2^56 - 1");
    }
    Limits.check(member.smallestKey().length, 0);
    Limits.check(member.largestKey().length, 0);
    if (Arrays.compareUnsigned(member.smallestKey(), member.largestKey()) > 0) {
      throw invalid(member, "its smallest key is beyond its largest: " + keys(member));
    }
  }

  private static void checkFile(Path directory, Member member) {
    Path file = directory.resolve(fileName(member.number()));
    try {
      long size = Files.size(file);
      if (size != member.size()) {
        throw invalid(
            member, "'" + file + "' has " + size + " bytes, expected are " + member.size());
      }
    } catch (IOException e) {
      throw new StateStoreException(
          StateStoreException.Kind.INVALID,
          "SST file '" + file + "' is not there (" + e + "); link or copy it there first",
          e);
    }
  }

  /** Two files of a level that hold the same keys, {@code left} starting first. */
  private record Pair(Member left, Member right) {
    /** Whether bounds and sequence numbers of the whole files show which is the newer. */
    boolean hasOrder() {
      return left.level() > 0
          ? Arrays.equals(left.largestKey(), right.smallestKey())
              && left.smallestSequence() > right.largestSequence()
          : left.smallestSequence() > right.largestSequence()
              || right.smallestSequence() > left.largestSequence();
    }
  }

  /** All files of one column family. */
  private static void checkOverlaps(List<Member> members, SharedKeys shared) {
    for (int level = 0; level < LEVELS; level++) {
      for (Pair pair : overlaps(members, level)) {
        if (!pair.hasOrder() && !shared.hasOrder(pair)) {
          throw level > 0 ? overlapping(pair) : withoutOrder(pair);
        }
      }
    }
  }

  private static List<Pair> overlaps(List<Member> members, int level) {
    List<Member> files = new ArrayList<>();
    for (Member member : members) {
      if (member.level() == level) {
        files.add(member);
      }
    }
    files.sort(
        Comparator.comparing(Member::smallestKey, Arrays::compareUnsigned)
            .thenComparing(Member::largestKey, Arrays::compareUnsigned)
            .thenComparing(Member::largestSequence, Comparator.reverseOrder()));
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      Member left = files.get(i);
      for (int j = i + 1; j < files.size() && overlap(left, files.get(j)); j++) {
        pairs.add(new Pair(left, files.get(j)));
      }
    }
    return pairs;
  }

  /** Whether keys overlap, {@code left} starting first. */
  private static boolean overlap(Member left, Member right) {
    return Arrays.compareUnsigned(left.largestKey(), right.smallestKey()) >= 0;
  }

  private static StateStoreException overlapping(Pair pair) {
    return invalid(
        pair.left,
        "its keys "
            + keys(pair.left)
            + " overlap those of "
            + fileName(pair.right.number())
            + ", "
            + keys(pair.right)
            + ", on level "
            + pair.left.level()
            + "; put one of them on another level, or merge them into one file");
  }

  private static StateStoreException withoutOrder(Pair pair) {
    return invalid(
        pair.left,
        "it overlaps "
            + fileName(pair.right.number())
            + " on level 0 in its keys, "
            + keys(pair.left)
            + " and "
            + keys(pair.right)
            + ", and in its sequence numbers, "
            + pair.left.smallestSequence()
            + " to "
            + pair.left.largestSequence()
            + " and "
            + pair.right.smallestSequence()
            + " to "
            + pair.right.largestSequence()
            + ", so neither is the newer one; merge them into one file");
  }

  private static void writeManifest(
      Path directory,
      Map<String, Integer> ids,
      List<Member> members,
      Map<String, List<Member>> byFamily,
      SharedKeys shared)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            directory.resolve(manifestName()),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
      writeEdits(new ManifestLog(out), ids, members, byFamily, shared);
      out.flush();
      channel.force(true);
    }
  }

  private static void writeEdits(
      ManifestLog log,
      Map<String, Integer> ids,
      List<Member> members,
      Map<String, List<Member>> byFamily,
      SharedKeys shared)
      throws IOException {
    long greatestNumber =
        members.stream().mapToLong(Member::number).max().orElse(FIRST_FILE_NUMBER);
    log.append(
        new ManifestLog.Edit()
            .comparator(PropertyNames.BYTEWISE_COMPARATOR)
            .logNumber(0)
            .nextFileNumber(greatestNumber + 1)
            .maxColumnFamily(ids.size() - 1)
            .lastSequence(members.stream().mapToLong(Member::largestSequence).max().orElse(0))
            .toBytes());
    List<Map.Entry<String, Integer>> families = new ArrayList<>(ids.entrySet());
    families.sort(Map.Entry.comparingByValue());
    for (Map.Entry<String, Integer> family : families) {
      int id = family.getValue();
      if (id != 0) {
        log.append(
            new ManifestLog.Edit()
                .comparator(PropertyNames.BYTEWISE_COMPARATOR)
                .logNumber(0)
                .columnFamily(id)
                .addColumnFamily(family.getKey())
                .toBytes());
      }
      long epoch = FIRST_EPOCH;
      for (Member member : oldestFirst(byFamily.getOrDefault(family.getKey(), List.of()))) {
        log.append(
            new ManifestLog.Edit()
                .newFile(member, shared.smallest(member), shared.largest(member), epoch++)
                .columnFamily(id)
                .toBytes());
      }
    }
  }

  private static List<Member> oldestFirst(List<Member> members) {
    List<Member> sorted = new ArrayList<>(members);
    sorted.sort(
        Comparator.comparingInt(Member::level)
            .reversed()
            .thenComparingLong(Member::largestSequence)
            .thenComparingLong(Member::smallestSequence)
            .thenComparingLong(Member::number));
    return sorted;
  }

  private static byte[] internalKey(byte[] userKey, long sequence, int type) {
    byte[] key = Arrays.copyOf(userKey, userKey.length + SstCursor.TRAILER);
    Bytes.putLong(key, userKey.length, sequence << 8 | type);
    return key;
  }

  private static void writeCurrent(Path directory) throws IOException {
    Path temporary = directory.resolve(String.format("%06d.dbtmp", MANIFEST_NUMBER));
    try (FileChannel channel =
            FileChannel.open(
                temporary,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        OutputStream out = Channels.newOutputStream(channel)) {
      out.write((manifestName() + "\n").getBytes(StandardCharsets.US_ASCII));
      channel.force(true);
    }
    Files.move(temporary, directory.resolve("CURRENT"), StandardCopyOption.ATOMIC_MOVE);
  }

  private static String manifestName() {
    return String.format("MANIFEST-%06d", MANIFEST_NUMBER);
  }

  /** Makes the names in a directory last; Windows has no such call and needs none. */
  private static void force(Path directory) throws IOException {
    if (!System.getProperty("os.name", "").startsWith("Windows")) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private static String keys(Member member) {
    return new ByteView(member.smallestKey()) + " to " + new ByteView(member.largestKey());
  }

  private static StateStoreException invalid(Member member, String what) {
    return StateStoreException.invalid(
        "SST file " + fileName(member.number()) + " cannot be put into a database: " + what);
  }

  /**
   * The bounds of files in RocksDB's order, which is by key and then from the newest entry to the
   * oldest: files of a level must not overlap in it, also where they share a key.
   */
  private static final class SharedKeys {
    private final Path directory;

    /** Newest entry of the smallest key, by file number, where it was looked up. */
    private final Map<Long, Long> newestOfSmallest = new HashMap<>();

    /** Oldest entry of the largest key, by file number, where it was looked up. */
    private final Map<Long, Long> oldestOfLargest = new HashMap<>();

    SharedKeys(Path directory) {
      this.directory = directory;
    }

    /** Whether the entries of two files show which is the newer, where nothing else does. */
    boolean hasOrder(Pair pair) {
      Member left = pair.left;
      Member right = pair.right;
      return left.level() > 0
          ? Arrays.equals(left.largestKey(), right.smallestKey()) && isNewerIn(left, right)
          : areOrdered(left, right);
    }

    /**
     * Whether the entries of the key where {@code left} ends and {@code right} begins are all newer
     * in {@code left}.
     */
    private boolean isNewerIn(Member left, Member right) {
      long oldest = oldest(left);
      long newest = newest(right);
      if (oldest <= newest) {
        return false;
      }
      oldestOfLargest.put(left.number(), oldest);
      newestOfSmallest.put(right.number(), newest);
      return true;
    }

    /**
     * Whether the file with the larger sequence number has the newer entries of every key that the
     * two share.
     */
    private boolean areOrdered(Member left, Member right) {
      if (left.largestSequence() == right.largestSequence()) {
        return false;
      }
      boolean leftIsNewer = left.largestSequence() > right.largestSequence();
      return isNewerThroughout(leftIsNewer ? left : right, leftIsNewer ? right : left);
    }

    private boolean isNewerThroughout(Member newer, Member older) {
      try (SstReader newerFile = open(newer);
          SstReader olderFile = open(older);
          EntryCursor above = newerFile.entries(older.smallestKey(), null);
          EntryCursor below = olderFile.entries(newer.smallestKey(), null)) {
        if (newerFile.properties().rangeDeletions() + olderFile.properties().rangeDeletions() > 0) {
          return false; // They concern more keys than are looked at.
        }
        boolean both = above.next() && below.next();
        while (both) {
          int order = above.key().compareTo(below.key());
          if (order == 0 && above.sequence() <= below.sequence()) {
            return false;
          }
          // At a shared key the older file stays at its newest entry until the other has passed.
          both = order <= 0 ? above.next() : below.next();
        }
        return true;
      }
    }

    /** Sequence number of the last entry of the largest key; -1 if the file has none of it. */
    private long oldest(Member member) {
      long oldest = -1;
      try (SstReader reader = open(member);
          EntryCursor entries = reader.entries(member.largestKey(), null)) {
        while (entries.next() && entries.key().compareTo(member.largestKey()) == 0) {
          oldest = entries.sequence();
        }
      }
      return oldest;
    }

    /** Sequence number of the first entry, which should be of the smallest key. */
    private long newest(Member member) {
      try (SstReader reader = open(member);
          EntryCursor entries = reader.entries()) {
        return entries.next() && entries.key().compareTo(member.smallestKey()) == 0
            ? entries.sequence()
            : Long.MAX_VALUE;
      }
    }

    private SstReader open(Member member) {
      Path file = directory.resolve(fileName(member.number()));
      return SstReader.open(SstSource.ofFile(file), member.largestSequence());
    }

    /** An internal key that no entry of the file sorts before. */
    byte[] smallest(Member member) {
      long sequence = newestOfSmallest.getOrDefault(member.number(), member.largestSequence());
      return internalKey(member.smallestKey(), sequence, EntryType.SINGLE_DELETE.code());
    }

    /** An internal key that no entry of the file sorts behind. */
    byte[] largest(Member member) {
      long sequence = oldestOfLargest.getOrDefault(member.number(), member.smallestSequence());
      return internalKey(member.largestKey(), sequence, EntryType.DELETE.code());
    }
  }
}
