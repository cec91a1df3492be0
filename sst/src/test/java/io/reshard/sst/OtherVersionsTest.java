package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The matrix of formats with other versions of RocksDB, each in a process of its own: what Spark
 * 3.5 and 4 use, and the newest of each format version. Their jars are where the build's profile
 * "slow" puts them.
 */
@Tag("slow")
class OtherVersionsTest {
  private static final int ENTRIES = 250;
  private static final int MINUTES = 10;

  @TempDir Path directory;

  /** A version, and what it writes when nobody asks for anything. */
  enum Version {
    V8_3_2("8.3.2", 803, 5, "Snappy"),
    V9_8_4("9.8.4", 908, 6, "Snappy"),
    V10_10_1("10.10.1", 1010, 6, "Snappy"),
    V11_1_2("11.1.2", 1101, 7, "Snappy"),
    V11_8_1("11.8.1", 1108, 7, "LZ4");

    final String name;
    final int number;
    final int defaultFormat;
    final String defaultCompression;

    Version(String name, int number, int defaultFormat, String defaultCompression) {
      this.name = name;
      this.number = number;
      this.defaultFormat = defaultFormat;
      this.defaultCompression = defaultCompression;
    }

    Path jar() {
      return Path.of(System.getProperty("reshard.rocksdb.jars", "target/rocksdb"))
          .resolve("rocksdbjni-" + name + ".jar");
    }

    /** The format versions written here that it reads. */
    List<String> formats() {
      return number >= 1004
          ? List.of("5", "6", "7")
          : number >= 806 ? List.of("5", "6") : List.of("5");
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatItWritesIsRead(Version version) throws IOException, InterruptedException {
    List<Cell> cells = FormatMatrixTest.rocksCells(version.number);
    run(version, "write", cells);
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      FormatMatrixTest.checkRead(
          cell, directory.resolve(i + ".sst"), RocksPeer.entries(cell, ENTRIES));
    }
  }

  @ParameterizedTest
  @EnumSource
  void itTakesWhatIsWritten(Version version) throws IOException, InterruptedException {
    List<Cell> cells = FormatMatrixTest.ourCells(version.formats());
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      Path unused =
          Entry.write(
              directory.resolve(i + ".sst"),
              FormatMatrixTest.options(cell),
              RocksPeer.entries(cell, ENTRIES));
    }
    run(version, "check", cells);
  }

  @ParameterizedTest
  @EnumSource
  void whatItWritesByDefaultIsRead(Version version) throws IOException, InterruptedException {
    List<Cell> cells =
        Stream.of("external", "flush", "ingested", "compacted")
            .map(origin -> new Cell(Map.of(RocksPeer.ORIGIN, origin)))
            .toList();
    run(version, "write", cells);
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      Path file = directory.resolve(i + ".sst");
      FormatMatrixTest.checkRead(cell, file, RocksPeer.entries(cell, ENTRIES));
      try (SstReader reader = SstReader.open(SstSource.ofFile(file), 2)) {
        assertThat(reader.properties().formatVersion()).isEqualTo(version.defaultFormat);
        assertThat(reader.properties().compression()).isEqualTo(version.defaultCompression);
      }
    }
  }

  private void run(Version version, String mode, List<Cell> cells)
      throws IOException, InterruptedException {
    assertThat(version.jar())
        .as("run the build with profile 'slow', or point reshard.rocksdb.jars at the jars")
        .exists();
    Path unused =
        Files.write(
            directory.resolve(RocksPeer.CELLS_FILE), cells.stream().map(Cell::toString).toList());
    Path log = directory.resolve("log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-Djava.io.tmpdir=" + directory));
    command.add("-Dreshard.seed=" + Entry.seed());
    command.addAll(List.of("-cp", classPath(version), RocksPeer.class.getName()));
    command.addAll(List.of(mode, directory.toString(), Integer.toString(ENTRIES)));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES)).isTrue();
    } finally {
      Process unusedProcess = process.destroyForcibly();
    }
    // RocksDB writes to it, too, and not always in UTF-8.
    String said = new String(Files.readAllBytes(log), StandardCharsets.ISO_8859_1);
    assertThat(process.exitValue()).as("seed %s: %s", Entry.seed(), said).isZero();
    assertThat(said.lines().filter(line -> line.startsWith("done "))).hasSize(cells.size());
  }

  /** Ours, with another RocksDB in the place of the one there. */
  private static String classPath(Version version) {
    String own =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", ""));
    return Stream.concat(
            Stream.of(version.jar().toString()),
            Stream.of(own.split(File.pathSeparator))
                .filter(entry -> !new File(entry).getName().startsWith("rocksdbjni-")))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
