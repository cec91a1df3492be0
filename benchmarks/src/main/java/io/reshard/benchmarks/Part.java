package io.reshard.benchmarks;

import java.util.List;

/** A part of the benchmarks: measures, and says what its figures mean. */
interface Part {
  /** Goes on the command line, and names the file of raw figures. */
  String name();

  /** Measures. */
  void run(Harness harness) throws Exception;

  /** Its section of the report, with a heading. */
  void report(Figures figures, Markdown out);

  /** What it was to reach. */
  List<Target> targets(Figures figures);

  /** All of them, in order of the report. */
  static List<Part> all() {
    return List.of(
        new RewritePart(),
        new ReferencePart(),
        new SparkPart(),
        new FlinkPart(),
        new CodecPart(),
        new GrowthPart(),
        new MetadataPart(),
        new LivePart());
  }
}
