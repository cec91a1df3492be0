package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstReader;
import io.reshard.sst.SstSource;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The one implementation of {@link Upload}.
 *
 * <p><b>Packs.</b> Files below {@link #PACK_BELOW} are appended to a pack on local disk; a pack is
 * sent when it has reached {@link #PACK_BYTES} and at {@link #flush}. Its name is its hash, so a
 * file in it has its reference only once the pack is sent. Packs and large files are sent by {@link
 * Senders}; {@link #flush} waits for them.
 *
 * <p><b>Which content is not sent again.</b> Only what a file of the parent version holds. That is
 * safe, whatever garbage collection does meanwhile: if the parent is still the newest version when
 * this upload is published, it was the newest all the time, the newest version is never retired,
 * and so its files were never deleted; if it is not the newest any more, the publish fails. An
 * object that merely lies there under the right name is no such promise: nothing may name it, and
 * it may be deleted at any moment. So where a name is taken, the bytes are sent again under a name
 * with a suffix.
 */
final class StoreUpload implements Upload {
  /** Files below this size travel in packs. */
  static final long PACK_BELOW = 1 << 20;

  /** A pack is sent as soon as it has this size. */
  static final long PACK_BYTES = 16 << 20;

  private final CheckpointStore store;
  private final ObjectStore objects;
  private final Manifest parent;
  private final long boundaryAtStart;
  private final String writer = UUID.randomUUID().toString();
  private final Path directory;
  private final Set<String> created = ConcurrentHashMap.newKeySet();
  private final AtomicInteger suffixes = new AtomicInteger();
  private final Object packLock = new Object();
  private final Senders senders = new Senders();
  private @Nullable Pack filling;
  private @Nullable FileIndex parentContent;
  private volatile boolean closed;

  /**
   * {@code boundaryAtStart}: number of a boundary object that was there before anything is sent.
   * The newest one spares a publish some questions.
   */
  StoreUpload(CheckpointStore store, Manifest parent, long boundaryAtStart) {
    this.store = store;
    this.objects = store.objects();
    this.parent = parent;
    this.boundaryAtStart = boundaryAtStart;
    this.directory = objects.stagingDirectory().resolve(writer);
    try {
      LocalFiles.makeDirectories(directory);
    } catch (IOException e) {
      throw LocalFiles.failed("making " + directory, e);
    }
  }

  String writer() {
    return writer;
  }

  Manifest parent() {
    return parent;
  }

  CheckpointStore store() {
    return store;
  }

  long boundaryAtStart() {
    return boundaryAtStart;
  }

  /** Names of the objects this upload has created. */
  Set<String> created() {
    return created;
  }

  @Override
  public Path directory() {
    checkOpen();
    return directory;
  }

  @Override
  public FileHandle add(
      Path file, String columnFamily, int level, int keyPrefix, EntryCheck check) {
    checkOpen();
    try {
      long length = Files.size(file);
      return length < PACK_BELOW
          ? addSmall(file, columnFamily, level, keyPrefix, check)
          : addLarge(file, length, columnFamily, level, keyPrefix, check);
    } catch (IOException e) {
      throw LocalFiles.failed("reading back " + file, e);
    }
  }

  private UploadedFile addSmall(
      Path file, String columnFamily, int level, int keyPrefix, EntryCheck check)
      throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    String name = file.toString();
    String sha256 = Sha256.of(bytes, 0, bytes.length);
    FileContents contents;
    try (SstReader reader = SstReader.open(SstSource.ofBytes(name, bytes))) {
      contents = FileContents.read(reader, name, columnFamily, keyPrefix, check);
    }
    UploadedFile added = new UploadedFile(columnFamily, level, sha256, bytes.length, contents);
    FileRef known = inParent(sha256, bytes.length);
    if (known != null) {
      added.lies(CompletableFuture.completedFuture(known.object()), known.offset());
    } else {
      pack(added, bytes);
    }
    LocalFiles.deleteQuietly(file);
    return added;
  }

  private UploadedFile addLarge(
      Path file, long length, String columnFamily, int level, int keyPrefix, EntryCheck check)
      throws IOException {
    String name = file.toString();
    String sha256;
    FileContents contents;
    HashingSource source = new HashingSource(new FileSource(name, file));
    try (SstReader reader = SstReader.open(source)) {
      contents = FileContents.read(reader, name, columnFamily, keyPrefix, check);
      sha256 = source.sha256();
    }
    UploadedFile added = new UploadedFile(columnFamily, level, sha256, length, contents);
    FileRef known = inParent(sha256, length);
    if (known != null) {
      added.lies(CompletableFuture.completedFuture(known.object()), known.offset());
      LocalFiles.deleteQuietly(file);
    } else {
      CompletableFuture<String> object = new CompletableFuture<>();
      added.lies(object, 0);
      senders.expect(object);
      senders.send(object, () -> sendFile(sha256, file));
    }
    return added;
  }

  private String sendFile(String sha256, Path file) {
    try {
      return create(
          suffix -> StoreNames.file(sha256, suffix),
          candidate -> objects.putIfAbsent(candidate, file));
    } finally {
      LocalFiles.deleteQuietly(file);
    }
  }

  /**
   * Adds a small file that is in the store already, under a place of its own. Its bytes must hash
   * to what they did; so what is known of them stays true.
   */
  FileHandle addAgain(FileRef file) {
    checkOpen();
    byte[] bytes = store.content(file);
    UploadedFile added =
        new UploadedFile(
            file.columnFamily(), file.level(), file.sha256(), file.length(), FileContents.of(file));
    try {
      pack(added, bytes);
    } catch (IOException e) {
      throw LocalFiles.failed("writing a pack in " + directory, e);
    }
    return added;
  }

  /** Whether the parent version names the object a file lies in. */
  boolean isInParent(FileRef file) {
    return parentContent().hasObjectOf(file);
  }

  private @Nullable FileRef inParent(String sha256, long length) {
    FileRef known = parentContent().find(sha256);
    return known != null && known.length() == length ? known : null;
  }

  /** Read at the first use: an upload without files has no need of it. */
  private synchronized FileIndex parentContent() {
    FileIndex known = parentContent;
    if (known == null) {
      known = new FileIndex(store.files(parent));
      parentContent = known;
    }
    return known;
  }

  private void pack(UploadedFile file, byte[] bytes) throws IOException {
    Pack full;
    synchronized (packLock) {
      checkOpen();
      Pack pack = filling;
      if (pack == null) {
        pack = new Pack(directory.resolve(UUID.randomUUID() + ".pack"));
        filling = pack;
      }
      try {
        file.lies(pack.object, pack.append(bytes));
      } catch (IOException e) {
        // The pack may end in a part of the file now: none of it can be sent.
        pack.object.completeExceptionally(LocalFiles.failed("writing " + pack.file, e));
        senders.expect(pack.object);
        filling = null;
        throw e;
      }
      if (pack.length < PACK_BYTES) {
        return;
      }
      full = pack;
      filling = null;
      senders.expect(full.object);
    }
    send(full);
  }

  private void send(Pack pack) {
    senders.send(pack.object, () -> sendPack(pack));
  }

  private String sendPack(Pack pack) {
    try {
      pack.finish();
      String sha256 = Sha256.hex(pack.digest);
      return create(
          suffix -> StoreNames.pack(sha256, suffix),
          candidate -> objects.putIfAbsent(candidate, pack.file));
    } catch (IOException e) {
      throw LocalFiles.failed("writing " + pack.file, e);
    } finally {
      LocalFiles.deleteQuietly(pack.file);
    }
  }

  /** Sends an object of a publish; the same rules about names hold for it. */
  String createLists(byte[] lists) {
    String sha256 = Sha256.of(lists, 0, lists.length);
    return create(
        suffix -> StoreNames.shardLists(sha256, suffix),
        candidate -> objects.putIfAbsent(candidate, lists));
  }

  /**
   * Creates an object under the first name that is free.
   *
   * @param name gives the name with a suffix
   * @param put creates the object
   */
  private String create(Function<String, String> name, Predicate<String> put) {
    String candidate = name.apply("");
    while (!created.contains(candidate)) {
      if (put.test(candidate)) {
        created.add(candidate);
        return candidate;
      }
      candidate = name.apply("-" + writer.substring(0, 8) + "-" + suffixes.incrementAndGet());
    }
    return candidate; // The same content twice in this upload.
  }

  @Override
  public void flush() {
    Pack rest;
    synchronized (packLock) {
      checkOpen();
      rest = filling;
      filling = null;
      if (rest != null) {
        senders.expect(rest.object);
      }
    }
    if (rest != null) {
      send(rest);
    }
    senders.await();
  }

  private void checkOpen() {
    if (closed) {
      throw StateStoreException.closed("upload " + writer);
    }
  }

  @Override
  public void close() {
    synchronized (packLock) {
      if (closed) {
        return;
      }
      closed = true;
      if (filling != null) {
        filling.abandon(writer);
        filling = null;
      }
    }
    senders.close();
    LocalFiles.deleteTree(directory);
  }

  /** SST files one behind another, on local disk until the pack is sent. */
  private static final class Pack {
    final Path file;
    final CompletableFuture<String> object = new CompletableFuture<>();
    final MessageDigest digest = Sha256.newDigest();
    private final OutputStream out;
    long length;

    Pack(Path file) throws IOException {
      this.file = file;
      this.out =
          Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** Returns the offset. */
    long append(byte[] bytes) throws IOException {
      long offset = length;
      out.write(bytes);
      digest.update(bytes);
      length += bytes.length;
      return offset;
    }

    void finish() throws IOException {
      out.close();
    }

    void abandon(String writer) {
      object.completeExceptionally(StateStoreException.closed("upload " + writer));
      try {
        out.close();
      } catch (IOException e) {
        throw LocalFiles.failed("closing " + file, e);
      }
    }
  }

  /** A file that was added. */
  private static final class UploadedFile implements FileHandle {
    private final String columnFamily;
    private final int level;
    private final String sha256;
    private final long length;
    private final FileContents contents;
    private CompletableFuture<String> object = new CompletableFuture<>();
    private long offset;

    UploadedFile(
        String columnFamily, int level, String sha256, long length, FileContents contents) {
      this.columnFamily = columnFamily;
      this.level = level;
      this.sha256 = sha256;
      this.length = length;
      this.contents = contents;
    }

    void lies(CompletableFuture<String> object, long offset) {
      this.object = object;
      this.offset = offset;
    }

    @Override
    public FileRef ref() {
      if (!object.isDone()) {
        throw StateStoreException.invalid(
            "a file on its way has no reference yet; call Upload.flush() first");
      }
      return new FileRef(
          columnFamily,
          Senders.await(object),
          offset,
          length,
          sha256,
          level,
          contents.smallestKey(),
          contents.largestKey(),
          contents.smallestSequence(),
          contents.largestSequence(),
          contents.deletions(),
          contents.digest());
    }

    @Override
    public SetDigest digest() {
      return contents.digest();
    }

    @Override
    public long length() {
      return length;
    }
  }
}
