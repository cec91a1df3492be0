package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.Upload;
import io.reshard.spi.StateStoreException;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

/** Plans and executes a change of the number of shards. */
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
    return Planner.plan(manifest, shard -> store.files(manifest, shard), targetShards);
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
