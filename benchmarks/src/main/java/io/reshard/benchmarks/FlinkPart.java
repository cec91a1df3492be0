package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Rows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Flink restores a checkpoint with another parallelism, by both of its ways. */
final class FlinkPart implements Part {
  private static final String MAIN = "io.reshard.benchmarks.flink.FlinkRescale";
  private static final String FLINK = "flink";
  private static final int ROWS = 1_000_000;
  private static final int QUICK_ROWS = 20_000;
  private static final int REPEAT = 3;

  /** Parallelism before, and those it is restored with: shrink, grow. */
  private static final int FROM = 4;

  private static final List<Integer> TO = List.of(2, 8);

  private static final List<String> OPENS =
      Stream.of(
              "java.lang", "java.net", "java.io", "java.nio", "java.text", "java.time", "java.util")
          .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
          .toList();

  @Override
  public String name() {
    return FLINK;
  }

  @Override
  public void run(Harness harness) {
    Settings settings = harness.settings();
    Path data = Directories.empty(settings.fast());
    String classPath = SparkPart.classPath(settings.home().resolve("flink/target"));
    int repeat = Math.min(REPEAT, settings.repeat());
    for (int run = 0; run < repeat; run++) {
      for (int to : TO) {
        for (boolean ingest : new boolean[] {false, true}) {
          List<String> options = new ArrayList<>(OPENS);
          options.add("-Xmx2g");
          // The first run makes the checkpoint that all of them restore.
          harness.run(
              options,
              classPath,
              MAIN,
              "directory=" + data,
              "rows=" + (settings.quick() ? QUICK_ROWS : ROWS),
              "valueBytes=" + Rows.VALUE_BYTES,
              "from=" + FROM,
              "to=" + to,
              "ingest=" + ingest);
        }
      }
    }
    Directories.delete(data);
  }

  @Override
  public void report(Figures figures, Markdown out) {
    Figures own = figures.named(FLINK);
    out.heading("Beside Apache Flink");
    out.paragraph(
        "Flink "
            + own.values("version").stream().findFirst().orElse("?")
            + ", a mini cluster in one process, RocksDB backend, incremental checkpoint, max"
            + " parallelism 128. Flink rescales while it restores. *restore* is from the submission"
            + " of the job to the moment when every subtask of the stateful operator has restored"
            + " its backend and answered a read of one of its keys; *backend* is the longest time a"
            + " subtask took to build its backend from the checkpoint, by Flink's own metric-free"
            + " clock around that call. Every row is read afterwards and counted. Reshard moves a"
            + " store of as many rows from 200 to 100 shards in the section above; what Flink does"
            + " here beyond that is to schedule a job.");
    List<List<String>> rows = new ArrayList<>();
    for (Figures step : ReferencePart.steps(own)) {
      for (Object ingest : step.values("ingest")) {
        Figures mode = step.where("ingest", ingest);
        rows.add(
            List.of(
                ReferencePart.label(step)
                    + (ingest.equals(true) ? ", ingest-db restore" : ", default restore"),
                Markdown.number(mode.median("rows")),
                Markdown.number(mode.median("seconds")),
                Markdown.number(mode.median("backendSeconds")),
                Markdown.number(mode.median("cpuSeconds"))));
      }
    }
    out.table(List.of("parallelism", "rows", "restore, s", "backend, s", "CPU, s"), rows);
  }

  @Override
  public List<Target> targets(Figures figures) {
    return List.of();
  }
}
