package io.reshard.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.lang.ArchRule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules of the house: which way the arrows between packages point, and which packages may know
 * a foreign library. Made for any root package, so that a small broken house can prove that each
 * rule can fail.
 */
final class HouseRules {
  /** From the bottom to the top: a package may use those of earlier floors only. */
  private static final List<List<String>> FLOORS =
      List.of(
          List.of("spi"),
          List.of("sst"),
          List.of("memory", "rocksdb", "checkpoint"),
          List.of("repartition"),
          List.of("tck", "engine", "spark"),
          List.of("cli"));

  private HouseRules() {}

  /**
   * The rules by name.
   *
   * @param root the package all others are in
   * @param rocksdb package of RocksDB
   * @param aws package of the AWS SDK
   * @param hadoop package of Hadoop
   */
  static Map<String, ArchRule> of(String root, String rocksdb, String aws, String hadoop) {
    Map<String, ArchRule> rules = new LinkedHashMap<>();
    rules.put("spi uses the JDK and JSpecify only", spiAlone(root));
    for (int floor = 0; floor < FLOORS.size() - 1; floor++) {
      for (String name : FLOORS.get(floor)) {
        rules.put(name + " does not look up", arrowsDown(root, name, floor));
      }
    }
    rules.put("rocksdb stays in its backend", only(root, rocksdb, "rocksdb"));
    rules.put("the AWS SDK stays in checkpoint.s3", only(root, aws, "checkpoint.s3"));
    rules.put("Hadoop stays in hdfs and spark", only(root, hadoop, "checkpoint.hdfs", "spark"));
    rules.put("no cycles", noCycles(root));
    return rules;
  }

  private static ArchRule spiAlone(String root) {
    return classes()
        .that()
        .resideInAPackage(root + ".spi..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(root + ".spi..", "java..", "org.jspecify..");
  }

  /** Packages of one floor do not know each other, nor those above. */
  private static ArchRule arrowsDown(String root, String name, int floor) {
    String[] forbidden =
        FLOORS.subList(floor, FLOORS.size()).stream()
            .flatMap(List::stream)
            .filter(other -> !other.equals(name))
            .map(other -> root + "." + other + "..")
            .toArray(String[]::new);
    return noClasses()
        .that()
        .resideInAPackage(root + "." + name + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden)
        .allowEmptyShould(true);
  }

  private static ArchRule only(String root, String library, String... homes) {
    String[] packages =
        List.of(homes).stream().map(h -> root + "." + h + "..").toArray(String[]::new);
    return noClasses()
        .that()
        .resideOutsideOfPackages(packages)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library + "..");
  }

  private static ArchRule noCycles(String root) {
    return slices().matching(root + ".(**)").should().beFreeOfCycles();
  }
}
