package io.reshard.rocksdb;

import io.reshard.spi.StateStoreException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a shard's directory holds, and how it changes so that a crash at any point is harmless.
 *
 * <pre>
 *   LOCK     locked while the shard is open
 *   STATE    which database is the shard, and its column families
 *   db-N/    RocksDB databases: generations of the shard
 * </pre>
 *
 * <p>The one rule: <em>the database STATE names holds the last committed version and nothing
 * else.</em> Any other {@code db-N} is garbage to whoever opens the directory. STATE is replaced
 * whole by a rename, so it always names one. With this rule the three delicate moments are the
 * same:
 *
 * <ul>
 *   <li>Before uncommitted rows go into database n, the committed content is linked into n + 1 and
 *       STATE is pointed there. A crash or a rollback then simply is n + 1.
 *   <li>When they are committed, all of n is forced to disk and STATE pointed back to n.
 *   <li>An import is built beside the present database and STATE pointed at it when it is whole.
 * </ul>
 *
 * <p>STATE is text, lines ended by {@code \n}:
 *
 * <pre>
 *   reshard-rocksdb 1
 *   generation N             0 until the first commit: there is no database yet
 *   column-family NAME       one line for each
 *   crc32c HHHHHHHH          of all bytes before this line
 * </pre>
 *
 * <p>Used under the lock of the shard that owns it; {@link #discard} from any thread.
 */
final class ShardDirectory implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ShardDirectory.class);

  private static final String LOCK = "LOCK";
  private static final String STATE = "STATE";
  private static final String STATE_NEW = "STATE.new";
  private static final Pattern DATABASE = Pattern.compile("db-([1-9][0-9]{0,17})");

  private static final String FORMAT = "reshard-rocksdb 1";
  private static final String GENERATION = "generation ";
  private static final String COLUMN_FAMILY = "column-family ";
  private static final String CHECKSUM = "crc32c ";

  /** 256 names of 64 characters take less than 32 KiB. */
  private static final long MAX_STATE_BYTES = 64 << 10;

  /** Directories open in this process, where a file lock does not help. */
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final List<String> columnFamilies;
  private final FileChannel lockFile;
  private volatile long generation;
  private long newest;

  private ShardDirectory(Path path, List<String> columnFamilies, FileChannel lockFile) {
    this.path = path;
    this.columnFamilies = columnFamilies;
    this.lockFile = lockFile;
  }

  /**
   * Locks the directory, made if missing, reads its state and removes what a crash left behind.
   *
   * @throws StateStoreException INVALID if it is open already, here or in another process;
   *     INCOMPATIBLE if it holds something else; CORRUPT if STATE is damaged or missing;
   *     UNAVAILABLE if the disk fails
   */
  static ShardDirectory open(Path directory, List<String> columnFamilies) {
    Path path;
    try {
      // It may be a link to a directory, which createDirectories does not take.
      if (!Files.isDirectory(directory)) {
        Files.createDirectories(directory);
      }
      path = directory.toRealPath();
    } catch (FileAlreadyExistsException e) {
      throw StateStoreException.invalid(
          directory + " is to be a shard's directory, but " + e.getFile() + " is a file");
    } catch (IOException e) {
      throw Errors.io("making directory", directory, e);
    }
    if (!OPEN.add(path)) {
      throw StateStoreException.invalid(
          "directory "
              + path
              + " is open already in this process; close that store first or give each shard a"
              + " directory of its own");
    }
    FileChannel lockFile = null;
    try {
      lockFile = lock(path);
      ShardDirectory opened = new ShardDirectory(path, columnFamilies, lockFile);
      opened.read();
      opened.removeGarbage();
      return opened;
    } catch (IOException e) {
      release(path, lockFile);
      throw Errors.io("opening directory", path, e);
    } catch (RuntimeException e) {
      release(path, lockFile);
      throw e;
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw StateStoreException.invalid(
          "directory " + path + " is open in another process; stop that process first");
    }
    return channel;
  }

  private static void release(Path path, @Nullable FileChannel lockFile) {
    try {
      if (lockFile != null) {
        lockFile.close();
      }
    } catch (IOException e) {
      LOGGER.warn("closing {} failed", path.resolve(LOCK), e);
    } finally {
      OPEN.remove(path);
    }
  }

  /** The directory itself. */
  Path path() {
    return path;
  }

  /** The generation that holds the last committed version; 0 if there is none yet. */
  long generation() {
    return generation;
  }

  /** Where the database of a generation lies. */
  Path database(long generation) {
    return path.resolve("db-" + generation);
  }

  /** A generation number that was never used; nothing lies under its path. */
  long newGeneration() {
    newest++;
    delete(database(newest));
    return newest;
  }

  /** Points STATE to a generation; it is on disk when this returns. */
  void publish(long generation) {
    try {
      write(generation, true);
    } catch (IOException e) {
      throw Errors.io("writing", path.resolve(STATE), e);
    }
  }

  /** Removes the database of a generation; what cannot be removed is garbage for the next open. */
  void discard(long generation) {
    if (generation == this.generation) {
      throw StateStoreException.internal("the published database was to be removed", null);
    }
    delete(database(generation));
  }

  @Override
  public void close() {
    release(path, lockFile);
  }

  private void read() throws IOException {
    Set<String> foreign = new TreeSet<>();
    boolean databases = false;
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        Matcher database = DATABASE.matcher(name);
        if (database.matches()) {
          databases = true;
          newest = Math.max(newest, Long.parseLong(database.group(1)));
        } else if (!name.equals(LOCK) && !name.equals(STATE) && !name.equals(STATE_NEW)) {
          foreign.add(name);
        }
      }
    }
    Path state = path.resolve(STATE);
    if (Files.exists(state)) {
      parse(state);
      return;
    }
    if (databases) {
      throw StateStoreException.corrupt(
          state + " is missing beside databases; empty the directory and restore from a snapshot");
    }
    if (!foreign.isEmpty()) {
      throw StateStoreException.incompatible(
          "directory "
              + path
              + " is no shard of backend 'rocksdb' and not empty: it holds "
              + foreign.iterator().next()
              + "; give the shard a directory of its own");
    }
    // Says that whatever database is found from now on is not whole yet.
    write(0, false);
  }

  private void parse(Path state) throws IOException {
    if (Files.size(state) > MAX_STATE_BYTES) {
      throw damaged(state, "is larger than " + MAX_STATE_BYTES + " bytes");
    }
    String text = Files.readString(state, StandardCharsets.ISO_8859_1);
    int end = text.lastIndexOf(CHECKSUM);
    if (end < 0 || !text.substring(end).equals(checksumLine(text.substring(0, end)))) {
      throw damaged(state, "does not match its checksum");
    }
    String[] lines = text.substring(0, end).split("\n", -1);
    if (!lines[0].equals(FORMAT)) {
      throw StateStoreException.incompatible(
          state
              + " has format '"
              + lines[0]
              + "', this release reads '"
              + FORMAT
              + "'; use the release that wrote it");
    }
    List<String> found = new ArrayList<>();
    long number = -1;
    for (int i = 1; i + 1 < lines.length; i++) {
      if (lines[i].startsWith(COLUMN_FAMILY)) {
        found.add(lines[i].substring(COLUMN_FAMILY.length()));
      } else if (lines[i].matches(GENERATION + "[0-9]{1,18}") && number < 0) {
        number = Long.parseLong(lines[i].substring(GENERATION.length()));
      } else {
        throw damaged(state, "has the line '" + lines[i] + "'");
      }
    }
    if (number < 0) {
      throw damaged(state, "names no generation");
    }
    if (!Set.copyOf(found).equals(Set.copyOf(columnFamilies))) {
      throw StateStoreException.incompatible(
          "directory "
              + path
              + " holds a shard with column families "
              + new TreeSet<>(found)
              + ", not "
              + new TreeSet<>(columnFamilies)
              + "; open it with those, or empty it");
    }
    generation = number;
    newest = Math.max(newest, number);
    if (number > 0 && !Files.isDirectory(database(number))) {
      throw StateStoreException.corrupt(
          state
              + " names database "
              + database(number)
              + ", which is missing; empty the directory and restore from a snapshot");
    }
  }

  private static StateStoreException damaged(Path state, String how) {
    return StateStoreException.corrupt(
        state + " " + how + "; empty the directory and restore from a snapshot");
  }

  private void removeGarbage() throws IOException {
    Files.deleteIfExists(path.resolve(STATE_NEW));
    List<Path> garbage = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path, "db-*")) {
      for (Path entry : entries) {
        if (!entry.equals(database(generation))) {
          garbage.add(entry);
        }
      }
    }
    garbage.forEach(ShardDirectory::delete);
  }

  private void write(long generation, boolean force) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(FORMAT).append('\n').append(GENERATION).append(generation).append('\n');
    for (String columnFamily : columnFamilies) {
      text.append(COLUMN_FAMILY).append(columnFamily).append('\n');
    }
    text.append(checksumLine(text.toString()));
    Path next = path.resolve(STATE_NEW);
    writeFile(next, text.toString(), force);
    Files.move(next, path.resolve(STATE), StandardCopyOption.ATOMIC_MOVE);
    this.generation = generation;
    if (force) {
      forceDirectory(path);
    }
  }

  /** The last line of a text file: a checksum of the text before it. */
  static String checksumLine(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
    return CHECKSUM + String.format("%08x", crc.getValue()) + "\n";
  }

  static void writeFile(Path file, String text, boolean force) throws IOException {
    // Not a channel: an interrupt of the thread would close it halfway and fail the store.
    try (FileOutputStream out = new FileOutputStream(file.toFile())) {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
      if (force) {
        out.getFD().sync();
      }
    }
  }

  private static void forceDirectory(Path directory) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
          channel.force(true);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Removes a directory with all it holds, if it is there. */
  static void delete(Path directory) {
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e)
                throws IOException {
              if (e != null) {
                throw e;
              }
              Files.deleteIfExists(visited);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (NoSuchFileException e) {
      // Nothing to remove.
    } catch (IOException e) {
      LOGGER.warn(
          "removing {} failed; it takes room until the shard is opened again", directory, e);
    }
  }
}
