package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a {@link KeyedStore}'s local state, the store's alone for as long as it is open.
 *
 * <pre>
 *   LOCK          locked while a store is open; says who holds it
 *   shard-NNNNN   one directory for each shard, the backend's
 * </pre>
 *
 * <p>What an earlier store left is removed, but only under the lock: a second store on the same
 * directory must be refused before it has touched anything. LOCK itself stays when the store is
 * closed, as a lock on a file that was removed keeps nobody out.
 */
final class WorkingDirectory implements AutoCloseable {
  private static final String LOCK = "LOCK";
  private static final Pattern SHARD = Pattern.compile("shard-[0-9]{5}");
  private static final int MAX_HOLDER_BYTES = 256;

  /**
   * Directories held in this process. Asked before LOCK is opened: where locks belong to processes,
   * closing any channel of a file gives up every lock the process has on it.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel lock;

  private WorkingDirectory(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * Locks the directory, made if missing, and empties it.
   *
   * @throws StateStoreException INVALID if a store is open there, in this process or another, or if
   *     it holds anything that no store has put there; UNAVAILABLE if the disk fails
   */
  static WorkingDirectory take(Path directory) {
    Path path;
    try {
      LocalFiles.makeDirectories(directory.toAbsolutePath());
      path = directory.toRealPath();
    } catch (IOException e) {
      throw LocalFiles.failed("making " + directory, e);
    }
    if (!HELD.add(path)) {
      throw held(path, "another store of this process");
    }
    WorkingDirectory taken = null;
    try {
      taken = new WorkingDirectory(path, lock(path));
      taken.empty();
      return taken;
    } catch (IOException e) {
      release(path, taken);
      throw LocalFiles.failed("preparing working directory " + path, e);
    } catch (RuntimeException e) {
      release(path, taken);
      throw e;
    }
  }

  private static void release(Path path, @Nullable WorkingDirectory taken) {
    if (taken == null) {
      HELD.remove(path);
    } else {
      taken.close();
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(
            path.resolve(LOCK),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    boolean locked = false;
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw held(path, holder(channel));
      }
      String self = "process " + ProcessHandle.current().pid() + ", since " + Instant.now();
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(self.getBytes(StandardCharsets.US_ASCII)), 0);
      locked = true;
      return channel;
    } finally {
      if (!locked) {
        channel.close();
      }
    }
  }

  /** What the holder wrote into LOCK; it may be gone, or may not have written yet. */
  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(MAX_HOLDER_BYTES);
    int length = Math.max(0, channel.read(text, 0));
    String holder = new String(text.array(), 0, length, StandardCharsets.US_ASCII);
    return holder.matches("process [0-9]+, since [-0-9T:.Z]+") ? holder : "another process";
  }

  private static StateStoreException held(Path path, String holder) {
    return StateStoreException.invalid(
        "working directory "
            + path
            + " is in use by "
            + holder
            + "; close that store first, or give each store a directory of its own");
  }

  private void empty() throws IOException {
    List<Path> shards = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        if (SHARD.matcher(name).matches()) {
          shards.add(entry);
        } else if (!name.equals(LOCK)) {
          throw StateStoreException.invalid(
              "working directory "
                  + path
                  + " would be emptied, but holds '"
                  + name
                  + "', which is not a store's; give the store a directory of its own");
        }
      }
    }
    shards.forEach(LocalFiles::deleteTree);
  }

  /** Where a shard's backend keeps its state. */
  Path shard(int shard) {
    return path.resolve(String.format("shard-%05d", shard));
  }

  /** Lets others have it; what lies there stays. */
  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw LocalFiles.failed("unlocking " + path, e);
    } finally {
      HELD.remove(path);
    }
  }
}
