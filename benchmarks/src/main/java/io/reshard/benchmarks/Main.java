package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Arguments;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures the parts that were asked for and writes the report. Started by {@code
 * ./benchmarks/run}, which explains the options. Exit code 1 if a part failed; the others are
 * measured all the same.
 */
public final class Main {
  private Main() {}

  /** Runs. */
  public static void main(String... args) {
    Settings settings = Settings.of(Arguments.of(args));
    List<String> failed = new ArrayList<>();
    for (Part part : selected(settings)) {
      if (!measure(part, settings)) {
        failed.add(part.name());
      }
    }
    Report.write(settings);
    System.err.println("report: " + settings.report());
    if (!failed.isEmpty()) {
      System.err.println("failed: " + String.join(", ", failed));
      System.exit(1);
    }
  }

  private static List<Part> selected(Settings settings) {
    List<String> names = Part.all().stream().map(Part::name).toList();
    for (String only : settings.only()) {
      if (!names.contains(only) && !only.equals("none")) {
        throw new IllegalArgumentException("no part '" + only + "'; there are " + names);
      }
    }
    return Part.all().stream()
        .filter(part -> settings.only().isEmpty() || settings.only().contains(part.name()))
        .toList();
  }

  private static boolean measure(Part part, Settings settings) {
    System.err.println(part.name());
    long start = System.nanoTime();
    Harness harness = new Harness(settings);
    harness.add(Environment.now(settings));
    boolean whole = false;
    try {
      part.run(harness);
      whole = true;
    } catch (Exception e) {
      e.printStackTrace();
      Map<String, Object> failure = new LinkedHashMap<>();
      failure.put("name", Report.FAILED);
      failure.put("why", String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
      harness.add(failure);
    } finally {
      Directories.delete(settings.fast());
      Directories.delete(settings.disk());
    }
    harness.figures().save(Report.file(settings, part));
    System.err.printf(Locale.ROOT, "%s: %.0f s%n", part.name(), (System.nanoTime() - start) / 1e9);
    return whole;
  }
}
