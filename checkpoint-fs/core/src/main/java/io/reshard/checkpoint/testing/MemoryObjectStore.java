package io.reshard.checkpoint.testing;

import io.reshard.checkpoint.ObjectInfo;
import io.reshard.checkpoint.ObjectNames;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Objects in memory, dated by a clock of the test's own. Keeps every rule of {@link ObjectStore}
 * but O-2: nothing outlives the process. {@link #client} gives further clients of the same objects.
 * Thread-safe.
 */
public final class MemoryObjectStore implements ObjectStore {
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Stored(byte[] content, long modifiedMillis) {}

  private final NavigableMap<String, Stored> stored;
  private final Path staging;
  private final InstantSource clock;
  private volatile boolean closed;

  /**
   * An empty store.
   *
   * @param staging directory on local disk for files on their way; made if missing
   * @param clock dates new objects
   */
  public MemoryObjectStore(Path staging, InstantSource clock) {
    this(new ConcurrentSkipListMap<>(), staging, clock);
  }

  private MemoryObjectStore(
      NavigableMap<String, Stored> stored, Path staging, InstantSource clock) {
    this.stored = stored;
    this.staging = staging;
    this.clock = clock;
  }

  /** Another client of the same objects, to be closed on its own. */
  public MemoryObjectStore client() {
    return new MemoryObjectStore(stored, staging, clock);
  }

  /**
   * Changes bits of an object, as a bad disk does.
   *
   * @param mask bits to flip
   */
  public void damage(String name, int offset, int mask) {
    stored.computeIfPresent(
        name,
        (n, object) -> {
          byte[] content = object.content.clone();
          content[offset] ^= (byte) mask;
          return new Stored(content, object.modifiedMillis);
        });
  }

  @Override
  public String location() {
    return "memory:" + staging;
  }

  @Override
  public @Nullable SstSource open(String name) {
    Stored object = find(name);
    return object == null ? null : SstSource.ofBytes(name, object.content);
  }

  @Override
  public @Nullable ObjectInfo info(String name) {
    Stored object = find(name);
    return object == null
        ? null
        : new ObjectInfo(name, object.content.length, object.modifiedMillis);
  }

  private @Nullable Stored find(String name) {
    checkOpen();
    return stored.get(ObjectNames.check(name));
  }

  @Override
  public boolean putIfAbsent(String name, byte[] content) {
    checkOpen();
    Stored object = new Stored(content.clone(), clock.millis());
    return stored.putIfAbsent(ObjectNames.check(name), object) == null;
  }

  @Override
  public boolean putIfAbsent(String name, Path file) {
    checkOpen();
    ObjectNames.check(name);
    try {
      return putIfAbsent(name, Files.readAllBytes(file));
    } catch (IOException e) {
      throw StateStoreException.unavailable("reading " + file + " failed: " + e, e);
    }
  }

  @Override
  public List<ObjectInfo> list(String prefix, String after, int limit) {
    checkOpen();
    List<ObjectInfo> found = new ArrayList<>();
    String from = after.compareTo(prefix) > 0 ? after : prefix;
    for (var entry : stored.tailMap(from, true).entrySet()) {
      String name = entry.getKey();
      if (!name.startsWith(prefix) || found.size() == limit) {
        break;
      }
      if (name.compareTo(after) > 0) {
        Stored object = entry.getValue();
        found.add(new ObjectInfo(name, object.content.length, object.modifiedMillis));
      }
    }
    return found;
  }

  @Override
  public void delete(String name) {
    checkOpen();
    stored.remove(ObjectNames.check(name));
  }

  @Override
  public Path stagingDirectory() {
    checkOpen();
    try {
      return Files.createDirectories(staging);
    } catch (IOException e) {
      throw StateStoreException.unavailable("making " + staging + " failed: " + e, e);
    }
  }

  private void checkOpen() {
    if (closed) {
      throw StateStoreException.closed("object store " + location());
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
