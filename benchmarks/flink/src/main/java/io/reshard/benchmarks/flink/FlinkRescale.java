package io.reshard.benchmarks.flink;

import io.reshard.benchmarks.shared.Arguments;
import io.reshard.benchmarks.shared.Clock;
import io.reshard.benchmarks.shared.Figure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * Flink restores an incremental checkpoint of RocksDB state with another parallelism, in a mini
 * cluster of this process.
 *
 * <p>{@code mode=make} fills the state and leaves a checkpoint. {@code mode=run} first starts the
 * same job without state, twice: the second shows what a start costs in itself ({@code
 * startSeconds}, until the last subtask is open); then it submits the job with the
 * checkpoint: {@code openSeconds} until the last subtask has built its backend and is open, {@code
 * seconds} until the last subtask has read a row. Then every row is read and compared.
 *
 * <p>Arguments: {@code mode=make|run directory=DIR rows=N valueBytes=N from=N to=N
 * ingest=true|false}
 */
public final class FlinkRescale {
  private static final int MAX_PARALLELISM = 128;
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final Path directory;
  private final long rows;
  private final int valueBytes;
  private final Configuration configuration;

  private FlinkRescale(Arguments arguments) {
    directory = arguments.path("directory");
    rows = arguments.number("rows", 1_000_000);
    valueBytes = arguments.integer("valueBytes", 100);
    configuration = configuration(directory, arguments.flag("ingest"));
  }

  /** Runs. */
  public static void main(String... args) throws Exception {
    Arguments arguments = Arguments.of(args);
    int from = arguments.integer("from");
    int to = arguments.integer("to");
    FlinkRescale rescale = new FlinkRescale(arguments);
    try (MiniCluster cluster = rescale.start(Math.max(from, to))) {
      if (arguments.text("mode").equals("make")) {
        rescale.make(cluster, from);
      } else {
        rescale.restore(cluster, from, to).with("ingest", arguments.flag("ingest")).print();
      }
    }
  }

  private static Configuration configuration(Path directory, boolean ingest) {
    Configuration configuration = new Configuration();
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.resolve("checkpoints").toUri().toString());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofHours(1));
    configuration.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    configuration.set(RocksDBConfigurableOptions.USE_INGEST_DB_RESTORE_MODE, ingest);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(1024));
    configuration.set(RestOptions.BIND_PORT, "0");
    configuration.set(
        CoreOptions.TMP_DIRS, directory.resolve("local").toString());
    return configuration;
  }

  private MiniCluster start(int slots) throws Exception {
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(slots)
                .build());
    cluster.start();
    return cluster;
  }

  private StreamGraph graph(int parallelism, long count) {
    return Rescale.graph(configuration, parallelism, MAX_PARALLELISM, count, valueBytes);
  }

  /** Two checkpoints, so that the second is an increment. */
  private void make(MiniCluster cluster, int parallelism) throws Exception {
    JobID job = submit(cluster, graph(parallelism, rows));
    await("half of the rows", cluster, job, () -> Rescale.seen() >= rows / 2);
    cluster.triggerCheckpoint(job, CheckpointType.CONFIGURED).get();
    await("all rows", cluster, job, () -> Rescale.seen() == rows);
    String checkpoint = cluster.triggerCheckpoint(job).get();
    Files.writeString(pointer(), checkpoint);
    cancel(cluster, job);
  }

  private Path pointer() {
    return directory.resolve("checkpoint");
  }

  private Figure restore(MiniCluster cluster, int from, int to) throws Exception {
    startWithoutState(cluster, to); // For the compiler.
    double startSeconds = startWithoutState(cluster, to);
    Rescale.reset();
    StreamGraph graph = graph(to, rows);
    graph.setSavepointRestoreSettings(
        SavepointRestoreSettings.forPath(Files.readString(pointer()), false));
    Clock clock = Clock.start();
    long start = System.nanoTime();
    JobID job = submit(cluster, graph);
    await("a read in every subtask", cluster, job, () -> Rescale.readers() == to);
    Figure cpu = clock.stop(Figure.of("cpu"));
    await("all rows", cluster, job, () -> Rescale.seen() >= rows);
    if (Rescale.found() != rows) {
      throw new IllegalStateException(
          Rescale.found() + " rows are there and right, expected " + rows);
    }
    Figure figure =
        Figure.of("flink")
            .with("from", from)
            .with("to", to)
            .with("rows", rows)
            .with("seconds", (Rescale.lastRead() - start) / 1e9)
            .with("openSeconds", (Rescale.lastOpened() - start) / 1e9)
            .with("startSeconds", startSeconds)
            .with("cpuSeconds", cpu.number("cpuSeconds"))
            .with("version", EnvironmentInformation.getVersion())
            .with("verified", true);
    cancel(cluster, job);
    return figure;
  }

  private double startWithoutState(MiniCluster cluster, int parallelism) throws Exception {
    Rescale.reset();
    long start = System.nanoTime();
    JobID job = submit(cluster, graph(parallelism, 0));
    await("every subtask", cluster, job, () -> Rescale.opened() == parallelism);
    double seconds = (Rescale.lastOpened() - start) / 1e9;
    cancel(cluster, job);
    return seconds;
  }

  private static JobID submit(MiniCluster cluster, StreamGraph graph) throws Exception {
    return cluster.submitJob(graph.getJobGraph()).get().getJobID();
  }

  private static void cancel(MiniCluster cluster, JobID job) throws Exception {
    cluster.cancelJob(job).get();
    cluster.requestJobResult(job).get();
  }

  private static void await(
      String what, MiniCluster cluster, JobID job, BooleanSupplier done) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    int polls = 0;
    while (!done.getAsBoolean()) {
      if (polls++ % 1000 == 999 && cluster.getJobStatus(job).get() == JobStatus.FAILED) {
        cluster.requestJobResult(job).get().toJobExecutionResult(FlinkRescale.class.getClassLoader());
      }
      if (System.nanoTime() > end) {
        throw new IllegalStateException("not reached within " + PATIENCE + ": " + what);
      }
      Thread.sleep(1);
    }
  }
}
