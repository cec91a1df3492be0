package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Arguments;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What {@code ./benchmarks/run} was asked for.
 *
 * @param quick a tiny scale: says whether the harnesses work, nothing about speed
 * @param only parts to run; empty for all
 * @param rows rows of the large store
 * @param repeat runs of which the median counts
 * @param fast directory for data, on tmpfs where there is one
 * @param disk directory for data on a disk
 * @param home the directory {@code benchmarks}
 * @param jdks homes of further JDKs to measure the codec with
 * @param commit commit of the sources
 */
record Settings(
    boolean quick,
    List<String> only,
    int rows,
    int repeat,
    Path fast,
    Path disk,
    Path home,
    List<Path> jdks,
    String commit) {
  private static final int ROWS = 8_000_000;
  private static final int QUICK_ROWS = 100_000;
  private static final int REPEAT = 5;

  static Settings of(Arguments arguments) {
    boolean quick = arguments.flag("quick");
    return new Settings(
        quick,
        list(arguments.text("only", "")),
        arguments.integer("rows", quick ? QUICK_ROWS : ROWS),
        arguments.integer("repeat", quick ? 1 : REPEAT),
        arguments.path("fast"),
        arguments.path("disk"),
        arguments.path("home"),
        list(arguments.text("jdks", "")).stream().map(Path::of).toList(),
        arguments.text("commit", "unknown"));
  }

  private static List<String> list(String text) {
    return Stream.of(text.split(",")).filter(part -> !part.isBlank()).toList();
  }

  /** Shards of the three sizes of the story 200 to 100 to 400; a tenth of them where quick. */
  int shards(int full) {
    return quick ? Math.max(1, full / 10) : full;
  }

  Path results() {
    return quick ? home.resolve("target/quick/results") : home.resolve("results");
  }

  Path reportDirectory() {
    return quick ? home.resolve("target/quick") : home;
  }

  Path report() {
    return reportDirectory().resolve("RESULTS.md");
  }
}
