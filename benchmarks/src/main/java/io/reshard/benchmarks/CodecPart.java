package io.reshard.benchmarks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.reshard.benchmarks.shared.Figure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Properties;

/** The codec beside RocksDB's own, by JMH; on each JDK that was named. */
final class CodecPart implements Part {
  private static final List<String> OPERATIONS = List.of("scan", "write", "merge");
  private static final List<String> COMPRESSIONS = List.of("NONE", "LZ4", "ZSTD", "SNAPPY");

  @Override
  public String name() {
    return "codec";
  }

  @Override
  public void run(Harness harness) throws IOException {
    List<Path> jdks = new ArrayList<>();
    jdks.add(Path.of(System.getProperty("java.home")));
    jdks.addAll(harness.settings().jdks());
    for (Path jdk : jdks) {
      run(harness, jdk);
    }
  }

  private static void run(Harness harness, Path jdk) throws IOException {
    Settings settings = harness.settings();
    Path data = Directories.empty(settings.fast());
    Path result = data.resolve("jmh.json");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                SstCodec.class.getName().replace(".", "\\.") + "\\.",
                "-rf",
                "json",
                "-rff",
                result.toString(),
                "-jvm",
                jdk.resolve("bin/java").toString(),
                "-jvmArgs",
                "-Xmx2g -Djava.io.tmpdir=" + data,
                "-foe",
                "true"));
    if (settings.quick()) {
      arguments.addAll(
          List.of("-f", "1", "-wi", "0", "-i", "1", "-r", "50ms", "-p", "compression=NONE,LZ4"));
    }
    harness.run(
        List.of("-Xmx256m"),
        System.getProperty("java.class.path"),
        "org.openjdk.jmh.Main",
        arguments.toArray(String[]::new));
    for (Figure figure : read(Files.readString(result), version(jdk))) {
      harness.add(Figures.parse(figure.toString()));
    }
    Directories.delete(data);
  }

  private static String version(Path jdk) throws IOException {
    Properties release = new Properties();
    release.load(Files.newBufferedReader(jdk.resolve("release")));
    return release.getProperty("JAVA_VERSION", "?").replace("\"", "");
  }

  /** What JMH wrote: name, parameter and score of each benchmark. */
  static List<Figure> read(String json, String jdk) throws IOException {
    List<Figure> figures = new ArrayList<>();
    Map<String, String> fields = new LinkedHashMap<>();
    try (JsonParser parser = new JsonFactory().createParser(json)) {
      int depth = 0;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.START_OBJECT) {
          depth++;
        } else if (token == JsonToken.END_OBJECT) {
          depth--;
          if (depth == 0) {
            figures.add(figure(fields, jdk));
            fields.clear();
          }
        } else if (token.isScalarValue() && parser.currentName() != null) {
          fields.putIfAbsent(parser.currentName(), parser.getText());
        }
      }
    }
    return figures;
  }

  private static Figure figure(Map<String, String> fields, String jdk) {
    String benchmark = fields.getOrDefault("benchmark", "");
    String method = benchmark.substring(benchmark.lastIndexOf('.') + 1);
    boolean reshard = method.endsWith("Reshard");
    return Figure.of("codec")
        .with("operation", method.replaceAll("(Reshard|Rocks)$", ""))
        .with("rival", reshard ? "reshard" : "rocksdbjni")
        .with("compression", fields.getOrDefault("compression", ""))
        .with("jdk", jdk)
        .with("nanos", Double.parseDouble(fields.getOrDefault("score", "0")));
  }

  @Override
  public void report(Figures figures, Markdown out) {
    out.heading("The codec");
    out.paragraph(
        "JMH, one thread, nanoseconds for an entry with a value of 100 bytes; checksums verified;"
            + " opening and closing of the file included. RocksDB by direct buffers and read-ahead.");
    for (Object jdk : figures.values("jdk")) {
      List<List<String>> rows = new ArrayList<>();
      for (String operation : OPERATIONS) {
        for (String compression : COMPRESSIONS) {
          Figures cell = cell(figures, jdk, operation, compression);
          OptionalDouble ours = cell.where("rival", "reshard").median("nanos");
          OptionalDouble rocks = cell.where("rival", "rocksdbjni").median("nanos");
          if (ours.isPresent()) {
            rows.add(
                List.of(
                    operation + " " + compression,
                    Markdown.number(ours),
                    Markdown.number(rocks),
                    Markdown.factor(Markdown.ratio(rocks, ours))));
          }
        }
      }
      out.paragraph("**JDK " + jdk + "**");
      out.table(List.of("", "Reshard, ns", "rocksdbjni, ns", "faster"), rows);
    }
  }

  private static Figures cell(Figures figures, Object jdk, String operation, String compression) {
    return figures
        .where("jdk", jdk)
        .where("operation", operation)
        .where("compression", compression);
  }

  @Override
  public List<Target> targets(Figures figures) {
    List<Target> targets = new ArrayList<>();
    for (Object jdk : figures.values("jdk")) {
      String on = " on JDK " + jdk;
      for (String compression : List.of("LZ4", "NONE")) {
        targets.add(limit("codec-scan", figures, jdk, "scan", compression, 35, on));
      }
      targets.add(limit("codec-write-lz4", figures, jdk, "write", "LZ4", 190, on));
      targets.add(limit("codec-write-none", figures, jdk, "write", "NONE", 80, on));
      targets.add(
          Target.atLeast(
              "codec-rival", "slowest cell against rocksdbjni" + on, "×", 1, worst(figures, jdk)));
    }
    return targets;
  }

  private static Target limit(
      String id,
      Figures figures,
      Object jdk,
      String operation,
      String compression,
      double bound,
      String on) {
    return Target.atMost(
        id,
        String.format(Locale.ROOT, "codec, %s %s%s", operation, compression, on),
        "ns",
        bound,
        cell(figures, jdk, operation, compression).where("rival", "reshard").median("nanos"));
  }

  private static OptionalDouble worst(Figures figures, Object jdk) {
    return OPERATIONS.stream()
        .flatMap(
            operation ->
                COMPRESSIONS.stream()
                    .map(compression -> cell(figures, jdk, operation, compression)))
        .map(
            cell ->
                Markdown.ratio(
                    cell.where("rival", "rocksdbjni").median("nanos"),
                    cell.where("rival", "reshard").median("nanos")))
        .filter(OptionalDouble::isPresent)
        .mapToDouble(OptionalDouble::getAsDouble)
        .min();
  }
}
