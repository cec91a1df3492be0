package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;

/** Small things about files on local disk. */
final class LocalFiles {
  private LocalFiles() {}

  /** What a failed operation means to a caller. */
  static StateStoreException failed(String what, IOException e) {
    if (e instanceof ClosedByInterruptException) {
      return StateStoreException.unavailable(
          what + " failed: the thread was interrupted; call again if that was not meant", e);
    }
    String reason = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
    if (reason.contains("no space left") || reason.contains("quota exceeded")) {
      return StateStoreException.unavailable(
          what + " failed: the disk is full; make room there, then call again", e);
    }
    return StateStoreException.unavailable(
        what + " failed: " + e + "; check the disk and its permissions, then call again", e);
  }

  /** Forces a file's bytes to disk. */
  static void force(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Forces a directory's entries to disk. */
  static void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Makes a directory and those above it, each forced into the one that holds it. */
  static void makeDirectories(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.getParent();
    if (parent != null) {
      makeDirectories(parent);
    }
    Files.createDirectories(directory);
    if (parent != null) {
      forceDirectory(parent);
    }
  }

  /** Writes a new file and forces it to disk. */
  static void writeNew(Path file, byte[] content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
  }

  /** Links {@code source} as {@code target}, or copies it where a link cannot be. */
  static void linkOrCopy(Path source, Path target) {
    try {
      try {
        Files.createLink(target, source);
      } catch (UnsupportedOperationException | java.nio.file.FileSystemException e) {
        if (!Files.exists(source) || Files.exists(target)) {
          throw e;
        }
        Files.copy(source, target);
      }
    } catch (IOException e) {
      throw failed("linking " + source + " as " + target, e);
    }
  }

  /** Deletes a file if it is there; failing to is no fault of the caller. */
  static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      org.slf4j.LoggerFactory.getLogger(LocalFiles.class)
          .warn("cannot delete {}: {}; delete it by hand", file, e.toString());
    }
  }

  /** Deletes a directory with everything in it, if it is there. */
  static void deleteTree(Path directory) {
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
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
              if (e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
              }
              throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(
                Path visited, @org.jspecify.annotations.Nullable IOException e) throws IOException {
              if (e != null) {
                throw e;
              }
              Files.deleteIfExists(visited);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException | UncheckedIOException e) {
      throw StateStoreException.unavailable(
          "deleting " + directory + " failed: " + e + "; check its permissions, then call again",
          e);
    }
  }
}
