package io.reshard.checkpoint;

import io.reshard.sst.SstSource;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The little that Reshard asks of a place that keeps objects: immutable bytes under a name, created
 * at most once. Local disk, HDFS and S3 implement it.
 *
 * <p>Names are relative: segments of {@code a-z A-Z 0-9 . _ -} separated by {@code /}, no segment
 * empty, {@code .} or {@code ..}, at most 255 characters in all; any other is INVALID. Thread-safe.
 *
 * <ul>
 *   <li>O-1: {@link #putIfAbsent} is atomic: the object is there wholly or not at all, and of
 *       several writers exactly one gets true.
 *   <li>O-2: once it has returned true the object survives a crash of the machine.
 *   <li>O-3: an object once created can be read at once, by any reader, and never changes.
 *   <li>O-4: {@link #list} shows every object created before the call and not deleted, in order of
 *       names.
 *   <li>O-5: a missing object is null from {@link #open} and {@link #info}; everything else that
 *       fails is UNAVAILABLE. After UNAVAILABLE from {@link #putIfAbsent} the object may or may not
 *       exist.
 * </ul>
 */
public interface ObjectStore extends AutoCloseable {
  /** Where it is, as the user would write it. Never holds a secret. */
  String location();

  /** Opens an object for positional reads; null if it does not exist. */
  @Nullable SstSource open(String name);

  /** Size and time of an object; null if it does not exist. */
  @Nullable ObjectInfo info(String name);

  /** Creates an object; false, with nothing changed, if the name exists. */
  boolean putIfAbsent(String name, byte[] content);

  /**
   * Creates an object of a file's bytes. The file must not change afterwards: it may become the
   * object itself by a hard link.
   */
  boolean putIfAbsent(String name, Path file);

  /**
   * The first {@code limit} objects whose names start with {@code prefix} and come after {@code
   * after}: fewer only where there are no more.
   */
  List<ObjectInfo> list(String prefix, String after, int limit);

  /** Deletes an object; one that does not exist is no error. */
  void delete(String name);

  /**
   * Copies a part of an object into a new file on local disk, or links the file where the object is
   * one: its bytes must not be changed in place.
   *
   * @return false, with nothing made, if the object does not exist
   * @throws io.reshard.spi.StateStoreException CORRUPT if the range is not within the object
   */
  default boolean download(String name, long offset, long length, Path target) {
    SstSource source = open(name);
    if (source == null) {
      return false;
    }
    try (source) {
      Ranges.check(name, source.size(), offset, length);
      try (OutputStream out = Files.newOutputStream(target, StandardOpenOption.CREATE_NEW)) {
        byte[] buffer = new byte[(int) Math.min(length, 1 << 20)];
        for (long done = 0; done < length; ) {
          int part = (int) Math.min(buffer.length, length - done);
          source.read(offset + done, buffer, 0, part);
          out.write(buffer, 0, part);
          done += part;
        }
      } catch (IOException e) {
        throw LocalFiles.failed("writing " + target, e);
      }
      return true;
    }
  }

  /**
   * A directory on local disk for files on their way to this store; on the same file system where
   * the store is local. Made if missing. What is in it means nothing to the store.
   */
  Path stagingDirectory();

  /**
   * Makes sure that O-1 is kept where the place itself may not know how: tries to create an object
   * that exists once more, in every way this store creates objects, and expects to be refused.
   * Called once when a store is made.
   *
   * @param name of an object that exists; may be damaged if this throws
   * @throws io.reshard.spi.StateStoreException INCOMPATIBLE if the place replaces objects, or
   *     cannot create one only where there is none
   */
  default void checkCreatesOnce(String name) {}

  /**
   * Cleans up after transfers that began before some time, by the object store's clock, and never
   * ended: what is left of them is no object, but takes room.
   *
   * @param beforeMillis milliseconds since 1970
   * @param dryRun only count
   * @return how many there were
   */
  default long removeUnfinished(long beforeMillis, boolean dryRun) {
    return 0;
  }

  /** What this client has asked of the place so far. */
  default ObjectStoreMetrics metrics() {
    return ObjectStoreMetrics.NONE;
  }

  @Override
  void close();
}
