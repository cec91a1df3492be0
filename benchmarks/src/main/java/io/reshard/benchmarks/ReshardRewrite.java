package io.reshard.benchmarks;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.repartition.ProgressListener;
import io.reshard.repartition.RepartitionOptions;
import io.reshard.repartition.RepartitionPlan;
import io.reshard.repartition.Repartitioner;
import io.reshard.spi.ByteView;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.SstReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reshard. The store's objects never change, so the copy that it works in has them as links. */
final class ReshardRewrite implements Rival {
  private static final int MEGABYTE = 1 << 20;
  private static final long MEMORY_BYTES = 256L * MEGABYTE;

  @Override
  public void prepare(Job job) {
    Path from = Source.store(job.source());
    Path to = Source.store(job.target());
    for (Path file : Directories.files(from)) {
      Path link = to.resolve(from.relativize(file).toString());
      try {
        Files.createDirectories(link.resolveSibling("."));
        Files.createLink(link, file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void repartition(Job job) {
    try (CheckpointStore store = open(job)) {
      RepartitionPlan plan = Repartitioner.plan(store, store.latestVersion(), job.to());
      Repartitioner.execute(
          store,
          plan,
          new RepartitionOptions(job.threads(), MEMORY_BYTES),
          ProgressListener.NONE,
          () -> false);
    }
  }

  static CheckpointStore open(Job job) {
    return CheckpointStore.open(ObjectStores.open(Source.store(job.target())));
  }

  @Override
  public void visit(Job job, RowVisitor visitor) {
    try (CheckpointStore store = open(job)) {
      Manifest manifest = store.manifest(store.latestVersion());
      int prefix = manifest.keyPrefix(Source.COLUMN_FAMILY);
      ByteView key = new ByteView();
      for (int shard = 0; shard < manifest.layout().shards(); shard++) {
        for (FileRef file : store.files(manifest, shard)) {
          try (SstReader reader = store.open(file);
              EntryCursor cursor = reader.cursor()) {
            while (cursor.next()) {
              ByteView stored = cursor.key();
              key.set(stored.array(), stored.offset() + prefix, stored.length() - prefix);
              visitor.row(shard, key, cursor.value());
            }
          }
        }
      }
    }
  }
}
