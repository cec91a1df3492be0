package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.GcOptions;
import io.reshard.checkpoint.GcResult;
import io.reshard.checkpoint.ObjectStoreMetrics;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code reshard gc}. */
@Command(
    name = "gc",
    description = {
      "Delete versions no longer wanted, and the files only they need.",
      "",
      "A version is kept if it is among the newest --keep or younger than --keep-age. Files nothing"
          + " names are kept while younger than --grace, because their writer may be about to publish."
    },
    footer = {
      "  reshard gc --store ./state --keep 3 --dry-run",
      "  reshard gc --store ./state --keep 3 --keep-age 7d",
      "  reshard gc --store s3://bucket/state --keep 3 --keep-age 7d",
      "  reshard gc --store ./state --keep 1 --grace 0     # only when nothing else runs"
    })
final class GcCommand extends StoreVerb {
  @Option(
      names = "--keep",
      order = 1,
      paramLabel = "N",
      description = "Keep the newest N versions (default: 10).")
  int keep = GcOptions.defaults().keepVersions();

  @Option(
      names = "--keep-age",
      order = 2,
      paramLabel = "AGE",
      description = "Keep versions younger than AGE, such as 12h or 7d (default: 0).")
  Duration keepAge = GcOptions.defaults().keepAge();

  @Option(
      names = "--grace",
      order = 3,
      paramLabel = "AGE",
      description = "Keep unnamed files younger than AGE (default: 1d).")
  Duration grace = GcOptions.defaults().grace();

  @Option(
      names = "--dry-run",
      order = 4,
      description = "Say what would be deleted; delete nothing.")
  boolean dryRun;

  GcCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run(CheckpointStore store) {
    GcResult result = store.gc(new GcOptions(keep, keepAge, grace, dryRun));
    if (json) {
      printJson(result, store.objects().metrics());
      return ExitCode.OK;
    }
    console()
        .print(
            (dryRun ? "would delete " : "deleted ")
                + (result.deletedVersions().isEmpty()
                    ? "no version"
                    : "versions " + Versions.list(result.deletedVersions()))
                + ", "
                + Units.count(result.deletedObjects().size())
                + " objects, "
                + Units.bytes(result.deletedBytes())
                + (result.unfinishedTransfers() == 0
                    ? ""
                    : ", and "
                        + Units.count(result.unfinishedTransfers())
                        + " transfers that never ended"));
    console()
        .print(
            (result.keptVersions().isEmpty()
                    ? "kept no version"
                    : "kept versions " + Versions.list(result.keptVersions()))
                + ", "
                + Units.count(result.keptObjects())
                + " objects"
                + (result.youngObjects() == 0
                    ? ""
                    : ", and "
                        + Units.count(result.youngObjects())
                        + " that nothing names but are within the grace"));
    return ExitCode.OK;
  }

  private void printJson(GcResult result, ObjectStoreMetrics requests) {
    console()
        .printJson(
            out -> {
              out.writeBooleanField("dryRun", dryRun);
              out.writeArrayFieldStart("keptVersions");
              for (long version : result.keptVersions()) {
                out.writeNumber(version);
              }
              out.writeEndArray();
              out.writeArrayFieldStart("deletedVersions");
              for (long version : result.deletedVersions()) {
                out.writeNumber(version);
              }
              out.writeEndArray();
              out.writeArrayFieldStart("deletedObjects");
              for (String object : result.deletedObjects()) {
                out.writeString(object);
              }
              out.writeEndArray();
              out.writeNumberField("deletedBytes", result.deletedBytes());
              out.writeNumberField("keptObjects", result.keptObjects());
              out.writeNumberField("youngObjects", result.youngObjects());
              out.writeNumberField("unfinishedTransfers", result.unfinishedTransfers());
              StorePlace.write(out, requests);
            });
  }
}
