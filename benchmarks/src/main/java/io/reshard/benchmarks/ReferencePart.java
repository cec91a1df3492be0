package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Rows;
import io.reshard.checkpoint.Layout;
import io.reshard.sst.Compression;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** No row moves: the same rows in the slots layout, and counts for which some must. */
final class ReferencePart implements Part {
  private static final String REFERENCE = "reference";
  private static final String PARTIAL = "partial";
  private static final String REWRITE = "rewrite";

  @Override
  public String name() {
    return "reference";
  }

  @Override
  public void run(Harness harness) {
    Settings settings = harness.settings();
    int a = settings.shards(200);
    int b = settings.shards(100);
    chain(harness, REFERENCE, Layout.slots(a), b + "," + settings.shards(400));
    chain(harness, REWRITE, Layout.modulo(a), b + "," + settings.shards(400));
    chain(harness, PARTIAL, Layout.slots(a - 1), Integer.toString(a));
    chain(harness, PARTIAL, Layout.slots(a), Integer.toString(a + b));
  }

  private static void chain(Harness harness, String name, Layout layout, String to) {
    int rows = harness.settings().rows();
    Path data = harness.settings().fast();
    Directories.empty(data);
    harness.sources(data, layout, Compression.LZ4, rows, Rows.VALUE_BYTES, false);
    for (int run = 0; run < harness.settings().repeat(); run++) {
      measure(harness, name, data, layout, to, Rows.VALUE_BYTES);
    }
    Directories.delete(data);
  }

  /** Runs a chain once. */
  static void measure(
      Harness harness, String name, Path data, Layout layout, String to, int valueBytes) {
    harness.measure(
        ChainRun.class,
        "name=" + name,
        "source=" + data.resolve("source"),
        "warm=" + data.resolve("warm"),
        "target=" + data.resolve("target"),
        "layout=" + layout.kind().label(),
        "from=" + layout.shards(),
        "to=" + to,
        "threads=2",
        "valueBytes=" + valueBytes);
  }

  /** Different steps, as they come. */
  static List<Figures> steps(Figures figures) {
    List<Figures> steps = new ArrayList<>();
    for (Object from : figures.values("from")) {
      Figures same = figures.where("from", from);
      same.values("to").forEach(to -> steps.add(same.where("to", to)));
    }
    return steps;
  }

  static String label(Figures step) {
    return step.values("from").get(0) + "→" + step.values("to").get(0);
  }

  @Override
  public void report(Figures figures, Markdown out) {
    out.heading("No row moves: the slots layout");
    out.paragraph(
        "The same rows, two threads, from opening the store to the published version. *rewritten* is"
            + " the share of the bytes that had to be written anew.");
    List<List<String>> rows = new ArrayList<>();
    for (String name : List.of(REFERENCE, PARTIAL, REWRITE)) {
      for (Figures step : steps(figures.named(name))) {
        rows.add(
            List.of(
                (name.equals(REWRITE) ? "modulo " : "slots ") + label(step),
                Markdown.number(step.median("seconds")),
                Markdown.number(Markdown.times(step.median("bytes"), 1e-6)),
                Markdown.number(step.median("filesReferenced")),
                Markdown.number(rewritten(step)) + " %"));
      }
    }
    out.table(List.of("", "s, median", "state, MB", "files referenced", "rewritten"), rows);
  }

  private static OptionalDouble rewritten(Figures step) {
    return Markdown.times(Markdown.ratio(step.median("bytesWritten"), step.median("bytes")), 100);
  }

  /** Figures of the same step under another name. */
  static Figures sameStep(Figures others, Figures step) {
    return others.where("from", step.values("from").get(0)).where("to", step.values("to").get(0));
  }

  @Override
  public List<Target> targets(Figures figures) {
    List<Target> targets = new ArrayList<>();
    for (Figures step : steps(figures.named(REFERENCE))) {
      Figures rewrite = sameStep(figures.named(REWRITE), step);
      targets.add(
          Target.atMost(
              "reference-bytes",
              "slots " + label(step) + ", data bytes rewritten",
              "bytes",
              0,
              step.greatest("bytesWritten")));
      targets.add(
          Target.atLeast(
              "reference-speed",
              "slots " + label(step) + ", faster than the rewrite of the same rows",
              "×",
              50,
              Markdown.ratio(rewrite.median("seconds"), step.median("seconds"))));
    }
    for (Figures step : steps(figures.named(PARTIAL))) {
      targets.add(
          Target.atMost(
              "reference-partial",
              "slots " + label(step) + ", share rewritten",
              "%",
              40,
              rewritten(step)));
    }
    return targets;
  }
}
