package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Manifest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code reshard rollback}. */
@Command(
    name = "rollback",
    description = {
      "Return to an earlier version.",
      "",
      "Publishes a new version with the content of the earlier one; nothing is deleted, so a"
          + " rollback can be rolled back."
    },
    footer = {
      "  reshard rollback --store ./state --to 3 --dry-run",
      "  reshard rollback --store ./state --to 3"
    })
final class RollbackCommand extends StoreVerb {
  @Option(
      names = "--to",
      order = 1,
      required = true,
      paramLabel = "V",
      description = "The version to return to.")
  long to;

  @Option(names = "--dry-run", order = 2, description = "Say what would be done; change nothing.")
  boolean dryRun;

  RollbackCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run(CheckpointStore store) {
    Manifest source = store.manifest(to);
    long now = store.latestVersion();
    Manifest result = dryRun ? source : store.rollback(to);
    long version = dryRun ? now + 1 : result.version();
    if (json) {
      console()
          .printJson(
              out -> {
                out.writeNumberField("version", version);
                out.writeNumberField("from", now);
                out.writeNumberField("to", to);
                out.writeNumberField("shards", result.layout().shards());
                out.writeNumberField("entries", result.entries());
                out.writeBooleanField("dryRun", dryRun);
                StorePlace.write(out, store.objects().metrics());
              });
      return ExitCode.OK;
    }
    console()
        .print(
            (dryRun ? "would publish version " : "published version ")
                + version
                + " with the content of version "
                + to
                + ": "
                + Units.count(result.layout().shards())
                + " shards, "
                + Units.count(result.entries())
                + " entries");
    return ExitCode.OK;
  }
}
