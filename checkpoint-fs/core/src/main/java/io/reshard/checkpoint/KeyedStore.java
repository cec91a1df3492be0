package io.reshard.checkpoint;

import io.reshard.checkpoint.KeyRouter.Family;
import io.reshard.spi.Backend;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A store in use: every shard open in a backend, keys routed to shards by the layout, and each
 * commit a new version in the {@link CheckpointStore}. Keys are given and shown without slot
 * prefixes.
 *
 * <p>Reads may run beside one writer thread; {@code put}, {@code delete}, {@code commit}, {@code
 * rollback} are for one thread at a time. Writes are gathered per shard and handed to the backend
 * in batches; reads see them at once.
 *
 * <p><b>When a commit fails.</b> Nothing of it is visible to anyone, with one exception below.
 *
 * <ul>
 *   <li>UNAVAILABLE: the store stays open with all its writes. Commit again, read, write more, or
 *       roll back. If the answer to the publish itself was lost, nobody knows whether the version
 *       is there; the next {@code commit} or {@code rollback} looks, and takes the version for the
 *       committed one if it is. A second {@code commit} with the same properties and no write in
 *       between then returns that version instead of making another. A rollback that fails must be
 *       repeated before anything else is done.
 *   <li>FENCED: another writer was first. Every later call but {@code close} is FENCED; open the
 *       newest version.
 *   <li>Anything else: every later call but {@code close} fails with the same kind.
 * </ul>
 */
public final class KeyedStore implements AutoCloseable {
  /** Bytes of writes gathered before they are handed to a shard's backend, at most. */
  private static final int BUFFER_BYTES = 64 << 10;

  /** Bytes of writes gathered in all shards together, about. */
  private static final int ALL_BUFFERS_BYTES = 64 << 20;

  /** Shards opened and restored at once: most of that is waiting for the disk. */
  private static final int STARTING_THREADS = 8;

  private final CheckpointStore checkpoints;
  private final String backendName;
  private final Layout layout;
  private final WorkingDirectory work;
  private final List<OpenShard> shards;
  private final ThreadLocal<KeyRouter> routers;
  private final PackRenewal packs;
  private volatile Manifest published;
  private volatile @Nullable StateStoreException broken;
  private volatile boolean closed;

  /** A rollback has failed, so that some shards are rolled back and others may not be. */
  private volatile boolean halfRolledBack;

  /** A commit whose outcome is not known yet. */
  private @Nullable Attempt uncertain;

  private record Attempt(
      StoreUpload upload, Map<String, String> properties, List<PackRenewal.Renewed> renewed) {}

  private boolean writtenSinceAttempt;

  private KeyedStore(
      CheckpointStore checkpoints,
      String backendName,
      Manifest published,
      Map<String, Family> families,
      WorkingDirectory work,
      List<OpenShard> shards) {
    this.checkpoints = checkpoints;
    this.backendName = backendName;
    this.layout = published.layout();
    this.published = published;
    this.packs = new PackRenewal(checkpoints.objects());
    this.work = work;
    this.shards = shards;
    this.routers = ThreadLocal.withInitial(() -> new KeyRouter(layout, families));
  }

  /**
   * Starts a store that has no version yet.
   *
   * @param checkpoints an empty store's versions; stays the caller's
   * @param backend a started backend; stays the caller's
   * @param backendName goes into manifests
   * @param directory working directory for the shards' local state, the store's alone until it is
   *     closed; emptied first of what an earlier store left there
   * @throws StateStoreException INVALID if the store has a version already, if another one is open
   *     on the directory, here or in another process, or if the directory holds something else
   */
  public static KeyedStore create(
      CheckpointStore checkpoints,
      Backend backend,
      String backendName,
      Path directory,
      Layout layout,
      List<ColumnFamily> columnFamilies) {
    long newest = checkpoints.latestVersion();
    if (newest > 0) {
      throw StateStoreException.invalid(
          "the store in "
              + checkpoints.objects().location()
              + " has version "
              + newest
              + " already; open that, or create a store elsewhere");
    }
    return start(
        checkpoints, backend, backendName, directory, checkpoints.origin(layout, columnFamilies));
  }

