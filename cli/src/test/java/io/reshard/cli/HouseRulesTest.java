package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Holds the {@link HouseRules} over all modules, and proves that each can fail. */
class HouseRulesTest {
  private static final String BROKEN = "io.reshard.cli.broken";

  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("io.reshard");

  private static final Map<String, ArchRule> RULES =
      HouseRules.of("io.reshard", "org.rocksdb", "software.amazon.awssdk", "org.apache.hadoop");

  @Test
  void everyModuleIsLookedAt() {
    for (String name :
        new String[] {
          "spi",
          "sst",
          "memory",
          "rocksdb",
          "checkpoint",
          "checkpoint.s3",
          "checkpoint.hdfs",
          "repartition",
          "tck",
          "cli"
        }) {
      assertThat(HOUSE)
          .as("classes of io.reshard.%s on the class path", name)
          .anyMatch(c -> c.getPackageName().equals("io.reshard." + name));
    }
  }

  @TestFactory
  Stream<DynamicTest> theHouseKeepsEveryRule() {
    return RULES.entrySet().stream()
        .map(rule -> DynamicTest.dynamicTest(rule.getKey(), () -> rule.getValue().check(HOUSE)));
  }

  @TestFactory
  Stream<DynamicTest> aBrokenHouseBreaksEveryRule() {
    JavaClasses broken = new ClassFileImporter().importPackages(BROKEN);
    Map<String, ArchRule> rules =
        HouseRules.of(BROKEN, BROKEN + ".foreign", BROKEN + ".foreign", BROKEN + ".foreign");
    return rules.entrySet().stream()
        .map(
            rule ->
                DynamicTest.dynamicTest(
                    rule.getKey(),
                    () ->
                        assertThatThrownBy(() -> rule.getValue().check(broken))
                            .isInstanceOf(AssertionError.class)
                            .hasMessageContaining(BROKEN)));
  }
}
