package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Help pages, and what is said to a command line that is wrong. */
class HelpTest {
  static Set<String> verbs() {
    PrintStream nowhere =
        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    return Cli.commandLine(
            new Console(nowhere, nowhere, false, false, false, Console.DEFAULT_WIDTH))
        .getSubcommands()
        .keySet();
  }

  @Test
  void everyVerbIsThere() {
    assertThat(verbs())
        .containsExactlyInAnyOrder(
            "demo",
            "load",
            "list",
            "inspect",
            "scan",
            "get",
            "repartition",
            "advise",
            "verify",
            "rollback",
            "gc",
            "tck",
            "completion");
  }

  @ParameterizedTest
  @MethodSource("verbs")
  void everyVerbHasHelpWithExamplesAndExitCodes(String verb) {
    Ran ran = Ran.run(verb, "--help").ok();
    assertThat(ran.out())
        .contains("Usage: reshard " + verb, "--json", "--debug", "Examples:", "  reshard " + verb)
        .contains("Exit codes:");
    for (ExitCode exit : ExitCode.values()) {
      assertThat(ran.out()).containsPattern("(?m)^  " + exit.code() + " +\\S");
    }
    assertThat(ran.out().lines()).allMatch(line -> line.length() <= 100);
    assertThat(ran.err()).isEmpty();
  }

  @Test
  void theCommandHasHelpAndVersion() {
    assertThat(Ran.run("--help").ok().out()).contains("Verbs:", "Exit codes:", "130");
    assertThat(Ran.run("--version").ok().out()).startsWith("reshard ");
  }

  @Test
  void noVerbIsAUsageErrorOnStandardError() {
    Ran ran = Ran.run().fails(ExitCode.INVALID).saying("a verb is missing", "Verbs:");
    assertThat(ran.out()).isEmpty();
  }

  @Test
  void mistypedVerbsAndOptionsGetASuggestion() {
    Ran.run("repartion").fails(ExitCode.INVALID).saying("repartion", "repartition");
    Ran.run("list", "--stroe", "x").fails(ExitCode.INVALID).saying("--stroe", "--store");
  }

  @Test
  void missingAndMalformedOptionsAreNamed() {
    Ran.run("list").fails(ExitCode.INVALID).saying("--store", "reshard list --help");
    Ran.run("repartition", "--store", "x", "--shards", "many")
        .fails(ExitCode.INVALID)
        .saying("--shards", "many");
    Ran.run("gc", "--store", "x", "--grace", "1week")
        .fails(ExitCode.INVALID)
        .saying("1week", "12h or 7d");
    Ran.run("load", "--store", "x", "--memory", "lots", "y")
        .fails(ExitCode.INVALID)
        .saying("lots", "512m");
  }

  @Test
  void errorsAreJsonWhereJsonIsAsked() {
    Ran ran = Ran.run("list", "--json", "--stroe", "x").fails(ExitCode.INVALID);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.jsonError()).containsEntry("kind", "INVALID").containsEntry("exit", 2L);
  }

  @Test
  void completionIsAScriptWithEveryVerb() {
    List<String> verbs = List.copyOf(verbs());
    assertThat(Ran.run("completion").ok().out()).startsWith("#!").contains(verbs);
    assertThat(Ran.run("completion", "--json").ok().oneJson()).containsKey("script");
  }
}
