package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Rows;
import io.reshard.checkpoint.Layout;
import io.reshard.sst.Compression;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Every row moves: a store in the modulo layout, by Reshard, by RocksJava in two ways, and the mere
 * copy of its bytes. Rivals take turns.
 */
final class RewritePart implements Part {
  private static final String FAST = "rewrite";
  private static final String COLD = "rewrite-cold";
  private static final String DISK = "rewrite-disk";

  /** Runs without compression, which tell nothing new of the rivals. */
  private static final int REPEAT_NONE = 3;

  /** A change of the number of shards. */
  record Step(int from, int to) {
    @Override
    public String toString() {
      return from + "→" + to;
    }
  }

  /** A rival as it is run. */
  private record Variant(Rival.Name rival, int threads, String label) {}

  private static final List<Variant> VARIANTS =
      List.of(
          new Variant(Rival.Name.RESHARD, 1, "Reshard, 1 thread"),
          new Variant(Rival.Name.RESHARD, 2, "Reshard, 2 threads"),
          new Variant(Rival.Name.PUT, 1, "RocksJava put"),
          new Variant(Rival.Name.SST, 1, "RocksJava SST streaming"),
          new Variant(Rival.Name.COPY, 1, "copy of the files"),
          new Variant(Rival.Name.COPY, 2, "copy of the files, 2 threads"));

  private static final List<Compression> COMPRESSIONS = List.of(Compression.LZ4, Compression.NONE);

  @Override
  public String name() {
    return "rewrite";
  }

  static List<Step> steps(Settings settings) {
    return List.of(
        new Step(settings.shards(200), settings.shards(100)),
        new Step(settings.shards(100), settings.shards(400)));
  }

  @Override
  public void run(Harness harness) {
    for (Compression compression : COMPRESSIONS) {
      for (Step step : steps(harness.settings())) {
        runFast(harness, compression, step);
      }
    }
    for (Step step : steps(harness.settings())) {
      runOnDisk(harness, step);
    }
  }

  private static void runFast(Harness harness, Compression compression, Step step) {
    Path data = harness.settings().fast();
    sources(harness, data, compression, step, true);
    int repeat = harness.settings().repeat();
    if (compression == Compression.NONE) {
      repeat = Math.min(repeat, REPEAT_NONE);
    }
    for (int run = 0; run < repeat; run++) {
      for (Variant variant : VARIANTS) {
        measure(harness, FAST, data, compression, step, variant, false, false);
      }
      measure(harness, COLD, data, compression, step, VARIANTS.get(1), false, true);
    }
    Directories.delete(data);
  }

  private static void runOnDisk(Harness harness, Step step) {
    Path data = harness.settings().disk();
    sources(harness, data, Compression.LZ4, step, false);
    for (int run = 0; run < harness.settings().repeat(); run++) {
      measure(harness, DISK, data, Compression.LZ4, step, VARIANTS.get(1), true, false);
      measure(harness, DISK, data, Compression.LZ4, step, VARIANTS.get(4), true, false);
    }
    Directories.delete(data);
  }

  private static void sources(
      Harness harness, Path data, Compression compression, Step step, boolean databases) {
    Directories.empty(data);
    harness.sources(
        data,
        Layout.modulo(step.from),
        compression,
        harness.settings().rows(),
        Rows.VALUE_BYTES,
        databases);
  }

  private static void measure(
      Harness harness,
      String name,
      Path data,
      Compression compression,
      Step step,
      Variant variant,
      boolean fsync,
      boolean cold) {
    harness.measure(
        RepartitionRun.class,
        "name=" + name,
        "rival=" + variant.rival.label(),
        "source=" + data.resolve("source"),
        "warm=" + data.resolve("warm"),
        "target=" + data.resolve("target"),
        "from=" + step.from,
        "to=" + step.to,
        "threads=" + variant.threads,
        "compression=" + compression,
        "valueBytes=" + Rows.VALUE_BYTES,
        "fsync=" + fsync,
        "cold=" + cold);
  }

  @Override
  public void report(Figures figures, Markdown out) {
    out.heading("Every row moves: rewrite in the modulo layout");
    out.paragraph(
        String.format(
            Locale.ROOT,
            "%s rows, keys of 16 to 24 bytes, values of %d bytes, two overlapping files on level 0 in"
                + " each shard. Wall seconds; CPU is that of the whole process, in nanoseconds for a"
                + " row. Reshard's figures include the read-back proof, SHA-256 of every file, and"
                + " the publish.",
            Markdown.number(figures.median("rows")),
            Rows.VALUE_BYTES));
    for (Compression compression : COMPRESSIONS) {
      for (Step step : found(figures)) {
        reportFast(select(figures.named(FAST), compression, step), compression, step, out);
      }
    }
    List<List<String>> rows = new ArrayList<>();
    for (Step step : found(figures)) {
      Figures disk = select(figures.named(DISK), Compression.LZ4, step);
      Figures cold = select(figures.named(COLD), Compression.LZ4, step);
      OptionalDouble copy = of(disk, VARIANTS.get(4)).median("seconds");
      OptionalDouble ours = of(disk, VARIANTS.get(1)).median("seconds");
      rows.add(
          List.of(
              step.toString(),
              Markdown.number(ours),
              Markdown.number(copy),
              Markdown.factor(Markdown.ratio(ours, copy)),
              Markdown.number(cold.median("seconds"))));
    }
    out.paragraph("On a disk, with fsync of every file; and from a cold start (LZ4, 2 threads):");
    out.table(
        List.of(
            "",
            "Reshard on disk, s",
            "copy and fsync, s",
            "ratio",
            "cold start of the JVM, tmpfs, s"),
        rows);
  }

