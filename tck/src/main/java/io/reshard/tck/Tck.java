package io.reshard.tck;

import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreProvider;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * Runs the kit outside a test framework's runner, as {@code reshard tck} does.
 *
 * <p>The tests are the methods of {@link StateStoreTck}; here they are called one after another,
 * each on an instance and in a directory of its own, each with a limit of time, so that a backend
 * that hangs fails a rule instead of the run.
 */
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
    /** Copies the results. */
    public Report {
      results = List.copyOf(results);
    }

    /** Whether no rule failed. */
    public boolean passed() {
      return count(Outcome.FAILED) == 0;
    }

    /** Number of tests with an outcome. */
    public long count(Outcome outcome) {
      return results.stream().filter(result -> result.outcome() == outcome).count();
    }

    /**
     * The table as text: a line per suite and rule with the number of tests that passed, failed and
     * were skipped, under it what failed and why, and a summary at the end.
     */
    public String table() {
      StringBuilder text = new StringBuilder(4096);
      text.append(
          String.format(
              "%-16s %-6s %6s %6s %7s%n", "suite", "rule", "passed", "failed", "skipped"));
      bySuiteAndRule()
          .forEach(
              (line, tests) -> {
                text.append(
                    String.format(
                        "%s %6d %6d %7d%n",
                        line,
                        count(tests, Outcome.PASSED),
                        count(tests, Outcome.FAILED),
                        count(tests, Outcome.SKIPPED)));
                for (Result test : tests) {
                  if (test.outcome() != Outcome.PASSED) {
                    text.append("    ")
                        .append(test.outcome())
                        .append(' ')
                        .append(test.test())
                        .append(": ")
                        .append(test.message())
                        .append(System.lineSeparator());
                  }
                }
              });
      text.append(
          String.format(
              "backend '%s' %s: %d passed, %d failed, %d skipped; seed %d%n",
              backend,
              passed() ? "keeps the rules" : "BREAKS THE RULES",
              count(Outcome.PASSED),
              count(Outcome.FAILED),
              count(Outcome.SKIPPED),
              seed));
      return text.toString();
    }

    private Map<String, List<Result>> bySuiteAndRule() {
      Map<String, List<Result>> lines = new LinkedHashMap<>();
      for (Result result : results) {
        lines
            .computeIfAbsent(
                String.format("%-16s %-6s", result.suite(), result.rule()), k -> new ArrayList<>())
            .add(result);
      }
      return lines;
    }

    private static long count(List<Result> results, Outcome outcome) {
      return results.stream().filter(result -> result.outcome() == outcome).count();
    }
  }

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration LIMIT_LARGE = Duration.ofMinutes(30);

  private Tck() {}

  /**
   * Runs every suite on a backend; {@code progress} is told of every test when it is done.
   *
   * @param directory where the tests work, made if missing; on the disk the backend is meant for.
   *     What a test makes in it is removed after the test
   * @param seed seed of the random suites
   */
  public static Report run(
      StateStoreProvider provider, Path directory, long seed, Consumer<Result> progress) {
    return run(provider, directory, seed, Scale.ofProperty(), test -> true, progress);
  }

  static Report run(
      StateStoreProvider provider,
      Path directory,
      long seed,
      Scale scale,
      Predicate<KitTest> chosen,
      Consumer<Result> progress) {
    List<Result> results = new ArrayList<>();
    for (KitTest test : KitTest.all()) {
      if (chosen.test(test)) {
        Path own = directory.resolve("tck-" + results.size());
        Result result = run(test, provider, own, seed, scale);
        results.add(result);
        progress.accept(result);
      }
    }
    return new Report(provider.name(), seed, results);
  }

  private static Result run(
      KitTest test, StateStoreProvider provider, Path directory, long seed, Scale scale) {
    FutureTask<Result> task =
        new FutureTask<>(() -> runInThisThread(test, provider, directory, seed, scale));
    Thread thread = new Thread(task, "tck " + test.name());
    thread.setDaemon(true);
    thread.start();
    Duration limit = scale == Scale.LARGE ? LIMIT_LARGE : LIMIT;
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      StringBuilder where = new StringBuilder("not done after " + limit.toSeconds() + " s, at");
      for (StackTraceElement frame : thread.getStackTrace()) {
        where.append(' ').append(frame);
      }
      task.cancel(true);
      return test.result(Outcome.FAILED, new AssertionError(where));
    } catch (ExecutionException e) {
      return test.result(Outcome.FAILED, Objects.requireNonNullElse(e.getCause(), e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      task.cancel(true);
      throw StateStoreException.unavailable("the kit's run was interrupted", e);
    }
  }

  private static Result runInThisThread(
      KitTest test, StateStoreProvider provider, Path directory, long seed, Scale scale)
      throws IOException {
    Files.createDirectories(directory);
    StateStoreTck kit = new Running(provider);
    try {
      Throwable failure = null;
      try {
        kit.start(directory, seed, scale);
        test.run(kit);
      } catch (Throwable e) {
        failure = e;
      }
      try {
        kit.stop();
      } catch (Throwable e) {
        failure = failure == null || failure instanceof TestAbortedException ? e : failure;
      }
      if (failure == null) {
        return test.result(Outcome.PASSED, null);
      }
      boolean skipped = failure instanceof TestAbortedException;
      return test.result(skipped ? Outcome.SKIPPED : Outcome.FAILED, failure);
    } finally {
      delete(directory);
    }
  }

  private static void delete(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e)
              throws IOException {
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** The kit for a provider that is given. */
  private static final class Running extends StateStoreTck {
    private final StateStoreProvider provider;

    Running(StateStoreProvider provider) {
      this.provider = provider;
    }

    @Override
    protected StateStoreProvider provider() {
      return provider;
    }
  }
}
