package io.reshard.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kit run by a call, and the table it makes. */
class TckTest {
  @TempDir Path directory;

  private Tck.Report run(StateStoreProvider provider, String suite) {
    return Tck.run(
        provider, directory, 5, Scale.DEFAULT, test -> test.suite().equals(suite), result -> {});
  }

  @Test
  void tellsOfEveryTestWhenItIsDoneAndLeavesNothingBehind() throws IOException {
    List<Tck.Result> told = new ArrayList<>();
    Tck.Report report =
        Tck.run(
            new ReferenceModel(),
            directory.resolve("made"),
            5,
            Scale.DEFAULT,
            test -> test.suite().equals("Version"),
            told::add);
    assertThat(report.results()).isEqualTo(told).hasSizeGreaterThan(10);
    assertThat(report.passed()).isTrue();
    assertThat(report.seed()).isEqualTo(5);
    try (Stream<Path> left = Files.list(directory.resolve("made"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void theTableHasALinePerSuiteAndRule() {
    Tck.Report report =
        new Tck.Report(
            "mine",
            9,
            List.of(
                new Tck.Result("Basic", "S-104", "required_S104_a", Tck.Outcome.PASSED, ""),
                new Tck.Result("Basic", "S-104", "required_S104_b", Tck.Outcome.FAILED, "is null"),
                new Tck.Result("Basic", "S-112", "required_S112_c", Tck.Outcome.PASSED, ""),
                new Tck.Result(
                    "Scan", "S-311", "optional_S311_d", Tck.Outcome.SKIPPED, "not declared")));
    assertThat(report.passed()).isFalse();
    assertThat(report.table().lines())
        .containsExactly(
            "suite            rule   passed failed skipped",
            "Basic            S-104       1      1       0",
            "    FAILED required_S104_b: is null",
            "Basic            S-112       1      0       0",
            "Scan             S-311       0      0       1",
            "    SKIPPED optional_S311_d: not declared",
            "backend 'mine' BREAKS THE RULES: 2 passed, 1 failed, 1 skipped; seed 9");
  }

  @Test
  void aBackendThatCannotStartFailsEveryTestThatNeedsIt() {
    StateStoreProvider broken =
        new Forwarding.Provider(new ReferenceModel()) {
          @Override
          public Backend start(BackendOptions options) {
            throw StateStoreException.unavailable("no disk", null);
          }
        };
    Tck.Report report = run(broken, "Basic");
    assertThat(report.results())
        .isNotEmpty()
        .allMatch(result -> result.outcome() == Tck.Outcome.FAILED)
        .allMatch(result -> result.message().contains("no disk"));
  }

  @Test
  void aBackendThatCannotBeClosedFails() {
    StateStoreProvider broken =
        new Forwarding.Provider(new ReferenceModel()) {
          @Override
          public Backend start(BackendOptions options) {
            return new Forwarding.Started(to.start(options)) {
              @Override
              public void close() {
                throw StateStoreException.internal("it hangs on", null);
              }
            };
          }
        };
    assertThat(run(broken, "Version").results())
        .filteredOn(result -> result.outcome() != Tck.Outcome.SKIPPED)
        .isNotEmpty()
        .allMatch(result -> result.message().contains("cannot be closed after the test"));
  }
}
