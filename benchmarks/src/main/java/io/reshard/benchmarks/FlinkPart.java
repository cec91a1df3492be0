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
    flink(harness, "make", data, classPath, FROM, false);
    for (int run = 0; run < repeat; run++) {
      for (int to : TO) {
        for (boolean ingest : new boolean[] {false, true}) {
          if (settings.quick() && ingest == (to == TO.get(0))) {
            continue;
          }
          flink(harness, "run", data, classPath, to, ingest);
        }
      }
    }
    Directories.delete(data);
  }

  private static void flink(
      Harness harness, String mode, Path data, String classPath, int to, boolean ingest) {
    List<String> options = new ArrayList<>(OPENS);
    options.add("-Xmx2g");
    harness.run(
        options,
        classPath,
        MAIN,
        "mode=" + mode,
        "directory=" + data,
        "rows=" + (harness.settings().quick() ? QUICK_ROWS : ROWS),
        "valueBytes=" + Rows.VALUE_BYTES,
        "from=" + FROM,
        "to=" + to,
        "ingest=" + ingest);
  }

  @Override
  public void report(Figures figures, Markdown out) {
    Figures own = figures.named(FLINK);
    out.heading("Beside Apache Flink");
    out.paragraph(
        "Flink "
            + own.values("version").stream().findFirst().orElse("?")
            + ", a mini cluster in one process, RocksDB backend, incremental checkpoint of two steps,"
            + " max parallelism 128, one value a key; other options as they come. The clock starts"
            + " with the submission of the job. *start*: until the last subtask is open, the same"
            + " job without state; *open*: the same with the checkpoint, so that backends have been"
            + " built; *readable*: until every subtask has read a row it restored. Then every row"
            + " is read and compared. Flink has no repartition of its own: it rescales whenever it"
            + " restores, and Reshard's restore comes after its repartition.");
    List<List<String>> rows = new ArrayList<>();
    for (Figures step : ReferencePart.steps(own)) {
      for (Object ingest : step.values("ingest")) {
        Figures mode = step.where("ingest", ingest);
        rows.add(
            List.of(
                ReferencePart.label(step)
                    + (ingest.equals(true) ? ", ingest-db restore" : ", default restore"),
                Markdown.number(mode.median("rows")),
                Markdown.number(mode.median("startSeconds")),
                Markdown.number(mode.median("openSeconds")),
                Markdown.number(mode.median("seconds")),
                Markdown.number(mode.median("cpuSeconds"))));
      }
    }
    out.table(List.of("parallelism", "rows", "start, s", "open, s", "readable, s", "CPU, s"), rows);
  }

  @Override
  public List<Target> targets(Figures figures) {
    return List.of();
  }
}
