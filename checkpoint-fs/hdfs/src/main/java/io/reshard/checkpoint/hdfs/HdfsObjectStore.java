package io.reshard.checkpoint.hdfs;

import io.reshard.checkpoint.ObjectInfo;
import io.reshard.checkpoint.ObjectNames;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreMetrics;
import io.reshard.checkpoint.ReadAhead;
import io.reshard.checkpoint.RemoteStaging;
import io.reshard.checkpoint.RequestCounts;
import io.reshard.checkpoint.StoreOptions;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects as files below a directory of HDFS.
 *
 * <p>An object is made in three steps: its bytes are written to a file of another name in {@code
 * staging/}; the file is forced to the disks of its DataNodes, block by block; it is renamed. The
 * NameNode does one thing after the other and never renames onto a file, so of several writers one
 * gets true and the others false: the answer must be looked at, nothing is thrown. False is also
 * the answer where the directory is missing, so the name is looked at then. A rename whose answer
 * is lost has happened if the temporary file is gone: nobody else knows its name.
 *
 * <p>An object's time is when its bytes were complete, by the NameNode's clock; that is at most a
 * moment before it was renamed. Where a writer stands still in between, the object looks older than
 * it is, and garbage collection and its writer both take it for that.
 */
final class HdfsObjectStore implements ObjectStore {
  private static final Logger LOG = LoggerFactory.getLogger(HdfsObjectStore.class);

  private static final String STAGING = "staging";
  private static final int COPY_BUFFER = 1 << 20;
  private static final int RENAMES = 3;

  private final String location;
  private final FileSystem files;
  private final Path root;
  private final Path staging;
  private final StoreOptions options;
  private final RequestCounts counter = new RequestCounts();
  private final ReadAhead cache = new ReadAhead(ReadAhead.defaultBytes());
  private final Set<Path> made = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private HdfsObjectStore(String location, FileSystem files, Path root, StoreOptions options) {
    this.location = location;
    this.files = files;
    this.root = root;
    this.staging = new Path(root, STAGING);
    this.options = options;
  }

  static HdfsObjectStore open(String location, StoreOptions options) {
    URI uri;
    try {
      uri = new URI(location);
    } catch (URISyntaxException e) {
      throw malformed(location, String.valueOf(e.getMessage()));
    }
    // A container stands before the account in abfs://container@account; a password nowhere.
    String user = uri.getRawUserInfo();
    if (user != null && user.contains(":")) {
      throw StateStoreException.invalid(
          "the location holds credentials; leave them out, they are taken from Hadoop's"
              + " configuration and from Kerberos");
    }
    String path = uri.getPath() == null ? "" : uri.getPath().replaceAll("/+$", "");
    if (path.isEmpty() || uri.getQuery() != null || uri.getFragment() != null) {
      throw malformed(location, "give one like hdfs://host:port/path, with a path");
    }
    FileSystem files = HadoopFileSystems.open(uri, options);
    Path root = files.makeQualified(new Path(uri.getScheme(), uri.getAuthority(), path));
    return new HdfsObjectStore(root.toString(), files, root, options);
  }

  private static StateStoreException malformed(String location, String why) {
    return StateStoreException.invalid("'" + location + "' is no location on HDFS: " + why);
  }

  @Override
  public String location() {
    return location;
  }

  @Override
  public @Nullable SstSource open(String name) {
    Path path = path(name);
    FileStatus status = status(path);
    if (status == null) {
      return null;
    }
    try {
      return source(name, path, status.getLen(), files.open(path));
    } catch (FileNotFoundException e) {
      return null; // Deleted in between.
    } catch (IOException e) {
      throw HdfsErrors.of("opening " + path, e);
    }
  }

  /** Hadoop's streams serve positional reads to many threads at once. */
  private SstSource source(String name, Path path, long size, FSDataInputStream in) {
    return cache.source(
        name,
        size,
        new byte[0],
        (position, target, offset, length) -> {
          checkOpen();
          try {
            counter.get();
            counter.received(length);
            in.readFully(position, target, offset, length);
          } catch (EOFException e) {
            throw new StateStoreException(
                StateStoreException.Kind.CORRUPT,
                "object '" + name + "' ends before its " + size + " bytes; restore it from a copy",
                e);
          } catch (IOException e) {
            throw HdfsErrors.of("reading " + path, e);
          }
        },
        () -> {
          try {
            in.close();
          } catch (IOException e) {
            throw HdfsErrors.of("closing " + path, e);
          }
        });
  }

