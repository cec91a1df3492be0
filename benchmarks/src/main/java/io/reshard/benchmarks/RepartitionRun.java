package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Arguments;
import io.reshard.benchmarks.shared.Clock;
import io.reshard.benchmarks.shared.Figure;
import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.SetDigest;
import io.reshard.checkpoint.StoreVerifier;
import io.reshard.sst.Compression;
import java.nio.file.Path;

/**
 * One rival repartitions one source in a process of its own. First a small source, so that the
 * compiler has seen the code (not with {@code cold=true}); then the clock runs; then every row of
 * the result is read, counted, digested and looked for in the shard its key hashes to.
 *
 * <p>Arguments: {@code rival=reshard|put|sst|copy name=… source=DIR warm=DIR target=DIR from=N to=N
 * layout=modulo|slots threads=N compression=… valueBytes=N fsync=… cold=…}
 */
public final class RepartitionRun {
  private RepartitionRun() {}

  /** Runs. */
  public static void main(String... args) throws Exception {
    Arguments arguments = Arguments.of(args);
    Rival.Name name = Rival.Name.of(arguments.text("rival"));
    if (!arguments.flag("cold")) {
      run(name, job(arguments, arguments.path("warm")), arguments);
    }
    run(name, job(arguments, arguments.path("source")), arguments).print();
  }

  private static Job job(Arguments arguments, Path source) {
    return new Job(
        source,
        arguments.path("target"),
        arguments.integer("from"),
        arguments.integer("to"),
        arguments.integer("threads", 1),
        Compression.valueOf(arguments.text("compression", "LZ4")),
        arguments.integer("valueBytes", 100),
        arguments.flag("fsync"));
  }

  private static Figure run(Rival.Name name, Job job, Arguments arguments) throws Exception {
    Rival rival = name.rival();
    Directories.empty(job.target());
    rival.prepare(job);
    Clock clock = Clock.start();
    rival.repartition(job);
    Figure figure = clock.stop(Figure.of(arguments.text("name", name.label())));
    SetDigest expected = Source.digest(job.source());
    RowCheck.check(job, layout(arguments, name, job), rival, expected);
    figure
        .with("rival", name.label())
        .with("from", job.from())
        .with("to", job.to())
        .with("threads", job.threads())
        .with("compression", job.compression().name())
        .with("layout", arguments.text("layout", "modulo"))
        .with("valueBytes", job.valueBytes())
        .with("rows", expected.count())
        .with("sourceBytes", Directories.bytes(Source.store(job.source())))
        .with("verified", true);
    if (name == Rival.Name.RESHARD) {
      addWritten(job, figure);
    }
    Directories.delete(job.target());
    return figure;
  }

  private static Layout layout(Arguments arguments, Rival.Name name, Job job) {
    int shards = name == Rival.Name.COPY ? job.from() : job.to();
    return arguments.text("layout", "modulo").equals("slots")
        ? Layout.slots(shards)
        : Layout.modulo(shards);
  }

  /** How much of the result is new, and what it costs to read and digest it once more. */
  private static void addWritten(Job job, Figure figure) {
    try (CheckpointStore store = ReshardRewrite.open(job)) {
      Manifest manifest = store.manifest(store.latestVersion());
      long written =
          Directories.bytes(Source.store(job.target()).resolve("files"))
              - Directories.bytes(Source.store(job.source()).resolve("files"));
      Figure again = Figure.of("verify");
      Clock clock = Clock.start();
      StoreVerifier.verify(store, manifest, job.threads(), shard -> {});
      clock.stop(again);
      figure
          .with("bytes", manifest.bytes())
          .with("bytesWritten", written)
          .with("verifyCpuSeconds", again.number("cpuSeconds"));
    }
  }
}
