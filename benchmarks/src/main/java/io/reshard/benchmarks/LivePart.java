package io.reshard.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** The live path: what a store costs while it is used, beside hand-tuned RocksJava. */
final class LivePart implements Part {
  private static final String MAIN = "io.reshard.benchmarks.LivePath";

  @Override
  public String name() {
    return "live";
  }

  @Override
  public void run(Harness harness) {
    Path data = Directories.empty(harness.settings().fast());
    List<String> arguments = new ArrayList<>();
    arguments.add("directory=" + data);
    if (harness.settings().quick()) {
      arguments.add("rows=20000");
      arguments.add("repeat=1");
    }
    harness.run(
        List.of("-Xmx2g", "-XX:+UseParallelGC"),
        System.getProperty("java.class.path"),
        MAIN,
        arguments.toArray(String[]::new));
    Directories.delete(data);
  }

  @Override
  public void report(Figures figures, Markdown out) {
    out.heading("The live path");
    out.paragraph(
        "Nanoseconds for an operation, one thread, medians; RocksJava by hand does the same work.");
    List<List<String>> rows = new ArrayList<>();
    for (Object operation : figures.values("operation")) {
      Figures own = figures.where("operation", operation);
      OptionalDouble ours = own.where("rival", "reshard").median("nanos");
      OptionalDouble rocks = own.where("rival", "rocksdbjni").median("nanos");
      rows.add(
          List.of(
              String.valueOf(operation),
              Markdown.number(ours),
              Markdown.number(rocks),
              Markdown.factor(Markdown.ratio(ours, rocks))));
    }
    out.table(List.of("", "Reshard, ns", "RocksJava, ns", "ratio"), rows);
  }

  @Override
  public List<Target> targets(Figures figures) {
    List<Target> targets = new ArrayList<>();
    for (Object operation : figures.values("operation")) {
      String name = String.valueOf(operation).toLowerCase(Locale.ROOT);
      if (name.contains("put") || name.contains("get")) {
        Figures own = figures.where("operation", operation);
        targets.add(
            Target.atMost(
                "live",
                "live path, " + operation + ", against hand-tuned RocksJava",
                "×",
                1.15,
                Markdown.ratio(
                    own.where("rival", "reshard").median("nanos"),
                    own.where("rival", "rocksdbjni").median("nanos"))));
      }
    }
    return targets;
  }
}
