package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo on a few flights, and that its independent judge can see. */
class DemoTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"slots", "modulo"})
  void nothingIsLost(String layout) {
    checkDemo("memory", layout);
  }

  @Test
  @Tag("slow")
  void nothingIsLostOnRocksDb() {
    checkDemo("rocksdb", "slots");
    checkDemo("rocksdb", "modulo");
  }

  private static void checkDemo(String backend, String layout) {
    Ran ran = Ran.run("demo", "--rows", "2000", "--backend", backend, "--layout", layout).ok();
    List<String> lines = ran.out().lines().toList();
    assertThat(lines.get(lines.size() - 1)).contains("lost 0", "doubled 0", "changed 0");
    assertThat(ran.out()).contains("200 -> 100", "100 -> 400", "400 -> 200", "from ORD");
  }

  @Test
  void stepsAreJsonAndTheStoreCanBeKept() {
    String store = directory.resolve("kept").toString();
    List<Map<String, Object>> steps =
        Ran.run("demo", "--rows=500", "--backend=memory", "--json", "--store", store).ok().json();
    assertThat(steps.get(0)).containsEntry("step", "load").containsEntry("lost", 0L);
    assertThat(steps.get(steps.size() - 1)).containsEntry("result", "ok");
    assertThat(steps.stream().map(s -> s.get("digest")).filter(d -> d != null).distinct())
        .hasSize(1);
    Ran.run("verify", "--all", "--store", store).ok();
    Ran.run("demo", "--rows=500", "--backend=memory", "--store", store).fails(ExitCode.INVALID);
  }

  @Test
  void rowsOutOfBoundsAreInvalid() {
    Ran.run("demo", "--rows", "0").fails(ExitCode.INVALID).saying("--rows 0");
    Ran.run("demo", "--rows", "10000001").fails(ExitCode.INVALID);
  }

  @Test
  void moreRowsThanTheSampleRepeatItLater() throws IOException {
    ExpectedFlights once = ExpectedFlights.of(FlightSample.open(FlightSample.RECORDS));
    ExpectedFlights more = ExpectedFlights.of(FlightSample.open(FlightSample.RECORDS + 1000L));
    assertThat(more.size()).isGreaterThan(once.size());
  }

  @Test
  void theIndependentJudgeSeesEveryKindOfDifference() throws IOException {
    ExpectedFlights expected =
        ExpectedFlights.of(
            new ByteArrayInputStream(
                "time,origin,destination,delay\n2001-01-01T00:01:00Z,A,B,5\n2001-01-01T00:59:00Z,A,B,-2\n2001-01-01T01:00:00Z,A,B,1\n2001-01-01T01:00:00Z,C,D,1\n"
                    .getBytes(StandardCharsets.UTF_8)));
    expected.startComparison();
    assertThat(expected.difference().lost()).isEqualTo(3);
    expected.compare(List.of("A", "B", "2001-01-01T00:00:00Z"), List.of(2L, 3L));
    expected.compare(List.of("A", "B", "2001-01-01T00:00:00Z"), List.of(2L, 3L));
    expected.compare(List.of("A", "B", "2001-01-01T01:00:00Z"), List.of(1L, 2L));
    expected.compare(List.of("A", "B", "2001-01-01T02:00:00Z"), List.of(1L, 2L));
    ExpectedFlights.Difference difference = expected.difference();
    assertThat(difference).isEqualTo(new ExpectedFlights.Difference(1, 1, 1, 1));
    assertThat(difference.isNone()).isFalse();
    expected.startComparison();
    expected.compare(List.of("A", "B", "2001-01-01T00:00:00Z"), List.of(2L, 3L));
    expected.compare(List.of("A", "B", "2001-01-01T01:00:00Z"), List.of(1L, 1L));
    expected.compare(List.of("C", "D", "2001-01-01T01:00:00Z"), List.of(1L, 1L));
    assertThat(expected.difference().isNone()).isTrue();
  }
}