  private static void reportFast(
      Figures figures, Compression compression, Step step, Markdown out) {
    if (figures.isEmpty()) {
      return;
    }
    OptionalDouble best = of(figures, VARIANTS.get(0)).median("seconds");
    List<List<String>> rows = new ArrayList<>();
    for (Variant variant : VARIANTS) {
      Figures own = of(figures, variant);
      OptionalDouble seconds = own.median("seconds");
      rows.add(
          List.of(
              variant.label,
              Integer.toString(own.all().size()),
              Markdown.number(seconds),
              Markdown.number(own.least("seconds"))
                  + " to "
                  + Markdown.number(own.greatest("seconds")),
              Markdown.number(nanosPerRow(own, "cpuSeconds")),
              Markdown.factor(Markdown.ratio(seconds, best))));
    }
    out.paragraph(
        String.format(
            Locale.ROOT,
            "**%s, %s**, source %s MB:",
            step,
            compression,
            Markdown.number(Markdown.times(figures.median("sourceBytes"), 1e-6))));
    out.table(
        List.of("", "runs", "s, median", "range", "CPU ns/row", "of Reshard's 1 thread"), rows);
  }

  private static List<Step> found(Figures figures) {
    List<Step> steps = new ArrayList<>();
    for (Object from : figures.values("from")) {
      for (Object to : figures.where("from", from).values("to")) {
        steps.add(new Step(((Number) from).intValue(), ((Number) to).intValue()));
      }
    }
    return steps;
  }

  private static Figures select(Figures figures, Compression compression, Step step) {
    return figures
        .where("compression", compression.name())
        .where("from", step.from)
        .where("to", step.to);
  }

  private static Figures of(Figures figures, Variant variant) {
    return figures.where("rival", variant.rival.label()).where("threads", variant.threads);
  }

  private static OptionalDouble nanosPerRow(Figures figures, String key) {
    return Markdown.times(Markdown.ratio(figures.median(key), figures.median("rows")), 1e9);
  }

  @Override
  public List<Target> targets(Figures figures) {
    List<Target> targets = new ArrayList<>();
    for (Step step : found(figures)) {
      for (Compression compression : COMPRESSIONS) {
        cpuTargets(select(figures.named(FAST), compression, step), compression, step, targets);
      }
      Figures fast = select(figures.named(FAST), Compression.LZ4, step);
      Figures disk = select(figures.named(DISK), Compression.LZ4, step);
      OptionalDouble one = of(fast, VARIANTS.get(0)).median("seconds");
      OptionalDouble two = of(fast, VARIANTS.get(1)).median("seconds");
      targets.add(
          Target.atLeast(
              "rewrite-put",
              "rewrite " + step + " LZ4, faster than RocksJava put, one thread each",
              "×",
              8,
              Markdown.ratio(of(fast, VARIANTS.get(2)).median("seconds"), one)));
      targets.add(
          Target.atLeast(
              "rewrite-sst",
              "rewrite " + step + " LZ4, faster than RocksJava SST streaming, one thread each",
              "×",
              4,
              Markdown.ratio(of(fast, VARIANTS.get(3)).median("seconds"), one)));
      targets.add(
          Target.atMost(
              "rewrite-copy",
              "rewrite " + step + " LZ4, 2 threads, against a copy on tmpfs",
              "×",
              6,
              Markdown.ratio(two, of(fast, VARIANTS.get(4)).median("seconds"))));
      targets.add(
          Target.atMost(
              "rewrite-disk",
              "rewrite " + step + " LZ4, 2 threads, against copy and fsync on disk",
              "×",
              2,
              Markdown.ratio(
                  of(disk, VARIANTS.get(1)).median("seconds"),
                  of(disk, VARIANTS.get(4)).median("seconds"))));
    }
    return targets;
  }

  private static void cpuTargets(
      Figures figures, Compression compression, Step step, List<Target> targets) {
    boolean packed = compression == Compression.LZ4;
    Figures own = of(figures, VARIANTS.get(0));
    String what = "rewrite " + step + " " + compression + ", CPU of a row ";
    OptionalDouble all = nanosPerRow(own, "cpuSeconds");
    OptionalDouble proof = nanosPerRow(own, "verifyCpuSeconds");
    targets.add(
        Target.atMost("rewrite-proof", what + "with the proof", "ns", packed ? 310 : 220, all));
    targets.add(
        Target.atMost(
            "rewrite-plain",
            what + "without the proof (less what reading the result once more costs)",
            "ns",
            packed ? 230 : 140,
            all.isPresent() && proof.isPresent()
                ? OptionalDouble.of(all.getAsDouble() - proof.getAsDouble())
                : OptionalDouble.empty()));
  }
}