  @Override
  public @Nullable ObjectInfo info(String name) {
    FileStatus status = status(path(name));
    return status == null ? null : info(name, status);
  }

  private static ObjectInfo info(String name, FileStatus status) {
    return new ObjectInfo(name, status.getLen(), status.getModificationTime());
  }

  /** What is known of a file; null if there is none. */
  private @Nullable FileStatus status(Path path) {
    try {
      counter.head();
      FileStatus status = files.getFileStatus(path);
      return status.isFile() ? status : null;
    } catch (FileNotFoundException | ParentNotDirectoryException e) {
      return null;
    } catch (AccessControlException e) {
      if (String.valueOf(e.getMessage()).contains("is not a directory")) {
        return null;
      }
      throw HdfsErrors.of("looking at " + path, e);
    } catch (IOException e) {
      throw HdfsErrors.of("looking at " + path, e);
    }
  }

  @Override
  public boolean putIfAbsent(String name, byte[] content) {
    return create(name, new ByteArrayInputStream(content));
  }

  @Override
  public boolean putIfAbsent(String name, java.nio.file.Path file) {
    path(name);
    try (InputStream in = Files.newInputStream(file)) {
      return create(name, in);
    } catch (IOException e) {
      throw StateStoreException.unavailable(
          "reading " + file + " failed: " + e + "; check the disk, then call again", e);
    }
  }

  private boolean create(String name, InputStream content) {
    Path path = path(name);
    if (isTaken(path)) {
      return false;
    }
    Path temporary = new Path(staging, UUID.randomUUID() + ".tmp");
    boolean renamed = false;
    try {
      write(temporary, content);
      renamed = rename(temporary, path);
      return renamed;
    } catch (IOException e) {
      throw HdfsErrors.of("creating " + path, e);
    } finally {
      if (!renamed) {
        deleteQuietly(temporary);
      }
    }
  }

  private void write(Path file, InputStream content) throws IOException {
    counter.put();
    try (FSDataOutputStream out = createNew(file)) {
      byte[] buffer = new byte[COPY_BUFFER];
      int read;
      while ((read = content.read(buffer)) > 0) {
        out.write(buffer, 0, read);
        counter.sent(read);
      }
      if (out.hasCapability(StreamCapabilities.HSYNC)) {
        out.hsync();
      }
    }
  }

  /** hsync forces the last block only; the flag has each block forced when it is full. */
  private FSDataOutputStream createNew(Path file) throws IOException {
    if (!HadoopFileSystems.createsOnce(files.getScheme().toLowerCase(Locale.ROOT))) {
      return files.create(file, false);
    }
    return files.create(
        file,
        FsPermission.getFileDefault().applyUMask(FsPermission.getUMask(files.getConf())),
        java.util.EnumSet.of(CreateFlag.CREATE, CreateFlag.SYNC_BLOCK),
        files.getConf().getInt("io.file.buffer.size", 4096),
        files.getDefaultReplication(file),
        files.getDefaultBlockSize(file),
        null);
  }

  private boolean rename(Path temporary, Path path) throws IOException {
    for (int i = 0; i < RENAMES; i++) {
      makeParent(path);
      try {
        counter.put();
        if (files.rename(temporary, path)) {
          return true;
        }
      } catch (IOException e) {
        if (status(temporary) == null && status(path) != null) {
          return true; // It was done, and the answer lost.
        }
        throw e;
      }
      if (isTaken(path)) {
        return false;
      }
      made.remove(path.getParent()); // Someone has removed it.
    }
    throw new IOException("renaming " + temporary + " to " + path + " is refused without a reason");
  }

  /** Whether there is a file. Renaming to a directory would move into it, so it is refused. */
  private boolean isTaken(Path path) {
    try {
      counter.head();
      if (files.getFileStatus(path).isFile()) {
        return true;
      }
    } catch (FileNotFoundException e) {
      return false;
    } catch (IOException e) {
      throw HdfsErrors.of("looking at " + path, e);
    }
    throw StateStoreException.invalid(
        path + " is a directory, so no object can have its name; use another name");
  }

  private void makeParent(Path path) throws IOException {
    Path parent = path.getParent();
    if (parent != null && !made.contains(parent)) {
      counter.put();
      if (!files.mkdirs(parent)) {
        throw new IOException("making " + parent + " is refused without a reason");
      }
      made.add(parent);
    }
  }

  private void deleteQuietly(Path file) {
    try {
      counter.delete();
      files.delete(file, false);
    } catch (IOException e) {
      LOG.warn("cannot delete {}: {}; garbage collection will", file, e.toString());
    }
  }

