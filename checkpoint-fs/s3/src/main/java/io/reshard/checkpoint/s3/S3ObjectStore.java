package io.reshard.checkpoint.s3;

import io.reshard.checkpoint.ObjectInfo;
import io.reshard.checkpoint.ObjectNames;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreMetrics;
import io.reshard.checkpoint.Ranges;
import io.reshard.checkpoint.ReadAhead;
import io.reshard.checkpoint.RemoteStaging;
import io.reshard.checkpoint.StoreOptions;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Objects in a bucket, below a prefix.
 *
 * <p>Since December 2020 S3 shows an object to every reader and listing as soon as it has answered
 * the request that made it, and since August 2024 it can be asked to make an object only where
 * there is none. That is O-1 to O-4; {@link Creation} is about the second, {@link Attempts} about
 * requests that fail. An object is never copied or renamed.
 *
 * <p>Opening an object is one request, which brings its size, its tag and its first bytes; for what
 * is small, such as a manifest, there is no second one. Times are cut to whole seconds, because
 * that is all a HEAD tells, and a listing must not tell anything else.
 *
 * <p>Threads: the caller's for whatever is one request, {@link Transfers} for the parts of large
 * objects. Bodies are streamed between file and socket; the heap holds the {@link ReadAhead} and
 * the socket buffers of at most {@code s3.parallel} transfers.
 */
final class S3ObjectStore implements ObjectStore {
  private static final Logger LOG = LoggerFactory.getLogger(S3ObjectStore.class);

  private static final int PAGE = 1000;
  private static final int COPY_BUFFER = 64 << 10;

  /** Slowest transfer that is waited for, in bytes a second. */
  private static final long SLOWEST = 128 << 10;

  private final S3Location place;
  private final S3Options options;
  private final StoreOptions storeOptions;
  private final RequestCounter counter = new RequestCounter();
  private final S3Client client;
  private final Transfers transfers;
  private final ReadAhead cache;
  private volatile boolean closed;

  S3ObjectStore(S3Location place, S3Options options, StoreOptions storeOptions) {
    this.place = place;
    this.options = options;
    this.storeOptions = storeOptions;
    this.client = S3Clients.open(options, counter);
    this.transfers = new Transfers(options.parallel());
    this.cache = new ReadAhead(options.readCacheBytes());
  }

  S3Client client() {
    return client;
  }

  RequestCounter counter() {
    return counter;
  }

  Transfers transfers() {
    return transfers;
  }

  Attempts attempts() {
    return new Attempts(counter, options.retryBudget());
  }

  /** How long one attempt to move so many bytes may take. */
  Consumer<AwsRequestOverrideConfiguration.Builder> patience(long bytes) {
    Duration time = options.timeout().plusSeconds(bytes / SLOWEST);
    return configuration -> configuration.apiCallAttemptTimeout(time);
  }

  private String where(String name) {
    return "s3://" + place.bucket() + "/" + place.key(name);
  }

  @Override
  public String location() {
    return place.toString();
  }

  /** A part of an object and what came with it. */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, not compared.
  private record Part(byte[] bytes, long objectSize, String tag) {}

  @Override
  public @Nullable SstSource open(String name) {
    check(name);
    Attempts attempts = attempts();
    try {
      Part head =
          attempts.call(
              "opening " + where(name),
              () -> getHead(name),
              Set.of(S3Errors.NOT_FOUND, S3Errors.RANGE_NOT_SATISFIABLE));
      return source(name, head.objectSize, head.tag, head.bytes);
    } catch (S3Exception e) {
      if (e.statusCode() == S3Errors.NOT_FOUND) {
        return null;
      }
    }
    // An object without bytes has no first byte.
    HeadObjectResponse empty = head(name, attempts);
    return empty == null ? null : source(name, empty.contentLength(), empty.eTag(), new byte[0]);
  }

  /**
   * Every request of a source names the object's tag: bytes of two objects of one name, the second
   * made after the first was deleted, are never mixed.
   */
  private SstSource source(String name, long size, String tag, byte[] head) {
    return cache.source(
        name,
        size,
        head,
        (position, target, offset, length) ->
            readRange(name, tag, position, target, offset, length),
        () -> {});
  }

