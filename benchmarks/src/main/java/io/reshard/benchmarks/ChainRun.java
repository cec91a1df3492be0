package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Arguments;
import io.reshard.benchmarks.shared.Clock;
import io.reshard.benchmarks.shared.Figure;
import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.SetDigest;
import io.reshard.repartition.ProgressListener;
import io.reshard.repartition.RepartitionOptions;
import io.reshard.repartition.RepartitionPlan;
import io.reshard.repartition.RepartitionResult;
import io.reshard.repartition.Repartitioner;
import io.reshard.sst.Compression;
import java.nio.file.Path;
import java.util.List;

/**
 * Reshard repartitions one store several times, one figure for each step; rows are checked after
 * the last. The clock runs from the opening of the store to the published version. First the same
 * with a small store, so that the compiler has seen the code.
 *
 * <p>Arguments: {@code name=… source=DIR warm=DIR target=DIR layout=modulo|slots from=N to=N,N
 * threads=N valueBytes=N}
 */
public final class ChainRun {
  private static final long MEMORY_BYTES = 256L << 20;

  private ChainRun() {}

  /** Runs. */
  public static void main(String... args) {
    Arguments arguments = Arguments.of(args);
    run(arguments, arguments.path("warm"));
    run(arguments, arguments.path("source")).forEach(Figure::print);
  }

  private static List<Figure> run(Arguments arguments, Path source) {
    List<Integer> counts = arguments.integers("to");
    Job job =
        new Job(
            source,
            arguments.path("target"),
            arguments.integer("from"),
            counts.get(counts.size() - 1),
            arguments.integer("threads", 2),
            Compression.LZ4,
            arguments.integer("valueBytes", 100),
            false);
    Directories.empty(job.target());
    ReshardRewrite reshard = new ReshardRewrite();
    reshard.prepare(job);
    SetDigest expected = Source.digest(source);
    String layout = arguments.text("layout");
    List<Figure> figures =
        counts.stream()
            .map(
                count ->
                    step(job, count)
                        .with("name", arguments.text("name"))
                        .with("layout", layout)
                        .with("rows", expected.count())
                        .with("valueBytes", job.valueBytes())
                        .with("sourceShards", job.from())
                        .with("threads", job.threads()))
            .toList();
    RowCheck.check(
        job,
        layout.equals("slots") ? Layout.slots(job.to()) : Layout.modulo(job.to()),
        reshard,
        expected);
    Directories.delete(job.target());
    return figures;
  }

  private static Figure step(Job job, int count) {
    Clock clock = Clock.start();
    int from;
    RepartitionResult result;
    try (CheckpointStore store = ReshardRewrite.open(job)) {
      RepartitionPlan plan = Repartitioner.plan(store, store.latestVersion(), count);
      from = plan.source().shards();
      result =
          Repartitioner.execute(
              store,
              plan,
              new RepartitionOptions(job.threads(), MEMORY_BYTES),
              ProgressListener.NONE,
              () -> false);
    }
    return clock
        .stop(Figure.of("step"))
        .with("from", from)
        .with("to", count)
        .with("bytes", result.manifest().bytes())
        .with("bytesReferenced", result.bytesReferenced())
        .with("bytesWritten", result.bytesWritten())
        .with("filesReferenced", result.filesReferenced())
        .with("filesWritten", result.filesWritten())
        .with("verified", true);
  }
}
