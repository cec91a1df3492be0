package io.reshard.tck;

import io.reshard.spi.StateStoreProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Runs the kit outside a test framework's runner, as {@code reshard tck} does. */
public final class Tck {
  /** What came of a rule's test. */
  public enum Outcome {
    /** The rule holds. */
    PASSED,
    /** It does not. */
    FAILED,
    /** It was not tried, and why is said. */
    SKIPPED
  }

  /**
   * One line of the conformance table.
   *
   * @param suite name of the suite
   * @param rule id of the rule, such as S-101
   * @param test what was tried
   * @param outcome what came of it
   * @param message why it failed or was skipped, else empty
   */
  public record Result(String suite, String rule, String test, Outcome outcome, String message) {}

  /**
   * The conformance table of a backend.
   *
   * @param backend its name
   * @param seed seed of the random suites
   * @param results one line per test
   */
  public record Report(String backend, long seed, List<Result> results) {
    /** Whether no rule failed. */
    public boolean passed() {
      return results.stream().noneMatch(r -> r.outcome() == Outcome.FAILED);
    }

    /** The table as text. */
    public String table() {
      throw new UnsupportedOperationException("stub");
    }
  }

  private Tck() {}

  /** Runs every suite on a backend; {@code progress} is told of every test when it is done. */
  public static Report run(
      StateStoreProvider provider, Path directory, long seed, Consumer<Result> progress) {
    throw new UnsupportedOperationException("stub");
  }
}