  /**
   * Restores a version, shards in parallel, and goes on from it. Only the newest version can be
   * committed upon; an older one is for reading.
   *
   * @param checkpoints the store's versions; stays the caller's
   * @param backend a started backend; stays the caller's. It need not be of the kind that wrote the
   *     version
   * @param backendName goes into manifests
   * @param directory working directory for the shards' local state, the store's alone until it is
   *     closed; emptied first of what an earlier store left there
   * @throws StateStoreException INVALID if there is no such version, if another store is open on
   *     the directory, here or in another process, or if the directory holds something else;
   *     CORRUPT
   */
  public static KeyedStore open(
      CheckpointStore checkpoints,
      Backend backend,
      String backendName,
      Path directory,
      long version) {
    return start(checkpoints, backend, backendName, directory, checkpoints.manifest(version));
  }

  private static KeyedStore start(
      CheckpointStore checkpoints,
      Backend backend,
      String backendName,
      Path directory,
      Manifest manifest) {
    Map<String, Family> families = KeyRouter.families(manifest.layout(), manifest.columnFamilies());
    WorkingDirectory work = WorkingDirectory.take(directory);
    AtomicReferenceArray<@Nullable OpenShard> opened =
        new AtomicReferenceArray<>(manifest.shards().size());
    try {
      Parallel.forEach(
          STARTING_THREADS,
          opened.length(),
          shard -> {
            OpenShard open = openShard(checkpoints, backend, work, manifest, shard);
            opened.set(shard, open);
            List<FileRef> files = checkpoints.files(manifest, shard);
            if (!files.isEmpty()) {
              open.restore(files, manifest.version());
            }
          });
      return new KeyedStore(checkpoints, backendName, manifest, families, work, present(opened));
    } catch (StateStoreException e) {
      closeAll(present(opened), work, e);
      throw e;
    } catch (Error e) {
      closeAll(present(opened), work, null);
      throw e;
    }
  }

  private static OpenShard openShard(
      CheckpointStore checkpoints,
      Backend backend,
      WorkingDirectory work,
      Manifest manifest,
      int shard) {
    ShardStore store = backend.open(new ShardOptions(work.shard(shard), manifest.columnFamilies()));
    ShardSnapshots snapshots =
        new ShardSnapshots(checkpoints, manifest.layout(), shard, manifest.columnFamilies());
    int bufferBytes = Math.min(BUFFER_BYTES, ALL_BUFFERS_BYTES / manifest.layout().shards());
    return new OpenShard(store, snapshots, bufferBytes);
  }

  /** Those that were opened: all, unless one failed. */
  private static List<OpenShard> present(AtomicReferenceArray<@Nullable OpenShard> opened) {
    List<OpenShard> shards = new ArrayList<>();
    for (int i = 0; i < opened.length(); i++) {
      OpenShard shard = opened.get(i);
      if (shard != null) {
        shards.add(shard);
      }
    }
    return List.copyOf(shards);
  }

  private static int threads() {
    return Math.min(16, Runtime.getRuntime().availableProcessors());
  }

  /** The layout. */
  public Layout layout() {
    return layout;
  }

  /** The column families, in order. */
  public List<ColumnFamily> columnFamilies() {
    return published.columnFamilies();
  }

  /** The last committed version; 0 before the first commit. */
  public long version() {
    return published.version();
  }

  /** The shard a key belongs to. */
  public int shardOf(String columnFamily, byte[] key) {
    return route(columnFamily, key).shard();
  }

  private KeyRouter route(String columnFamily, byte[] key) {
    checkUsable();
    KeyRouter router = routers.get();
    router.route(columnFamily, key);
    return router;
  }

  private Family family(String columnFamily) {
    checkUsable();
    return routers.get().family(columnFamily);
  }

  /** Stores a row. */
  public void put(String columnFamily, byte[] key, byte[] value) {
    KeyRouter router = route(columnFamily, key);
    writtenSinceAttempt = true;
    shards.get(router.shard()).put(columnFamily, router.storedKey(), new ByteView(value));
  }

  /** Removes a row. */
  public void delete(String columnFamily, byte[] key) {
    KeyRouter router = route(columnFamily, key);
    writtenSinceAttempt = true;
    shards.get(router.shard()).delete(columnFamily, router.storedKey());
  }

