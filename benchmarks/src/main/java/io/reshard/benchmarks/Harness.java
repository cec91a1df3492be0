package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Figure;
import io.reshard.checkpoint.Layout;
import io.reshard.sst.Compression;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs measurements, each in a process of its own, and collects what they print. */
final class Harness {
  private static final String HEAP = "-Xmx2g";
  private static final long MINUTES = 20;

  private final Settings settings;
  private final List<Map<String, Object>> figures = new ArrayList<>();

  Harness(Settings settings) {
    this.settings = settings;
  }

  Settings settings() {
    return settings;
  }

  Figures figures() {
    return new Figures(figures);
  }

  void add(Map<String, Object> figure) {
    figures.add(figure);
  }

  /** Writes a {@link Source} into {@code source/}, and a small one into {@code warm/}. */
  void sources(
      Path directory,
      Layout layout,
      Compression compression,
      int rows,
      int valueBytes,
      boolean databases) {
    measure(
        SourceRun.class,
        "directory=" + directory,
        "layout=" + layout.kind().label(),
        "shards=" + layout.shards(),
        "compression=" + compression,
        "rows=" + rows,
        "valueBytes=" + valueBytes,
        "databases=" + databases);
  }

  /** Runs a main class of this module in a process of its own. */
  void measure(Class<?> main, String... arguments) {
    run(
        List.of(HEAP, "-XX:+UseParallelGC"),
        System.getProperty("java.class.path"),
        main.getName(),
        arguments);
  }

  /** Runs a main class in a process of its own; its figures are kept. */
  void run(List<String> options, String classPath, String main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(java().toString());
    command.addAll(options);
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(List.of(arguments));
    execute(command);
  }

  static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  private void execute(List<String> command) {
    long start = System.nanoTime();
    List<String> text = new ArrayList<>();
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      try (BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
          take(line, text);
        }
        if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
          throw new IllegalStateException("no end after " + MINUTES + " minutes: " + main(command));
        }
      } finally {
        process.destroyForcibly();
      }
      if (process.exitValue() != 0) {
        text.forEach(System.err::println);
        throw new IllegalStateException(
            "exit code " + process.exitValue() + " of " + main(command));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    trace(command, (System.nanoTime() - start) / 1e9);
  }

  private void take(String line, List<String> text) {
    if (line.startsWith(Figure.MARK)) {
      keep(Figures.parse(line.substring(Figure.MARK.length())));
    } else if (line.startsWith("{")) {
      keep(Figures.parse(line));
    } else {
      text.add(line);
    }
  }

  private void keep(Map<String, Object> figure) {
    Object name = figure.remove("figure");
    if (name != null) {
      figure.putIfAbsent("name", name);
    }
    figures.add(figure);
    System.err.println("  " + Figures.write(figure));
  }

  private static void trace(List<String> command, double seconds) {
    System.err.printf(
        Locale.ROOT,
        "  [%5.1f s] %s %s%n",
        seconds,
        main(command),
        String.join(" ", command.subList(command.indexOf("-cp") + 3, command.size())));
  }

  private static String main(List<String> command) {
    String name = command.get(command.indexOf("-cp") + 2);
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
