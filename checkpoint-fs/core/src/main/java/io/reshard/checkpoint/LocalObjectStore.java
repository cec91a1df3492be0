package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Objects as files below a directory.
 *
 * <p>An object is made in four steps: its bytes are written to a file of another name in {@code
 * staging/}; the file is forced to disk; it is hard-linked under its own name, which is atomic and
 * fails if the name exists; the directory is forced to disk. A crash leaves at most a file in
 * {@code staging/}, which is no object. The name is never there without all of its bytes, and a
 * rename, which would replace what another writer made, is never used.
 *
 * <p>An object's time is when it was linked: a file that becomes an object may be much older, so
 * its time is set just before.
 */
final class LocalObjectStore implements ObjectStore {
  private static final String STAGING = "staging";

  private final Path root;
  private final Path staging;
  private volatile boolean closed;

  LocalObjectStore(Path root) {
    this.root = root.toAbsolutePath().normalize();
    this.staging = this.root.resolve(STAGING);
    if (Files.exists(this.root) && !Files.isDirectory(this.root)) {
      throw StateStoreException.invalid(this.root + " is a file; give a directory");
    }
  }

  @Override
  public String location() {
    return root.toString();
  }

  @Override
  public @Nullable SstSource open(String name) {
    Path path = path(name);
    try {
      return new FileSource(name, path);
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      if (isMissing(path)) {
        return null;
      }
      throw LocalFiles.failed("opening " + path, e);
    }
  }

  @Override
  public @Nullable ObjectInfo info(String name) {
    Path path = path(name);
    try {
      return info(name, Files.readAttributes(path, BasicFileAttributes.class));
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      if (isMissing(path)) {
        return null;
      }
      throw LocalFiles.failed("looking at " + path, e);
    }
  }

  private static @Nullable ObjectInfo info(String name, BasicFileAttributes attributes) {
    return attributes.isRegularFile()
        ? new ObjectInfo(name, attributes.size(), attributes.lastModifiedTime().toMillis())
        : null;
  }

  /** Whether there is no such file, also where an object lies in place of one of its parents. */
  private static boolean isMissing(Path path) {
    return !Files.isRegularFile(path);
  }

  @Override
  public boolean putIfAbsent(String name, byte[] content) {
    Path path = path(name);
    if (Files.exists(path)) {
      return alreadyThere(path);
    }
    Path temporary = temporary();
    try {
      LocalFiles.makeDirectories(staging);
      LocalFiles.writeNew(temporary, content);
      return link(temporary, path);
    } catch (IOException e) {
      throw LocalFiles.failed("creating " + path, e);
    } finally {
      LocalFiles.deleteQuietly(temporary);
    }
  }

  @Override
  public boolean putIfAbsent(String name, Path file) {
    Path path = path(name);
    if (Files.exists(path)) {
      return alreadyThere(path);
    }
    Path temporary = temporary();
    try {
      LocalFiles.makeDirectories(staging);
      try {
        Files.createLink(temporary, file);
        Files.setLastModifiedTime(temporary, FileTime.fromMillis(System.currentTimeMillis()));
      } catch (FileSystemException | UnsupportedOperationException e) {
        if (!Files.exists(file)) {
          throw e;
        }
        Files.copy(file, temporary, StandardCopyOption.REPLACE_EXISTING);
      }
      LocalFiles.force(temporary);
      return link(temporary, path);
    } catch (IOException e) {
      throw LocalFiles.failed("creating " + path, e);
    } finally {
      LocalFiles.deleteQuietly(temporary);
    }
  }

  /**
   * A caller may build on what is there, and whoever linked it may have failed to force the
   * directory; so it is forced here.
   */
  private static boolean alreadyThere(Path path) {
    try {
      LocalFiles.forceDirectory(Objects.requireNonNull(path.getParent()));
      return false;
    } catch (IOException e) {
      throw LocalFiles.failed("forcing the directory of " + path, e);
    }
  }

  private Path temporary() {
    return staging.resolve(UUID.randomUUID() + ".tmp");
  }

