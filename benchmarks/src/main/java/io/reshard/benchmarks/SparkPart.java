package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Rows;
import io.reshard.checkpoint.Layout;
import io.reshard.sst.Compression;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Spark's own repartition of a streaming query's state, beside Reshard's of the same rows. */
final class SparkPart implements Part {
  private static final String MAIN = "io.reshard.benchmarks.spark.SparkRepartition";
  private static final String SPARK = "spark";
  private static final int ROWS = 1_000_000;
  private static final int QUICK_ROWS = 2_000;
  private static final int REPEAT = 3;

  /** What Spark asks of Java 17 and later (its own launcher gives the same). */
  private static final List<String> OPENS =
      Stream.of(
              "java.lang",
              "java.lang.invoke",
              "java.lang.reflect",
              "java.io",
              "java.net",
              "java.nio",
              "java.util",
              "java.util.concurrent",
              "java.util.concurrent.atomic",
              "sun.nio.ch",
              "sun.nio.cs",
              "sun.security.action",
              "sun.util.calendar")
          .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
          .toList();

  @Override
  public String name() {
    return SPARK;
  }

  @Override
  public void run(Harness harness) {
    Settings settings = harness.settings();
    int rows = settings.quick() ? QUICK_ROWS : ROWS;
    int repeat = Math.min(REPEAT, settings.repeat());
    int[] counts = {
      sparkShards(settings, 200), sparkShards(settings, 100), sparkShards(settings, 400)
    };
    Path data = Directories.empty(settings.fast());
    spark(harness, "make", data, rows, counts);
    for (int run = 0; run < repeat; run++) {
      spark(harness, "run", data, rows, counts);
    }
    Directories.delete(data);
    for (Layout layout : List.of(Layout.modulo(counts[0]), Layout.slots(counts[0]))) {
      Directories.empty(data);
      harness.sources(data, layout, Compression.LZ4, rows, Rows.VALUE_BYTES, false);
      for (int run = 0; run < settings.repeat(); run++) {
        ReferencePart.measure(
            harness,
            layout.kind().label(),
            data,
            layout,
            counts[1] + "," + counts[2],
            Rows.VALUE_BYTES);
      }
      Directories.delete(data);
    }
  }

  /** Spark takes a good part of a second for each partition, however few rows it has. */
  private static int sparkShards(Settings settings, int full) {
    return settings.quick() ? full / 50 : full;
  }

  private static void spark(Harness harness, String mode, Path data, int rows, int[] counts) {
    Path home = harness.settings().home().resolve("spark/target");
    List<String> options = new ArrayList<>(OPENS);
    options.addAll(List.of("-Xmx4g", "-Djdk.reflect.useDirectMethodHandle=false"));
    harness.run(
        options,
        classPath(home),
        MAIN,
        "mode=" + mode,
        "directory=" + data,
        "rows=" + rows,
        "valueBytes=" + Rows.VALUE_BYTES,
        "counts=" + String.join(",", Arrays.stream(counts).mapToObj(Integer::toString).toList()));
  }

  /** The class path of a build of its own. */
  static String classPath(Path target) {
    Path classes = target.resolve("classes");
    Path libraries = target.resolve("lib");
    if (Files.notExists(classes) || Files.notExists(libraries)) {
      throw new IllegalStateException(
          "not built; see the messages of ./benchmarks/run, which builds it from Maven Central");
    }
    return classes + System.getProperty("path.separator") + libraries + "/*";
  }

  @Override
  public void report(Figures figures, Markdown out) {
    out.heading("Beside Apache Spark");
    out.paragraph(
        "Spark "
            + figures.named(SPARK).values("version").stream().findFirst().orElse("?")
            + ", local[2], its own repartition of the RocksDB state of a streaming aggregation"
            + " (`group by key`, one value a key). The query has run to its end in another process;"
            + " the session is up and has repartitioned a small checkpoint; the clock runs around"
            + " the call. Rows before and after are counted and hashed by Spark's state reader."
            + " Reshard: a store of the same keys and values, two threads, warmed the same way.");
    List<List<String>> rows = new ArrayList<>();
    for (Figures step : ReferencePart.steps(figures.named(SPARK))) {
      OptionalDouble spark = step.median("seconds");
      OptionalDouble modulo =
          ReferencePart.sameStep(figures.named("modulo"), step).median("seconds");
      OptionalDouble slots = ReferencePart.sameStep(figures.named("slots"), step).median("seconds");
      rows.add(
          List.of(
              ReferencePart.label(step),
              Markdown.number(step.median("rows")),
              Markdown.number(spark),
              Markdown.number(modulo),
              Markdown.factor(Markdown.ratio(spark, modulo)),
              Markdown.number(slots),
              Markdown.factor(Markdown.ratio(spark, slots))));
    }
    out.table(
        List.of(
            "", "rows", "Spark, s", "Reshard modulo, s", "faster", "Reshard slots, s", "faster"),
        rows);
  }

  @Override
  public List<Target> targets(Figures figures) {
    List<Target> targets = new ArrayList<>();
    for (Figures step : ReferencePart.steps(figures.named(SPARK))) {
      for (String layout : List.of("modulo", "slots")) {
        targets.add(
            Target.atLeast(
                "spark-" + layout,
                layout + " " + ReferencePart.label(step) + ", faster than Spark's repartition",
                "×",
                100,
                Markdown.ratio(
                    step.median("seconds"),
                    ReferencePart.sameStep(figures.named(layout), step).median("seconds"))));
      }
    }
    return targets;
  }
}
