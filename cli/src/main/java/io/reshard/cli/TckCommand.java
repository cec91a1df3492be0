package io.reshard.cli;

import io.reshard.spi.StateStoreProvider;
import io.reshard.spi.StateStoreProviders;
import io.reshard.tck.Tck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code reshard tck}. */
@Command(
    name = "tck",
    description = {
      "Run the conformance kit on a backend and print its table.",
      "",
      "Exit code 3 if a rule does not hold."
    },
    footer = {"  reshard tck --backend rocksdb", "  reshard tck --backend memory --seed 42 --json"})
final class TckCommand extends Verb {
  @Option(
      names = "--backend",
      order = 0,
      required = true,
      paramLabel = "NAME",
      description = "The backend to try.")
  String backendName = "";

  @Option(
      names = "--seed",
      order = 1,
      paramLabel = "SEED",
      description = "Seed of the random suites, to repeat a run (default: 1).")
  long seed = 1;

  TckCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run() throws IOException {
    StateStoreProvider provider = StateStoreProviders.find(backendName);
    Path directory = Files.createTempDirectory("reshard-tck-");
    Tck.Report report;
    try (Progress progress = new Progress(console(), "tck " + backendName)) {
      long[] done = new long[1];
      report = Tck.run(provider, directory, seed, result -> tell(result, progress, done));
    } finally {
      WorkDirectory.deleteTree(directory);
    }
    if (!json) {
      console().print(report.table().stripTrailing());
    }
    return report.passed() ? ExitCode.OK : ExitCode.MISMATCH;
  }

  private void tell(Tck.Result result, Progress progress, long[] done) {
    progress.count(++done[0], 0, "rules tried");
    if (json) {
      console()
          .printJson(
              out -> {
                out.writeStringField("suite", result.suite());
                out.writeStringField("rule", result.rule());
                out.writeStringField("test", result.test());
                out.writeStringField("outcome", result.outcome().name().toLowerCase(Locale.ROOT));
                out.writeStringField("message", result.message());
              });
    }
  }
}
