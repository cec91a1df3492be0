package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Where files on their way to a remote store lie on local disk: a directory for each location below
 * the one the option {@code staging} names, by default {@code reshard-USER} in Java's temporary
 * directory. The same location has the same directory in every process of a user, so that one
 * process can clean up after another that died.
 *
 * <p>The temporary directory may be open to all, so the default one is made for its owner alone,
 * and one that is another user's, or a symbolic link, is refused.
 */
public final class RemoteStaging {
  private RemoteStaging() {}

  /**
   * The directory for a location; made if missing.
   *
   * @throws StateStoreException INVALID if it belongs to another user, UNAVAILABLE if it cannot be
   *     made
   */
  public static Path directory(String location, StoreOptions options) {
    byte[] bytes = location.getBytes(StandardCharsets.UTF_8);
    String name = Sha256.of(bytes, 0, bytes.length).substring(0, 16);
    String chosen = options.get("staging", "");
    Path parent = chosen.isEmpty() ? ownDirectory() : Path.of(chosen).toAbsolutePath();
    try {
      return Files.createDirectories(parent.resolve(name));
    } catch (IOException e) {
      throw failed(parent.resolve(name), e);
    }
  }

  private static Path ownDirectory() {
    String user = System.getProperty("user.name", "user").replaceAll("[^A-Za-z0-9._-]", "_");
    Path directory =
        Path.of(System.getProperty("java.io.tmpdir", "/tmp"))
            .toAbsolutePath()
            .resolve("reshard-" + user);
    try {
      Path parent = directory.getParent();
      if (parent != null
          && parent.getFileSystem().supportedFileAttributeViews().contains("posix")) {
        makeForOwner(directory);
      } else {
        Files.createDirectories(directory);
      }
      return directory;
    } catch (IOException e) {
      throw failed(directory, e);
    }
  }

  private static void makeForOwner(Path directory) throws IOException {
    Path parent = directory.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      Files.createDirectory(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      Path mine = Files.createTempFile("reshard-", ".owner");
      try {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
            || !Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(mine))) {
          throw StateStoreException.invalid(
              directory
                  + " is not a directory of this user; name another place for files on their way by"
                  + " the option 'staging'");
        }
      } finally {
        Files.deleteIfExists(mine);
      }
    }
  }

  private static StateStoreException failed(Path directory, IOException e) {
    return StateStoreException.unavailable(
        "making "
            + directory
            + " failed: "
            + e
            + "; mend it, or name another place for files on their way by the option 'staging'",
        e);
  }
}
