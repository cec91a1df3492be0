package io.reshard.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Makes the report and the chart from the raw figures of every part that has been run. */
final class Report {
  /** Name of the figure that says that a part did not get to its end. */
  static final String FAILED = "failed";

  private static final String CHART = "chart.svg";

  private Report() {}

  static void write(Settings settings) {
    Map<String, Figures> byPart = new LinkedHashMap<>();
    for (Part part : Part.all()) {
      byPart.put(part.name(), Figures.load(file(settings, part)));
    }
    Markdown out = new Markdown();
    out.paragraph("# Results");
    out.paragraph(
        "Written by `./benchmarks/run`; [how to run and to read it](README.md). Medians; × is how"
            + " many times as long, or as fast where it says faster.");
    out.paragraph(String.join("\n", Environment.describe(byPart)));
    targets(settings, byPart, out);
    out.paragraph("![chart](" + settings.reportDirectory().relativize(chart(settings)) + ")");
    for (Part part : Part.all()) {
      section(part, measured(byPart, part), out);
    }
    save(settings.report(), out.toString().stripTrailing() + "\n");
    save(chart(settings), new Chart(byPart).toString());
  }

  static Path file(Settings settings, Part part) {
    return settings.results().resolve(part.name() + ".json");
  }

  private static Path chart(Settings settings) {
    return settings.results().resolve(CHART);
  }

  /** What a part measured: without what the report knows of it besides. */
  private static Figures measured(Map<String, Figures> byPart, Part part) {
    Figures all = byPart.getOrDefault(part.name(), new Figures(List.of()));
    return new Figures(
        all.all().stream().filter(f -> !Environment.NAME.equals(f.get("name"))).toList());
  }

  private static void section(Part part, Figures figures, Markdown out) {
    for (Map<String, Object> failure : figures.named(FAILED).all()) {
      out.paragraph("**" + part.name() + " did not get to its end:** " + failure.get("why"));
    }
    if (figures.all().size() > figures.named(FAILED).all().size()) {
      part.report(figures, out);
    }
  }

  private static void targets(Settings settings, Map<String, Figures> byPart, Markdown out) {
    Properties notes = notes(settings);
    List<List<String>> rows = new ArrayList<>();
    Map<String, String> explained = new LinkedHashMap<>();
    for (Part part : Part.all()) {
      for (Target target : part.targets(measured(byPart, part))) {
        rows.add(List.of(target.text(), target.wanted(), target.found(), target.verdict()));
        String note = notes.getProperty(target.id());
        if (!target.isMet() && note != null) {
          explained.put(target.id(), note);
        }
      }
    }
    out.heading("Targets");
    out.table(List.of("", "target", "measured", ""), rows);
    if (!explained.isEmpty()) {
      out.paragraph("What bounds those that were missed:");
      List<String> lines = new ArrayList<>();
      explained.forEach((id, note) -> lines.add("* *" + id + "*: " + note));
      out.paragraph(String.join("\n", lines));
    }
  }

  private static Properties notes(Settings settings) {
    Properties notes = new Properties();
    Path file = settings.home().resolve("notes.properties");
    if (Files.exists(file)) {
      try (var reader = Files.newBufferedReader(file)) {
        notes.load(reader);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return notes;
  }

  private static void save(Path file, String text) {
    try {
      Files.createDirectories(file.resolveSibling("."));
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