  @Override
  public List<ObjectInfo> list(String prefix, String after, int limit) {
    checkOpen();
    String directory = ObjectNames.checkList(prefix, limit);
    List<ObjectInfo> found = new ArrayList<>();
    Path start = directory.isEmpty() ? root : new Path(root, directory);
    list(start, prefix.substring(0, prefix.lastIndexOf('/') + 1), prefix, after, limit, found);
    return found;
  }

  /** A child of a directory; {@code name} ends in '/' if it is a directory itself. */
  private record Child(String name, FileStatus status) {}

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
      if (child.status.isDirectory()) {
        list(child.status.getPath(), child.name, prefix, after, limit, found);
      } else {
        found.add(info(child.name, child.status));
      }
    }
  }

  private List<Child> children(Path directory, String base, String prefix, String after) {
    List<Child> children = new ArrayList<>();
    try {
      counter.list();
      for (FileStatus status : files.listStatus(directory)) {
        if (status.getPath().equals(directory)) {
          return List.of(); // It is a file, which is shown as its only child.
        }
        String name = base + status.getPath().getName();
        if (!ObjectNames.isValid(name) || name.equals(STAGING)) {
          continue;
        }
        if (status.isDirectory()) {
          String inside = name + "/";
          if ((inside.startsWith(prefix) || prefix.startsWith(inside))
              && (after.startsWith(inside) || inside.compareTo(after) > 0)) {
            children.add(new Child(inside, status));
          }
        } else if (status.isFile() && name.startsWith(prefix) && name.compareTo(after) > 0) {
          children.add(new Child(name, status));
        }
      }
    } catch (FileNotFoundException | ParentNotDirectoryException e) {
      return List.of();
    } catch (IOException e) {
      throw HdfsErrors.of("listing " + directory, e);
    }
    children.sort(Comparator.comparing(Child::name));
    return children;
  }

  @Override
  public void delete(String name) {
    Path path = path(name);
    try {
      counter.delete();
      files.delete(path, false);
    } catch (FileNotFoundException | ParentNotDirectoryException e) {
      LOG.debug("{} was not there when it was deleted", path);
    } catch (IOException e) {
      throw HdfsErrors.of("deleting " + path, e);
    }
  }

  @Override
  public void checkCreatesOnce(String name) {
    Path path = path(name);
    Path temporary = new Path(staging, UUID.randomUUID() + ".tmp");
    boolean replaced;
    try {
      write(temporary, new ByteArrayInputStream(new byte[] {'\n'}));
      counter.put();
      replaced = files.rename(temporary, path);
    } catch (org.apache.hadoop.fs.FileAlreadyExistsException e) {
      replaced = false;
    } catch (IOException e) {
      throw HdfsErrors.of("renaming a file onto " + path, e);
    } finally {
      deleteQuietly(temporary);
    }
    if (replaced) {
      throw StateStoreException.incompatible(
          "the file system of "
              + location
              + " renames a file onto another one and so replaces it: two writers could both"
              + " believe they published a version. No store was made; use HDFS or S3");
    }
  }

  @Override
  public long removeUnfinished(long beforeMillis, boolean dryRun) {
    checkOpen();
    long count = 0;
    try {
      counter.list();
      for (FileStatus status : files.listStatus(staging)) {
        if (status.isFile() && status.getModificationTime() < beforeMillis) {
          count++;
          if (!dryRun) {
            counter.delete();
            files.delete(status.getPath(), false);
          }
        }
      }
    } catch (FileNotFoundException e) {
      return count;
    } catch (IOException e) {
      throw HdfsErrors.of("cleaning up " + staging, e);
    }
    return count;
  }

  @Override
  public ObjectStoreMetrics metrics() {
    return counter.metrics();
  }

  @Override
  public java.nio.file.Path stagingDirectory() {
    checkOpen();
    return RemoteStaging.directory(location, options);
  }

  private Path path(String name) {
    checkOpen();
    ObjectNames.check(name);
    if (name.equals(STAGING) || name.startsWith(STAGING + "/")) {
      throw StateStoreException.invalid(
          "'" + name + "' lies in the staging directory, which holds no objects; use another name");
    }
    return new Path(root, name);
  }

  private void checkOpen() {
    if (closed) {
      throw StateStoreException.closed("object store " + location);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      try {
        files.close();
      } catch (IOException e) {
        LOG.warn("closing {}: {}", location, e.toString());
      }
    }
  }
}
