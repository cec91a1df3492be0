package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.Upload;
import io.reshard.spi.StateStoreException;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

/**
 * Plans and executes a change of the number of shards.
 *
 * <p>Three ways lead a row to its new shard, the cheapest that is sound for each file:
 *
 * <ol>
 *   <li>A file of a HASHED column family in a slots layout whose keys all belong to one target is
 *       handed over: named by the new version, never read.
 *   <li>Such a file that lies across a boundary of the targets is cut there, entry by entry, and so
 *       that the next growth finds whole files ({@link Splitter}).
 *   <li>Everything else is streamed: sources are merged to rows, rows go to the shard they hash to
 *       ({@link Streamer}).
 * </ol>
 *
 * <p>The source version is only read. What is written is proven before it is published: each piece
 * of work by the digests of what it read and of what was read back from the files it wrote, in
 * which every key must hash to the shard it lies in; and in the end each column family that is not
 * streamed by its digest in the old version and the new. Until the one atomic publish nothing has
 * happened; a run that was interrupted leaves the results of its finished tasks, which the next run
 * of the same plan takes over ({@link Execution}).
 */
public final class Repartitioner {
  private Repartitioner() {}

  /**
   * Plans from metadata alone: reads manifest and shard lists, no data.
   *
   * @param version the version to start from; must be the newest
   * @throws io.reshard.spi.StateStoreException INVALID if {@code targetShards} is not 1 to 65,536
   *     or is the number of shards already
   */
  public static RepartitionPlan plan(CheckpointStore store, long version, int targetShards) {
    long newest = store.latestVersion();
    Manifest manifest = store.manifest(version);
    if (version != newest) {
      throw StateStoreException.invalid(
          "version "
              + version
              + " is not the newest; a repartition starts from version "
              + newest
              + ", to start from an earlier state roll back to it first");
    }
    return Planner.plan(manifest, () -> store.files(manifest), targetShards);
  }

  /**
   * Executes a plan and publishes the next version. Work that an interrupted run of the same plan
   * left is taken over. Until the one atomic publish nothing has changed.
   *
   * @param cancelled asked often; once true, the run stops with UNAVAILABLE and can be resumed
   * @throws io.reshard.spi.StateStoreException FENCED if another writer published meanwhile;
   *     CORRUPT if a source is damaged or a proof fails, naming the shard
   */
  public static RepartitionResult execute(
      CheckpointStore store,
      RepartitionPlan plan,
      RepartitionOptions options,
      ProgressListener listener,
      BooleanSupplier cancelled) {
    return execute(store, plan, options, listener, cancelled, FileWriters::into);
  }

  static RepartitionResult execute(
      CheckpointStore store,
      RepartitionPlan plan,
      RepartitionOptions options,
      ProgressListener listener,
      BooleanSupplier cancelled,
      BiFunction<Upload, Layout, FileWriters> writers) {
    Meter meter = new Meter(listener, cancelled, plan.tasks(), plan.bytesToRead());
    return new Execution(store, plan, OpenFiles.of(options), meter, writers).run();
  }
}
