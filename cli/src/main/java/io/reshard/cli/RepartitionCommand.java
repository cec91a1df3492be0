package io.reshard.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStoreMetrics;
import io.reshard.repartition.RepartitionOptions;
import io.reshard.repartition.RepartitionPlan;
import io.reshard.repartition.RepartitionResult;
import io.reshard.repartition.Repartitioner;
import io.reshard.spi.StateStoreException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code reshard repartition}. */
@Command(
    name = "repartition",
    description = {
      "Change the number of shards.",
      "",
      "Writes a new version beside the old one and publishes it in one step, after proving that"
          + " every row is there once and in its shard. Until then nothing has changed; an interrupted"
          + " run is taken up by running the same command again."
    },
    footer = {
      "  reshard repartition --store ./state --shards 400 --dry-run",
      "  reshard repartition --store ./state --shards 400",
      "  reshard repartition --store ./state --shards 100 --parallel 4 --memory 1g --json",
      "  reshard repartition --store s3://bucket/state --shards 400",
      "  reshard repartition --store hdfs://namenode:8020/state --shards 400"
    })
final class RepartitionCommand extends StoreVerb {
  @Option(
      names = "--shards",
      order = 1,
      required = true,
      paramLabel = "M",
      description = "Number of shards afterwards, 1 to 65536.")
  int shards;

  @Option(
      names = "--parallel",
      order = 2,
      paramLabel = "TASKS",
      description = "Tasks at once (default: one per core).")
  @Nullable Integer parallel;

  @Option(
      names = "--memory",
      order = 3,
      paramLabel = "SIZE",
      description = "Heap for all buffers together (default: a quarter of the heap).")
  Cli.@Nullable Size memory;

  @Option(
      names = "--dry-run",
      order = 4,
      description = "Print the plan and stop; reads no data, changes nothing.")
  boolean dryRun;

  RepartitionCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run(CheckpointStore store) {
    RepartitionOptions options = options();
    Manifest manifest = manifest(store, 0);
    RepartitionPlan plan = Repartitioner.plan(store, manifest.version(), shards);
    if (dryRun) {
      print(plan, options.parallelism());
      return ExitCode.OK;
    }
    if (!json) {
      console().say(Console.wrap(plan.toString()));
    }
    print(execute(console(), store, plan, options), store.objects().metrics());
    return ExitCode.OK;
  }

  private RepartitionOptions options() {
    RepartitionOptions defaults = RepartitionOptions.defaults();
    return new RepartitionOptions(
        parallel == null ? defaults.parallelism() : parallel,
        memory == null ? defaults.memoryBytes() : memory.bytes());
  }

  /** Executes a plan with progress; Ctrl-C cancels it. */
  static RepartitionResult execute(
      Console console, CheckpointStore store, RepartitionPlan plan, RepartitionOptions options) {
    try (Progress progress = new Progress(console, "repartition")) {
      return Repartitioner.execute(
          store,
          plan,
          options,
          p ->
              progress.bytes(
                  p.bytesRead(),
                  p.bytesToRead(),
                  Units.count(p.tasksDone())
                      + " of "
                      + Units.count(p.tasks())
                      + " tasks, "
                      + Units.count(p.rows())
                      + " rows"
                      + requests(store)),
          console::isCancelled);
    } catch (StateStoreException e) {
      if (console.isCancelled() && e.kind() == StateStoreException.Kind.UNAVAILABLE) {
        throw new InterruptedRunException(
            "stopped; nothing was published, the store is still at version "
                + plan.sourceVersion()
                + " with "
                + Units.count(plan.source().shards())
                + " shards. Run the same command again to go on with what is done so far");
      }
      throw e;
    }
  }

  private static String requests(CheckpointStore store) {
    long requests = store.objects().metrics().requests();
    return requests == 0 ? "" : ", " + Units.count(requests) + " requests";
  }

  private void print(RepartitionPlan plan, int parallelism) {
    if (!json) {
      console().print(Console.wrap(plan.toString()));
      console().print("dry run: nothing was changed");
      return;
    }
    console()
        .printJson(
            out -> {
              out.writeBooleanField("dryRun", true);
              out.writeNumberField("sourceVersion", plan.sourceVersion());
              out.writeNumberField("sourceShards", plan.source().shards());
              out.writeNumberField("targetShards", plan.target().shards());
              out.writeNumberField("pairs", plan.pairs());
              out.writeNumberField("tasks", plan.tasks());
              out.writeNumberField("filesReferenced", plan.filesReferenced());
              out.writeNumberField("bytesReferenced", plan.bytesReferenced());
              out.writeNumberField("filesRewritten", plan.filesRewritten());
              out.writeNumberField("bytesRewritten", plan.bytesRewritten());
              out.writeNumberField("requests", plan.requests());
              out.writeNumberField("estimatedSeconds", plan.estimatedSeconds(parallelism));
              out.writeArrayFieldStart("predictedShardBytes");
              for (long bytes : plan.predictedShardBytes()) {
                out.writeNumber(bytes);
              }
              out.writeEndArray();
              out.writeArrayFieldStart("advice");
              for (String advice : plan.advice()) {
                out.writeString(advice);
              }
              out.writeEndArray();
            });
  }

  private void print(RepartitionResult result, ObjectStoreMetrics requests) {
    Manifest manifest = result.manifest();
    if (json) {
      console()
          .printJson(
              out -> {
                write(out, result);
                StorePlace.write(out, requests);
              });
      return;
    }
    ShardSizes sizes = ShardSizes.of(manifest);
    console()
        .print(
            console().green("version " + manifest.version())
                + " has "
                + Units.count(manifest.layout().shards())
                + " shards: "
                + Units.bytes(result.bytesReferenced())
                + " in "
                + Units.count(result.filesReferenced())
                + " files referenced, "
                + Units.bytes(result.bytesWritten())
                + " in "
                + Units.count(result.filesWritten())
                + " files written, "
                + Units.count(result.rowsRewritten())
                + " rows rewritten and proven, "
                + Units.seconds(Units.toSeconds(result.nanos())));
    if (result.tasksResumed() > 0) {
      console()
          .print(Units.count(result.tasksResumed()) + " tasks were done by an interrupted run");
    }
    console()
        .print(
            "skew "
                + Units.factor(sizes.skew())
                + "  "
                + console().cyan(sizes.sparkline(console(), 60)));
  }

  private static void write(JsonGenerator out, RepartitionResult result) throws IOException {
    Manifest manifest = result.manifest();
    out.writeNumberField("version", manifest.version());
    out.writeNumberField("shards", manifest.layout().shards());
    out.writeNumberField("filesReferenced", result.filesReferenced());
    out.writeNumberField("bytesReferenced", result.bytesReferenced());
    out.writeNumberField("filesWritten", result.filesWritten());
    out.writeNumberField("bytesWritten", result.bytesWritten());
    out.writeNumberField("bytesRead", result.bytesRead());
    out.writeNumberField("rowsRewritten", result.rowsRewritten());
    out.writeNumberField("tasksResumed", result.tasksResumed());
    out.writeNumberField("seconds", Units.toSeconds(result.nanos()));
    out.writeNumberField("skew", ShardSizes.of(manifest).skew());
  }
}
