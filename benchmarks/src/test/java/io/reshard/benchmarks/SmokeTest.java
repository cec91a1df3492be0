package io.reshard.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.benchmarks.shared.Figure;
import io.reshard.benchmarks.shared.Rows;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.SetDigest;
import io.reshard.sst.Compression;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs every harness at a tiny scale, so that none can rot unseen. Says nothing of speed. */
class SmokeTest {
  private static final int ROWS = 500;
  private static final int VALUE_BYTES = 30;

  @TempDir Path directory = Path.of("");

  private Path source = Path.of("");

  @BeforeEach
  void writeSource() {
    source = directory.resolve("source");
    write(Layout.modulo(4));
  }

  private void write(Layout layout) {
    Source.write(source, layout, Compression.LZ4, new Rows(Rows.SEED, VALUE_BYTES), ROWS, true);
  }

  private Job job(int to) {
    return new Job(
        source,
        Directories.empty(directory.resolve("target")),
        4,
        to,
        2,
        Compression.NONE,
        VALUE_BYTES,
        true);
  }

  @Test
  void codec() throws RunnerException {
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include(SstCodec.class.getSimpleName())
                    .param("compression", "LZ4")
                    .forks(0)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(1))
                    .shouldFailOnError(true)
                    .verbosity(VerboseMode.SILENT)
                    .build())
            .run();
    assertThat(results).hasSize(6);
  }

  /** Fails where a rival finds other rows than were written. */
  @Test
  void livePath() throws Exception {
    LivePath.main(
        "directory=" + directory.resolve("live"), "rows=400", "perCommit=100", "repeat=1");
  }

  @ParameterizedTest
  @EnumSource
  void rivals(Rival.Name name) throws Exception {
    for (int to : new int[] {2, 8, 6}) {
      Job job = job(to);
      Rival rival = name.rival();
      rival.prepare(job);
      rival.repartition(job);
      int shards = name == Rival.Name.COPY ? job.from() : to;
      SetDigest expected = Source.digest(source);
      assertThat(expected.count()).isEqualTo(ROWS);
      RowCheck.check(job, Layout.modulo(shards), rival, expected);
    }
  }

  @Test
  void aRowThatIsMissingIsFound() {
    Job job = job(2);
    Rival rival = Rival.Name.COPY.rival();
    SetDigest more = Source.digest(source);
    more.add(more.copy());
    assertThatThrownBy(
            () -> {
              rival.repartition(job);
              RowCheck.check(job, Layout.modulo(4), rival, more);
            })
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected " + more);
  }

  @Test
  void aRowInTheWrongShardIsFound() {
    Job job = job(2);
    Rival rival = Rival.Name.COPY.rival();
    assertThatThrownBy(
            () -> {
              rival.repartition(job);
              RowCheck.check(job, Layout.modulo(8), rival, Source.digest(source));
            })
        .hasStackTraceContaining("expected in");
  }

  @Test
  void repartitionRun() {
    Figures figures =
        new Figures(
            figures(
                () ->
                    RepartitionRun.main(
                        "rival=reshard",
                        "name=rewrite",
                        "source=" + source,
                        "warm=" + source,
                        "target=" + directory.resolve("target"),
                        "from=4",
                        "to=2")));
    assertThat(figures.named("rewrite").median("rows")).hasValue(ROWS);
    assertThat(figures.median("verifyCpuSeconds")).isPresent();
  }

  @Test
  void chainRun() {
    write(Layout.slots(4));
    Figures figures =
        new Figures(
            figures(
                () ->
                    ChainRun.main(
                        "name=reference",
                        "source=" + source,
                        "warm=" + source,
                        "target=" + directory.resolve("target"),
                        "layout=slots",
                        "from=4",
                        "to=2,4")));
    assertThat(ReferencePart.steps(figures))
        .extracting(ReferencePart::label)
        .containsExactly("4→2", "2→4");
    assertThat(figures.where("to", 2).median("bytesWritten")).hasValue(0);
  }

  /** What JMH writes, in short. */
  @Test
  void jmhResults() throws Exception {
    String json =
        """
        [{"benchmark": "io.reshard.benchmarks.SstCodec.scanReshard", "mode": "avgt",
          "params": {"compression": "LZ4"},
          "primaryMetric": {"score": 31.5, "scoreError": 1, "rawData": [[30, 33]]},
          "secondaryMetrics": {}},
         {"benchmark": "io.reshard.benchmarks.SstCodec.scanRocks", "mode": "avgt",
          "params": {"compression": "LZ4"},
          "primaryMetric": {"score": 400.25, "scoreError": 1, "rawData": [[30, 33]]}}]
        """;
    assertThat(CodecPart.read(json, "17"))
        .extracting(Figure::toString)
        .containsExactly(
            "{\"name\":\"codec\",\"operation\":\"scan\",\"rival\":\"reshard\","
                + "\"compression\":\"LZ4\",\"jdk\":\"17\",\"nanos\":31.5}",
            "{\"name\":\"codec\",\"operation\":\"scan\",\"rival\":\"rocksdbjni\","
                + "\"compression\":\"LZ4\",\"jdk\":\"17\",\"nanos\":400.25}");
  }

  @Test
  void report() throws Exception {
    Settings settings =
        new Settings(false, List.of(), ROWS, 5, directory, directory, directory, List.of(), "abc");
    List<Map<String, Object>> figures = new ArrayList<>();
    figures.add(Environment.now(settings));
    for (double seconds : new double[] {0.01, 0.03, 0.02}) {
      figures.add(step("reference", 0, seconds));
    }
    figures.add(step("rewrite", 100, 0.5));
    new Figures(figures).save(settings.results().resolve("reference.json"));
    Files.writeString(
        directory.resolve("notes.properties"), "reference-speed=the fsync of the manifest");
    Report.write(settings);
    String text = Files.readString(settings.report());
    assertThat(text)
        .contains("| slots 4→2, data bytes rewritten | ≤ 0 bytes | 0 bytes | met |")
        .contains(
            "| slots 4→2, faster than the rewrite of the same rows | ≥ 50.0 × | 25.0 × |"
                + " **missed** by 2.00 × |")
        .contains("the fsync of the manifest")
        .contains("commit abc")
        .doesNotContain("Spark");
    assertThat(Files.readString(settings.results().resolve("chart.svg")))
        .startsWith("<svg")
        .contains("0.020 s");
  }

  private static Map<String, Object> step(String name, long written, double seconds) {
    return Figures.parse(
        Figure.of(name)
            .with("from", 4)
            .with("to", 2)
            .with("bytes", 100)
            .with("bytesWritten", written)
            .with("filesReferenced", 4)
            .with("seconds", seconds)
            .toString());
  }

  @FunctionalInterface
  private interface Harnessed {
    void run() throws Exception;
  }

  /** What a harness prints. */
  private static List<Map<String, Object>> figures(Harnessed harness) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      harness.run();
    } catch (Exception e) {
      throw new AssertionError(e);
    } finally {
      System.setOut(before);
    }
    List<Map<String, Object>> figures = new ArrayList<>();
    bytes
        .toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith(Figure.MARK))
        .forEach(line -> figures.add(Figures.parse(line.substring(Figure.MARK.length()))));
    return figures;
  }
}
