package io.reshard.checkpoint;

import io.reshard.spi.ColumnFamily;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.SstReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The versions of one store in an {@link ObjectStore}. Thread-safe.
 *
 * <p>Manifests, shard lists and open readers are cached, weighed in bytes.
 */
public final class CheckpointStore implements AutoCloseable {
  /** How long the results of a job are kept: 7 days. */
  public static final Duration JOB_LIFETIME = Duration.ofDays(7);

  private CheckpointStore() {}

  /**
   * Creates an empty store (no version yet). Takes over {@code objects}.
   *
   * @throws io.reshard.spi.StateStoreException INVALID if there is a store or anything else already
   */
  public static CheckpointStore create(ObjectStore objects) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Opens a store. Takes over {@code objects}.
   *
   * @throws io.reshard.spi.StateStoreException INVALID if there is none, INCOMPATIBLE if its format
   *     is newer, CORRUPT
   */
  public static CheckpointStore open(ObjectStore objects) {
    throw new UnsupportedOperationException("stub");
  }

  /** Identity of the store: a UUID. */
  public String storeId() {
    throw new UnsupportedOperationException("stub");
  }

  /** The object store. */
  public ObjectStore objects() {
    throw new UnsupportedOperationException("stub");
  }

  /** Versions that can be read, ascending. */
  public List<Long> versions() {
    throw new UnsupportedOperationException("stub");
  }

  /** The newest version; 0 if there is none. */
  public long latestVersion() {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * The manifest of a version.
   *
   * @throws io.reshard.spi.StateStoreException INVALID if there is no such version, listing those
   *     there are; CORRUPT
   */
  public Manifest manifest(long version) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * What the first version is made from: version 0, without rows, which no object holds. Give it to
   * {@link #upload} and {@link #publish} in an empty store.
   */
  public Manifest origin(Layout layout, List<ColumnFamily> columnFamilies) {
    throw new UnsupportedOperationException("stub");
  }

  /** The files of a shard, checked against what the manifest says of it. */
  public List<FileRef> files(Manifest manifest, int shard) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Opens a file. The SHA-256 of all its bytes is verified on demand by {@link #verifyContent};
   * block checksums are verified with every read.
   */
  public SstReader open(FileRef file) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Reads a whole file and compares length and SHA-256 with the reference.
   *
   * @throws io.reshard.spi.StateStoreException CORRUPT naming file, object and what differs
   */
  public void verifyContent(FileRef file) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * The entries of a column family of a shard, all its files merged; close it. Opens as many files
   * as can hold an entry at once: lazily, files of one level above 0 one after another.
   */
  public EntryCursor entries(List<FileRef> files, String columnFamily) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * A new upload of a writer with a new id, whose files may be deduplicated against {@code parent}.
   */
  public Upload upload(Manifest parent) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Publishes the next version: writes the shard lists that are new, then creates the manifest
   * {@code parent.version() + 1}. All handles must be of flushed uploads of {@code upload} or
   * exist.
   *
   * @param upload the upload the files came by; its writer id goes into the manifest
   * @param parent the version it is made from, which must still be the newest
   * @param backend name of the backend
   * @param shards the files of every shard
   * @return what was published
   * @throws io.reshard.spi.StateStoreException FENCED if another writer published that version
   *     first (nothing of this one is visible then)
   */
  public Manifest publish(
      Upload upload,
      Manifest parent,
      Manifest.Operation operation,
      String backend,
      Layout layout,
      List<List<FileHandle>> shards,
      Map<String, String> properties) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Publishes a new version with the content of an earlier one.
   *
   * @return what was published
   */
  public Manifest rollback(long version) {
    throw new UnsupportedOperationException("stub");
  }

  /** Deletes what no kept version needs, or only says what it would delete. */
  public GcResult gc(GcOptions options) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * What a task of a job left. It is empty where there is nothing, where it is about to expire
   * (results are kept for {@link #JOB_LIFETIME}), and where an object it names is missing or of
   * another size; do the task again then.
   *
   * @param job 1 to 64 characters of {@code a-z A-Z 0-9 _ -}
   * @param task the same
   * @throws io.reshard.spi.StateStoreException CORRUPT, INCOMPATIBLE
   */
  public Optional<JobResult> jobResult(String job, String task) {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * Keeps what a task left; what the task left earlier is replaced. Garbage collection spares the
   * objects it names as long as it is younger than {@link #JOB_LIFETIME}.
   *
   * @throws io.reshard.spi.StateStoreException UNAVAILABLE if garbage collection may have deleted
   *     some of the files already, because the task took longer than its grace; do the task again
   */
  public void putJobResult(String job, String task, JobResult result) {
    throw new UnsupportedOperationException("stub");
  }

  /** Forgets every result of a job: after its publish, never before. */
  public void deleteJob(String job) {
    throw new UnsupportedOperationException("stub");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("stub");
  }
}