  private Part getHead(String name) {
    return client.getObject(
        request ->
            request
                .bucket(place.bucket())
                .key(place.key(name))
                .range("bytes=0-" + (ReadAhead.CHUNK - 1))
                .overrideConfiguration(patience(ReadAhead.CHUNK)),
        (ResponseTransformer<GetObjectResponse, Part>)
            (response, body) -> {
              long size = objectSize(name, response);
              byte[] bytes = new byte[(int) Math.min(size, ReadAhead.CHUNK)];
              readFully(body, bytes, 0, bytes.length);
              return new Part(bytes, size, response.eTag());
            });
  }

  /** The size of the whole object, of which a part was asked for. */
  private static long objectSize(String name, GetObjectResponse response) {
    String range = response.contentRange();
    if (range == null) {
      return response.contentLength();
    }
    try {
      long size = Long.parseLong(range.substring(range.lastIndexOf('/') + 1).strip());
      if (size >= 0) {
        return size;
      }
    } catch (NumberFormatException e) {
      // As malformed as a negative one.
    }
    throw StateStoreException.incompatible(
        "the service answered the range '"
            + range
            + "' of object '"
            + name
            + "', which does not end in the object's size; use another service");
  }

  private void readFully(AbortableInputStream body, byte[] target, int at, int length)
      throws IOException {
    try {
      for (int done = 0; done < length; ) {
        int read = body.read(target, at + done, length - done);
        if (read < 0) {
          throw new EOFException("the answer ended after " + done + " of " + length + " bytes");
        }
        done += read;
        counter.received(read);
      }
    } catch (IOException | RuntimeException e) {
      body.abort();
      throw e;
    }
  }

  /** Takes the bytes of a part, as far as they come. */
  @FunctionalInterface
  private interface PartReader {
    void read(AbortableInputStream body) throws IOException;
  }

  /** Reads a part of an object whose tag is known; the part must be within it. */
  private void readRange(
      String name, String tag, long position, byte[] target, int at, int length) {
    checkOpen();
    readPart(
        name,
        tag,
        () -> position,
        position + length,
        attempts(),
        body -> readFully(body, target, at, length));
  }

  /**
   * Reads a part of an object whose tag is known; the part must be within it.
   *
   * @param start asked anew at each attempt: where the part starts, or what is left of it
   * @param end where the part ends
   */
  private void readPart(
      String name, String tag, LongSupplier start, long end, Attempts attempts, PartReader reader) {
    Consumer<AwsRequestOverrideConfiguration.Builder> patience = patience(end - start.getAsLong());
    try {
      attempts.call(
          "reading " + where(name),
          () -> {
            long from = start.getAsLong();
            return client.getObject(
                request ->
                    request
                        .bucket(place.bucket())
                        .key(place.key(name))
                        .ifMatch(tag)
                        .range("bytes=" + from + "-" + (end - 1))
                        .overrideConfiguration(patience),
                (ResponseTransformer<GetObjectResponse, Boolean>)
                    (response, body) -> {
                      checkLength(name, response, end - from);
                      reader.read(body);
                      return true;
                    });
          },
          GONE);
    } catch (S3Exception e) {
      throw gone(name, e);
    }
  }

  private static final Set<Integer> GONE =
      Set.of(S3Errors.NOT_FOUND, S3Errors.PRECONDITION_FAILED, S3Errors.RANGE_NOT_SATISFIABLE);

  private static void checkLength(String name, GetObjectResponse response, long expected)
      throws IOException {
    Long length = response.contentLength();
    if (length != null && length != expected) {
      throw new IOException(
          "the answer has " + length + " bytes of object '" + name + "', asked were " + expected);
    }
  }

  private StateStoreException gone(String name, S3Exception e) {
    return new StateStoreException(
        StateStoreException.Kind.CORRUPT,
        "object '"
            + name
            + "' in "
            + location()
            + (e.statusCode() == S3Errors.NOT_FOUND
                ? " was deleted"
                : " was replaced by another one")
            + " while it was open; if the version that names it was retired by garbage collection"
            + " meanwhile, use a newer version, else restore the object from a copy",
        e);
  }

  @Override
  public @Nullable ObjectInfo info(String name) {
    check(name);
    HeadObjectResponse head = head(name, attempts());
    return head == null ? null : info(name, head.contentLength(), head.lastModified());
  }

