package io.reshard.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command without a verb. */
@Command(
    name = "reshard",
    description = "Change the number of shards of keyed state and keep every row.",
    versionProvider = ReshardCommand.Version.class,
    synopsisSubcommandLabel = "VERB",
    commandListHeading = "%nVerbs:%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  reshard demo",
      "  reshard load --store ./state --key user --aggregate 'count(),sum(bytes)' log.csv.gz",
      "  reshard repartition --store ./state --shards 400 --dry-run",
      "  reshard repartition --store ./state --shards 400",
      "  reshard verify --store ./state",
      "  reshard VERB --help"
    })
final class ReshardCommand implements Runnable {
  private final Console console;

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  boolean version;

  ReshardCommand(Console console) {
    this.console = console;
  }

  @Override
  public void run() {
    console.say(spec.commandLine().getUsageMessage().stripTrailing());
    throw new ParameterException(spec.commandLine(), "a verb is missing");
  }

  /** Reads the version from the jar's manifest. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = ReshardCommand.class.getPackage().getImplementationVersion();
      return new String[] {
        "reshard " + (version == null ? "(not packaged)" : version),
        "Java " + System.getProperty("java.version")
      };
    }
  }
}