  /** The value of a key, or null. */
  public byte @Nullable [] get(String columnFamily, byte[] key) {
    KeyRouter router = route(columnFamily, key);
    OpenShard shard = shards.get(router.shard());
    shard.flushForRead();
    return shard.store().get(columnFamily, router.storedKeyBytes());
  }

  /** The values of several keys, shard by shard with multiGet; order as given. */
  public byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
    byte[][] stored = new byte[keys.length][];
    long[] order = new long[keys.length]; // Shard, then position.
    for (int i = 0; i < keys.length; i++) {
      KeyRouter router = route(columnFamily, keys[i]);
      stored[i] = router.storedKeyBytes();
      order[i] = (long) router.shard() << 32 | i;
    }
    Arrays.sort(order);
    byte[] @Nullable [] values = new byte[keys.length][];
    int end;
    for (int from = 0; from < order.length; from = end) {
      end = from + 1;
      while (end < order.length && order[end] >>> 32 == order[from] >>> 32) {
        end++;
      }
      multiGet(columnFamily, stored, order, from, end, values);
    }
    return values;
  }

  private void multiGet(
      String columnFamily,
      byte[][] stored,
      long[] order,
      int from,
      int end,
      byte[] @Nullable [] values) {
    OpenShard shard = shards.get((int) (order[from] >>> 32));
    byte[][] own = new byte[end - from][];
    for (int i = from; i < end; i++) {
      own[i - from] = stored[(int) order[i]];
    }
    shard.flushForRead();
    byte[] @Nullable [] found = shard.store().multiGet(columnFamily, own);
    for (int i = from; i < end; i++) {
      values[(int) order[i]] = found[i - from];
    }
  }

  /**
   * Rows of one shard: of an ORDERED column family (or any in a modulo layout) in key order within
   * the range; of a HASHED one in order of slot, then key, with the range applied to each slot's
   * rows only if it is {@link ScanRange#all()}, else INVALID.
   */
  public StateIterator scan(int shard, String columnFamily, ScanRange range) {
    Family family = family(columnFamily);
    if (shard < 0 || shard >= shards.size()) {
      throw StateStoreException.invalid(
          "no shard " + shard + "; there are 0 to " + (shards.size() - 1));
    }
    if (family.keyPrefix() > 0 && (range.from() != null || range.to() != null)) {
      throw StateStoreException.invalid(
          "a range of column family '"
              + columnFamily
              + "', which is HASHED and has no order of keys; scan all of it, scan the rows of one"
              + " partition key by scanPrefix, or declare it ORDERED");
    }
    return scan(shards.get(shard), family, range);
  }

  /**
   * Rows whose key starts with {@code prefix}, in key order. The prefix must decide the shard: the
   * column family's partition key is {@code first:N} and the prefix has N bytes or more, or it is
   * {@code length-prefixed} and the prefix holds the whole of it; anything else is INVALID.
   */
  public StateIterator scanPrefix(String columnFamily, byte[] prefix) {
    Family family = family(columnFamily);
    PartitionKey declared = family.columnFamily().partitionKey();
    boolean decides =
        switch (declared.kind()) {
          case FIRST -> prefix.length >= declared.bytes();
          case LENGTH_PREFIXED -> true; // The extractor refuses one that is not whole.
          case WHOLE, SKIP, NAMED -> false;
        };
    if (!decides) {
      throw StateStoreException.invalid(
          "a prefix of "
              + prefix.length
              + " bytes does not decide the shard in column family '"
              + columnFamily
              + "' with partition key '"
              + declared
              + "'; give a prefix that holds the whole partition key, or declare the partition key"
              + " as first:N or length-prefixed");
    }
    KeyRouter router = route(columnFamily, prefix);
    return scan(shards.get(router.shard()), family, ScanRange.prefix(router.storedKeyBytes()));
  }

  private static StateIterator scan(OpenShard shard, Family family, ScanRange range) {
    shard.flushForRead();
    StateIterator rows = shard.store().scan(family.columnFamily().name(), range);
    return family.keyPrefix() > 0 ? new SlotlessRows(rows) : rows;
  }

  /**
   * Commits every shard and publishes the next version with these properties. Shards that were not
   * written to are neither committed nor exported: the new version names their files again.
   */
  public Manifest commit(Map<String, String> properties) {
    checkUsable();
    Map<String, String> checked = Properties.check(properties);
    try {
      Attempt attempt = uncertain;
      if (attempt != null
          && settle(attempt)
          && !writtenSinceAttempt
          && attempt.properties.equals(checked)) {
        return published;
      }
      return publish(checked);
    } catch (StateStoreException e) {
      if (!e.isRetryable()) {
        broken = e;
      }
      throw e;
    }
  }

  private Manifest publish(Map<String, String> properties) {
    Manifest parent = published;
    try (StoreUpload upload = (StoreUpload) checkpoints.upload(parent)) {
      List<List<FileHandle>> files = new ArrayList<>(Collections.nCopies(shards.size(), List.of()));
      Parallel.forEach(threads(), shards.size(), i -> files.set(i, commitShard(i, parent, upload)));
      upload.flush();
      Attempt attempt = new Attempt(upload, properties, packs.renew(files, upload));
      upload.flush();
      uncertain = attempt;
      writtenSinceAttempt = false;
      Manifest manifest =
          checkpoints.publish(
              upload, parent, Manifest.Operation.COMMIT, backendName, layout, files, properties);
      adopt(manifest, attempt);
      return manifest;
    }
  }

  private List<FileHandle> commitShard(int number, Manifest parent, Upload upload) {
    OpenShard shard = shards.get(number);
    return shard.isChanged()
        ? shard.commit(parent.version() + 1, upload)
        : checkpoints.files(parent, number).stream().map(FileHandle::existing).toList();
  }

  private void adopt(Manifest manifest, Attempt attempt) {
    published = manifest;
    uncertain = null;
    shards.forEach(OpenShard::published);
    for (PackRenewal.Renewed renewed : attempt.renewed) {
      shards.get(renewed.shard()).moved(renewed.handle().ref());
    }
  }

  /**
   * Finds out what became of a publish whose answer was lost.
   *
   * @return whether it got through; its version is the committed one then
   */
  private boolean settle(Attempt attempt) {
    long version = published.version() + 1;
    if (checkpoints.latestVersion() < version) {
      uncertain = null;
      return false;
    }
    Manifest there = checkpoints.manifest(version);
    if (!there.writer().equals(attempt.upload.writer())) {
      uncertain = null;
      return false; // The publish to come is fenced, and says by whom.
    }
    adopt(checkpoints.confirm(attempt.upload, published, there), attempt);
    return true;
  }

  /**
   * Drops every write since the last commit. If it fails with UNAVAILABLE, shards may be at
   * different points: every later call but {@code rollback} and {@code close} is UNAVAILABLE until
   * a rollback succeeds.
   */
  public void rollback() {
    checkNotBroken();
    try {
      if (uncertain != null) {
        settle(uncertain);
      }
      rollbackShards(published);
    } catch (StateStoreException e) {
      if (!e.isRetryable()) {
        broken = e;
      }
      throw e;
    }
  }

  private void rollbackShards(Manifest to) {
    boolean done = false;
    try {
      Parallel.forEach(
          threads(),
          shards.size(),
          i -> shards.get(i).rollback(() -> checkpoints.files(to, i), to.version()));
      done = true;
    } finally {
      halfRolledBack = !done;
    }
  }

  private void checkUsable() {
    checkNotBroken();
    if (halfRolledBack) {
      throw StateStoreException.unavailable(
          "a rollback to version "
              + published.version()
              + " has failed half way, so shards may be at different points; roll back again until"
              + " it succeeds, or close the store and open it again",
          null);
    }
  }

  private void checkNotBroken() {
    if (closed) {
      throw StateStoreException.closed("the keyed store");
    }
    StateStoreException first = broken;
    if (first != null) {
      throw new StateStoreException(
          first.kind(),
          "the store has failed before: " + first.getMessage() + "; close it and open it again",
          first);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      StateStoreException failure = closeAll(shards, work, null);
      if (failure != null) {
        throw failure;
      }
    }
  }

  private static @Nullable StateStoreException closeAll(
      List<OpenShard> shards, WorkingDirectory work, @Nullable StateStoreException earlier) {
    List<Runnable> closings = new ArrayList<>();
    shards.forEach(shard -> closings.add(shard.store()::close));
    closings.add(work::close); // Last: until then a backend has files open there.
    StateStoreException failure = earlier;
    for (Runnable closing : closings) {
      try {
        closing.run();
      } catch (StateStoreException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    return failure;
  }
}
