package io.reshard.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Stores of 1 TB and 100 TB: real manifests, plans and publishes, faked data files. */
final class MetadataPart implements Part {
  private static final String MAIN = "io.reshard.benchmarks.MetadataScale";
  private static final String NAME = "metadata-scale";
  private static final long TERABYTE_FILES = 100_000;

  @Override
  public String name() {
    return "metadata";
  }

  /** A change of the number of shards of a store of so many files, with so much heap. */
  private record Scenario(int files, int from, int to, String heap) {}

  private static List<Scenario> scenarios(boolean quick) {
    List<Scenario> scenarios = new ArrayList<>();
    if (quick) {
      return List.of(new Scenario(2_000, 100, 50, "1g"), new Scenario(2_000, 99, 100, "1g"));
    }
    for (int shards : new int[] {200, 1_000, 10_000}) {
      scenarios.add(new Scenario(16_384, shards, shards / 2, "1g"));
      scenarios.add(new Scenario(16_384, shards / 2, 2 * shards, "1g"));
      scenarios.add(new Scenario(16_384, shards, shards * 3 / 2, "1g"));
    }
    scenarios.add(new Scenario(1_638_400, 1_000, 500, "4g"));
    scenarios.add(new Scenario(1_638_400, 10_000, 15_000, "4g"));
    return scenarios;
  }

  @Override
  public void run(Harness harness) {
    Path data = harness.settings().fast();
    for (Scenario scenario : scenarios(harness.settings().quick())) {
      Directories.empty(data);
      step(harness, data, scenario, "8g", "make");
      step(harness, data, scenario, scenario.heap, "run");
    }
    Directories.delete(data);
  }

  private static void step(
      Harness harness, Path data, Scenario scenario, String heap, String mode) {
    harness.run(
        List.of("-Xmx" + heap, "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"),
        System.getProperty("java.class.path"),
        MAIN,
        data.resolve("store").toString(),
        mode,
        Integer.toString(scenario.files),
        Integer.toString(scenario.from),
        Integer.toString(scenario.to));
  }

  @Override
  public void report(Figures figures, Markdown out) {
    out.heading("Metadata of large stores");
    out.paragraph(
        "Real manifests, plan, proof and publish on local disk; data files that would only be"
            + " referenced are faked, those that straddle a cut are small. Each in a process of its"
            + " own, cold.");
    List<List<String>> rows = new ArrayList<>();
    for (Figures one : runs(figures)) {
      rows.add(
          List.of(
              label(one),
              Markdown.number(Markdown.times(one.median("bytes"), 1e-12)),
              Markdown.number(one.median("files")),
              Markdown.number(one.median("planSeconds")),
              Markdown.number(one.median("publishSeconds")),
              Markdown.number(Markdown.times(one.median("peakHeapBytes"), 1e-6))));
    }
    out.table(
        List.of("", "state, TB", "files", "open and plan, s", "publish, s", "peak heap, MB"), rows);
  }

  private static List<Figures> runs(Figures figures) {
    return figures.named(NAME).all().stream()
        .map(figure -> new Figures(List.of(figure)))
        .sorted(Comparator.comparing((Figures one) -> isLarge(one)))
        .toList();
  }

  private static boolean isLarge(Figures one) {
    return one.median("files").orElse(0) > TERABYTE_FILES;
  }

  private static String label(Figures one) {
    return one.values("sourceShards").get(0) + "→" + one.values("targetShards").get(0);
  }

  @Override
  public List<Target> targets(Figures figures) {
    if (figures.isEmpty()) {
      return List.of();
    }
    return List.of(
        time("1 TB", false, 2, figures),
        heap("1 TB", false, 1, figures),
        time("100 TB", true, 120, figures),
        heap("100 TB", true, 4, figures));
  }

  private static Target time(String size, boolean large, double bound, Figures figures) {
    return Target.atMost(
        "metadata-time",
        size + ", planned and published, slowest change of count",
        "s",
        bound,
        worst(figures, large, "seconds", 1));
  }

  private static Target heap(String size, boolean large, double bound, Figures figures) {
    return Target.atMost(
        "metadata-heap",
        String.format(Locale.ROOT, "%s, peak heap, largest change of count", size),
        "GB",
        bound,
        worst(figures, large, "peakHeapBytes", 1e-9));
  }

  private static OptionalDouble worst(Figures figures, boolean large, String key, double factor) {
    return runs(figures).stream()
        .filter(one -> isLarge(one) == large)
        .mapToDouble(one -> one.median(key).orElse(Double.NaN) * factor)
        .max();
  }
}