  private static boolean link(Path temporary, Path path) throws IOException {
    Path directory = Objects.requireNonNull(path.getParent());
    LocalFiles.makeDirectories(directory);
    try {
      Files.createLink(path, temporary);
    } catch (FileAlreadyExistsException e) {
      return alreadyThere(path);
    } catch (UnsupportedOperationException e) {
      throw new StateStoreException(
          StateStoreException.Kind.INCOMPATIBLE,
          "the file system of "
              + directory
              + " has no hard links, which make creating an object atomic; use another one",
          e);
    }
    LocalFiles.forceDirectory(directory);
    return true;
  }

  @Override
  public List<ObjectInfo> list(String prefix, String after, int limit) {
    checkOpen();
    String directory = ObjectNames.checkList(prefix, limit);
    List<ObjectInfo> found = new ArrayList<>();
    list(
        root.resolve(directory),
        prefix.substring(0, prefix.lastIndexOf('/') + 1),
        prefix,
        after,
        limit,
        found);
    return found;
  }

  /** A child of a directory; {@code name} ends in '/' if it is a directory itself. */
  private record Child(String name, Path path, BasicFileAttributes attributes) {}

  /**
   * Walks in the order of whole names. A directory counts as its name with a '/' behind it: "a-b"
   * comes before "a/b", and "a/b" before "a0".
   */
  private void list(
      Path directory, String base, String prefix, String after, int limit, List<ObjectInfo> found) {
    for (Child child : children(directory, base, prefix, after)) {
      if (found.size() == limit) {
        return;
      }
      if (child.attributes.isDirectory()) {
        list(child.path, child.name, prefix, after, limit, found);
      } else {
        ObjectInfo info = info(child.name, child.attributes);
        if (info != null) {
          found.add(info);
        }
      }
    }
  }

  private List<Child> children(Path directory, String base, String prefix, String after) {
    List<Child> children = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      for (Path path : stream) {
        String name = base + path.getFileName();
        if (!ObjectNames.isValid(name) || path.equals(staging) || !mayMatch(name, prefix)) {
          continue;
        }
        BasicFileAttributes attributes;
        try {
          attributes = Files.readAttributes(path, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
          continue; // Deleted meanwhile.
        }
        if (attributes.isDirectory()) {
          String inside = name + "/";
          if (inside.startsWith(prefix) || prefix.startsWith(inside)) {
            if (after.startsWith(inside) || inside.compareTo(after) > 0) {
              children.add(new Child(inside, path, attributes));
            }
          }
        } else if (name.startsWith(prefix) && name.compareTo(after) > 0) {
          children.add(new Child(name, path, attributes));
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (IOException e) {
      throw LocalFiles.failed("listing " + directory, e);
    } catch (java.nio.file.DirectoryIteratorException e) {
      throw LocalFiles.failed("listing " + directory, new IOException(e));
    }
    children.sort(Comparator.comparing(Child::name));
    return children;
  }

  private static boolean mayMatch(String name, String prefix) {
    return name.startsWith(prefix) || prefix.startsWith(name);
  }

  @Override
  public void delete(String name) {
    Path path = path(name);
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      if (!isMissing(path)) {
        throw LocalFiles.failed("deleting " + path, e);
      }
    }
  }

  @Override
  public boolean download(String name, long offset, long length, Path target) {
    ObjectInfo info = info(name);
    if (info == null) {
      return false;
    }
    if (offset != 0 || length != info.size()) {
      return ObjectStore.super.download(name, offset, length, target);
    }
    LocalFiles.linkOrCopy(path(name), target);
    return true;
  }

  @Override
  public Path stagingDirectory() {
    checkOpen();
    try {
      LocalFiles.makeDirectories(staging);
    } catch (IOException e) {
      throw LocalFiles.failed("making " + staging, e);
    }
    return staging;
  }

  private Path path(String name) {
    checkOpen();
    ObjectNames.check(name);
    if (name.equals(STAGING) || name.startsWith(STAGING + "/")) {
      throw StateStoreException.invalid(
          "'" + name + "' lies in the staging directory, which holds no objects; use another name");
    }
    return root.resolve(name);
  }

  private void checkOpen() {
    if (closed) {
      throw StateStoreException.closed("object store " + root);
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