  private static ObjectInfo info(String name, long size, Instant modified) {
    return new ObjectInfo(name, size, modified.getEpochSecond() * 1000);
  }

  /** What is known of an object; null if it does not exist. */
  @Nullable HeadObjectResponse head(String name, Attempts attempts) {
    try {
      return attempts.call(
          "looking at " + where(name),
          () ->
              client.headObject(
                  request ->
                      request
                          .bucket(place.bucket())
                          .key(place.key(name))
                          .overrideConfiguration(patience(0))),
          Set.of(S3Errors.NOT_FOUND));
    } catch (S3Exception e) {
      return null;
    }
  }

  @Override
  public boolean putIfAbsent(String name, byte[] content) {
    check(name);
    return creation(name)
        .put(RequestBody.fromBytes(content), content.length, Checksums.sha256(content));
  }

  @Override
  public boolean putIfAbsent(String name, Path file) {
    check(name);
    long length;
    try {
      length = Files.size(file);
    } catch (IOException e) {
      throw StateStoreException.unavailable(
          "reading " + file + " failed: " + e + "; check the disk, then call again", e);
    }
    if (length > options.multipartBytes()) {
      return creation(name).putInParts(file, length);
    }
    FileSlice whole = new FileSlice(file, 0, length);
    return creation(name).put(whole.body(), length, whole.sha256());
  }

  private Creation creation(String name) {
    return new Creation(this, options, place, name);
  }

  @Override
  public List<ObjectInfo> list(String prefix, String after, int limit) {
    checkOpen();
    String unused = ObjectNames.checkList(prefix, limit);
    List<ObjectInfo> found = new ArrayList<>();
    String from = after;
    while (found.size() < limit) {
      ListObjectsV2Response page = page(prefix, from, Math.min(limit - found.size(), PAGE));
      for (S3Object object : page.contents()) {
        String name = object.key().substring(place.prefix().length());
        from = name;
        if (ObjectNames.isValid(name)) {
          found.add(info(name, object.size(), object.lastModified()));
        }
      }
      if (!Boolean.TRUE.equals(page.isTruncated()) || page.contents().isEmpty()) {
        break;
      }
    }
    return found;
  }

  private ListObjectsV2Response page(String prefix, String after, int limit) {
    return attempts()
        .call(
            "listing " + where(prefix),
            () ->
                client.listObjectsV2(
                    request -> {
                      request
                          .bucket(place.bucket())
                          .prefix(place.key(prefix))
                          .maxKeys(limit)
                          .overrideConfiguration(patience(0));
                      if (!after.isEmpty()) {
                        request.startAfter(place.key(after));
                      }
                    }),
            Set.of());
  }

  @Override
  public void delete(String name) {
    check(name);
    try {
      attempts()
          .call(
              "deleting " + where(name),
              () ->
                  client.deleteObject(
                      request ->
                          request
                              .bucket(place.bucket())
                              .key(place.key(name))
                              .overrideConfiguration(patience(0))),
              Set.of(S3Errors.NOT_FOUND));
    } catch (S3Exception e) {
      LOG.debug("{} was not there when it was deleted", name);
    }
  }

