package io.reshard.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The kit catches every mutant by the rule it breaks, and finds nothing in the model. */
class MutantsTest {
  @TempDir Path directory;

  private static final long SEED = Long.getLong(Fixture.SEED_PROPERTY, 7);

  /** One in so many mutants meets the whole kit; which ones depends on the seed. */
  private static final int SAMPLE = 10;

  private Tck.Report run(Mutants.Mutant mutant, Predicate<KitTest> chosen) {
    Path own = directory.resolve(Integer.toHexString(mutant.fault().hashCode()));
    return Tck.run(mutant.provider(), own, SEED, Scale.DEFAULT, chosen, result -> {});
  }

  private static List<Tck.Result> failures(Tck.Report report, String rule) {
    return report.results().stream()
        .filter(result -> result.outcome() == Tck.Outcome.FAILED && result.rule().equals(rule))
        .toList();
  }

  @TestFactory
  Stream<DynamicTest> everyMutantIsCaughtByItsRule() {
    return Mutants.all().stream()
        .map(
            mutant ->
                DynamicTest.dynamicTest(
                    mutant.toString(),
                    () -> {
                      Tck.Report report = run(mutant, test -> test.rule().equals(mutant.rule()));
                      assertThat(failures(report, mutant.rule()))
                          .as("%s%n%s", mutant, report.table())
                          .isNotEmpty();
                    }));
  }

  /** The same by the whole kit: what the others find does not hide it. */
  @Tag("slow")
  @TestFactory
  Stream<DynamicTest> theWholeKitReportsMutantsByTheirRule() {
    List<Mutants.Mutant> all = Mutants.all();
    return IntStream.range(0, all.size())
        .filter(i -> Math.floorMod(i - SEED, SAMPLE) == 0)
        .mapToObj(all::get)
        .map(
            mutant ->
                DynamicTest.dynamicTest(
                    mutant.toString(),
                    () -> {
                      Tck.Report report = run(mutant, test -> true);
                      assertThat(report.passed()).isFalse();
                      assertThat(failures(report, mutant.rule()))
                          .as("%s%n%s", mutant, report.table())
                          .isNotEmpty();
                    }));
  }

  @Test
  void everyRuleHasAMutant() {
    List<String> caught = Mutants.all().stream().map(Mutants.Mutant::rule).distinct().toList();
    assertThat(KitTest.all()).extracting(KitTest::rule).allMatch(caught::contains);
  }
}
