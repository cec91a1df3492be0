package io.reshard.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What every verb has: a console, {@code --json}, {@code --debug} and {@code --help}. */
@Command(
    sortOptions = false,
    optionListHeading = "%nOptions:%n",
    parameterListHeading = "%nParameters:%n",
    footerHeading = "%nExamples:%n")
abstract class Verb implements Callable<Integer> {
  private final Console console;

  @Option(
      names = "--json",
      order = 100,
      description = "Print JSON on standard output; an error as JSON on standard error.")
  boolean json;

  @Option(
      names = "--debug",
      order = 101,
      description = "Log everything to standard error, with stack traces.")
  boolean debug;

  @Option(
      names = {"-h", "--help"},
      order = 102,
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  Verb(Console console) {
    this.console = console;
  }

  final Console console() {
    return console;
  }

  @Override
  public final Integer call() throws IOException {
    return run().code();
  }

  /** Does what the verb says. */
  abstract ExitCode run() throws IOException;
}
