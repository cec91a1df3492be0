package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A directory for local state while a command runs, deleted at its end. A process that is killed
 * leaves it; the next command deletes it then. Whether its owner lives is told by a lock on a file
 * beside it, which ends with the process whatever its end.
 */
final class WorkDirectory implements AutoCloseable {
  private static final String PREFIX = "work-";
  private static final String LOCK_SUFFIX = ".lock";

  private final Path path;
  private final Path lockFile;
  private final FileChannel lockChannel;

  private WorkDirectory(Path path, Path lockFile, FileChannel lockChannel) {
    this.path = path;
    this.lockFile = lockFile;
    this.lockChannel = lockChannel;
  }

  /** Makes one in {@code parent}, and deletes what dead processes left there. */
  static WorkDirectory in(Path parent) {
    try {
      Files.createDirectories(parent);
      sweep(parent);
      String name = PREFIX + UUID.randomUUID();
      Path lockFile = parent.resolve(name + LOCK_SUFFIX);
      FileChannel channel = lock(lockFile);
      if (channel == null) {
        throw new IOException("lock file " + lockFile + " is taken");
      }
      Path path = parent.resolve(name);
      Files.createDirectory(path);
      return new WorkDirectory(path, lockFile, channel);
    } catch (IOException e) {
      throw StateStoreException.unavailable(
          "cannot make a working directory in "
              + parent
              + ": "
              + e
              + "; check its permissions and free space, or name another place",
          e);
    }
  }

  private static void sweep(Path parent) throws IOException {
    try (DirectoryStream<Path> locks =
        Files.newDirectoryStream(parent, PREFIX + "*" + LOCK_SUFFIX)) {
      for (Path lockFile : locks) {
        try (FileChannel channel = lock(lockFile)) {
          if (channel != null) {
            String name = lockFile.getFileName().toString();
            deleteTree(
                lockFile.resolveSibling(name.substring(0, name.length() - LOCK_SUFFIX.length())));
            Files.deleteIfExists(lockFile);
          }
        }
      }
    }
  }

  /** Locks a file; null if someone alive has it. */
  private static @Nullable FileChannel lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // Taken within this process.
    }
    channel.close();
    return null;
  }

  /** Deletes a directory with all that is in it; none is no error. */
  static void deleteTree(Path directory) throws IOException {
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
      // Nothing to delete.
    }
  }

  /** Where it is. */
  Path path() {
    return path;
  }

  @Override
  public void close() {
    try (lockChannel) {
      deleteTree(path);
      Files.deleteIfExists(lockFile);
    } catch (IOException e) {
      throw StateStoreException.unavailable(
          "cannot delete the working directory " + path + ": " + e + "; delete it by hand", e);
    }
  }
}
