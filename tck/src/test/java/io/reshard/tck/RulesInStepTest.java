package io.reshard.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.Capability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Javadoc, document and kit say the same: every rule is in all three, and no other. */
class RulesInStepTest {
  private static final Path ROOT = Path.of(System.getProperty("basedir", ".")).resolve("..");
  private static final Path DOCUMENT = ROOT.resolve("docs/spi-rules.md");
  private static final Pattern RULE = Pattern.compile("S-[0-9]{3}");
  private static final Pattern HEADING = Pattern.compile("### (S-[0-9]{3}): .+");
  private static final Pattern TEST = Pattern.compile("\\* `([a-zA-Z0-9_]+)`");

  private static Set<String> rulesInJavadoc() throws IOException {
    Set<String> rules = new TreeSet<>();
    try (Stream<Path> files = Files.list(ROOT.resolve("spi/src/main/java/io/reshard/spi"))) {
      files.forEach(
          file -> {
            Matcher found = RULE.matcher(read(file));
            while (found.find()) {
              rules.add(found.group());
            }
          });
    }
    return rules;
  }

  /** The tests that the document lists under each rule. */
  private static Map<String, Set<String>> document() {
    Map<String, Set<String>> rules = new HashMap<>();
    Set<String> tests = new TreeSet<>();
    for (String line : read(DOCUMENT).lines().toList()) {
      Matcher heading = HEADING.matcher(line);
      Matcher test = TEST.matcher(line);
      if (heading.matches()) {
        tests = new TreeSet<>();
        assertThat(rules.put(heading.group(1), tests)).as("%s twice", line).isNull();
      } else if (test.matches()) {
        tests.add(test.group(1));
      }
    }
    return rules;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theDocumentHasEveryRuleOfTheJavadocAndNoOther() throws IOException {
    assertThat(rulesInJavadoc()).hasSizeGreaterThan(40);
    assertThat(document().keySet()).containsExactlyInAnyOrderElementsOf(rulesInJavadoc());
  }

  @Test
  void theDocumentListsEveryTestUnderItsRule() {
    Map<String, Set<String>> kit =
        KitTest.all().stream()
            .collect(
                Collectors.groupingBy(
                    KitTest::rule, Collectors.mapping(KitTest::name, Collectors.toSet())));
    Map<String, Set<String>> document = document();
    assertThat(document.keySet()).containsAll(kit.keySet());
    document.forEach(
        (rule, tests) ->
            assertThat(tests)
                .as("tests listed under %s in %s", rule, DOCUMENT)
                .isNotEmpty()
                .isEqualTo(kit.get(rule)));
  }

  @Test
  void everyTestHasANameOfItsOwn() {
    List<String> names = KitTest.all().stream().map(KitTest::name).toList();
    assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThan(100);
  }

  @Test
  void anOptionalTestNamesItsCapability() {
    assertThat(KitTest.all())
        .filteredOn(test -> !test.required())
        .allMatch(
            test ->
                Stream.of(Capability.values())
                    .anyMatch(capability -> test.name().endsWith("_" + capability)));
  }
}