  @Override
  public boolean download(String name, long offset, long length, Path target) {
    check(name);
    Attempts attempts = attempts();
    HeadObjectResponse head = head(name, attempts);
    if (head == null) {
      return false;
    }
    long size = head.contentLength();
    Ranges.check(name, size, offset, length);
    boolean done = false;
    try (FileChannel out =
        FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      List<Callable<Boolean>> parts = new ArrayList<>();
      for (long at = 0; at < length; at += options.partBytes()) {
        long from = at;
        long part = Math.min(options.partBytes(), length - at);
        parts.add(() -> downloadPart(name, head.eTag(), offset + from, part, out, from, attempts));
      }
      if (parts.size() == 1) {
        done = downloadPart(name, head.eTag(), offset, length, out, 0, attempts);
      } else {
        transfers.all(parts);
        done = true;
      }
    } catch (IOException e) {
      throw StateStoreException.unavailable(
          "writing " + target + " failed: " + e + "; check the disk, then call again", e);
    } finally {
      if (!done) {
        deleteQuietly(target);
      }
    }
    return true;
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("cannot delete {}: {}; delete it by hand", file, e.toString());
    }
  }

  /** Downloads a part; an attempt goes on where the one before broke off. */
  private boolean downloadPart(
      String name,
      String tag,
      long position,
      long length,
      FileChannel out,
      long at,
      Attempts attempts) {
    long[] done = {0};
    readPart(
        name,
        tag,
        () -> position + done[0],
        position + length,
        attempts,
        body -> copy(body, out, at, length, done));
    return true;
  }

  private void copy(AbortableInputStream body, FileChannel out, long at, long length, long[] done)
      throws IOException {
    byte[] buffer = new byte[COPY_BUFFER];
    try {
      while (done[0] < length) {
        int read = body.read(buffer, 0, (int) Math.min(buffer.length, length - done[0]));
        if (read < 0) {
          throw new EOFException(
              "the answer ended " + (length - done[0]) + " bytes before it should");
        }
        ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, read);
        long position = at + done[0];
        while (bytes.hasRemaining()) {
          position += out.write(bytes, position);
        }
        done[0] += read;
        counter.received(read);
      }
    } catch (IOException | RuntimeException e) {
      body.abort();
      throw e;
    }
  }

  @Override
  public void checkCreatesOnce(String name) {
    check(name);
    Creation creation = creation(name);
    String wrong = creation.provoke();
    if (!wrong.isEmpty()) {
      throw creation.unfit(wrong);
    }
  }

  @Override
  public long removeUnfinished(long beforeMillis, boolean dryRun) {
    checkOpen();
    Instant before = Instant.ofEpochMilli(beforeMillis);
    List<MultipartUpload> old = new ArrayList<>();
    String[] marker = {null, null};
    boolean more = true;
    while (more) {
      ListMultipartUploadsResponse page = uploads(marker[0], marker[1]);
      for (MultipartUpload upload : page.uploads()) {
        if (upload.key().startsWith(place.prefix())
            && ObjectNames.isValid(upload.key().substring(place.prefix().length()))
            && upload.initiated() != null
            && upload.initiated().isBefore(before)) {
          old.add(upload);
        }
      }
      marker[0] = page.nextKeyMarker();
      marker[1] = page.nextUploadIdMarker();
      more = Boolean.TRUE.equals(page.isTruncated()) && marker[0] != null;
    }
    if (!dryRun) {
      old.forEach(upload -> abort(upload.key(), upload.uploadId()));
    }
    return old.size();
  }

  private ListMultipartUploadsResponse uploads(@Nullable String key, @Nullable String upload) {
    return attempts()
        .call(
            "listing the unfinished uploads below " + location(),
            () ->
                client.listMultipartUploads(
                    request -> {
                      request.bucket(place.bucket()).overrideConfiguration(patience(0));
                      if (!place.prefix().isEmpty()) {
                        request.prefix(place.prefix());
                      }
                      if (key != null && !key.isEmpty()) {
                        request.keyMarker(key);
                        if (upload != null && !upload.isEmpty()) {
                          request.uploadIdMarker(upload);
                        }
                      }
                    }),
            Set.of());
  }

  private void abort(String key, String upload) {
    try {
      attempts()
          .call(
              "removing the unfinished upload of s3://" + place.bucket() + "/" + key,
              () ->
                  client.abortMultipartUpload(
                      request ->
                          request
                              .bucket(place.bucket())
                              .key(key)
                              .uploadId(upload)
                              .overrideConfiguration(patience(0))),
              Set.of(S3Errors.NOT_FOUND));
    } catch (S3Exception e) {
      LOG.debug("the upload of {} had ended already", key);
    }
  }

  /** Removes an upload that was given up; one that stays is found by garbage collection. */
  void abortQuietly(String key, String upload) {
    try {
      abort(key, upload);
    } catch (StateStoreException e) {
      LOG.warn("{}; garbage collection will remove it", e.getMessage());
    }
  }

  @Override
  public ObjectStoreMetrics metrics() {
    return counter.metrics();
  }

  @Override
  public Path stagingDirectory() {
    checkOpen();
    return RemoteStaging.directory(location(), storeOptions);
  }

  private void check(String name) {
    checkOpen();
    ObjectNames.check(name);
  }

  private void checkOpen() {
    if (closed) {
      throw StateStoreException.closed("object store " + location());
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      transfers.close();
      client.close();
    }
  }
}
