package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Manifest;
import io.reshard.spi.StateStoreException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/** {@code reshard list}. */
@Command(
    name = "list",
    description = "List the versions of a store.",
    footer = {"  reshard list --store ./state", "  reshard list --store ./state --json"})
final class ListCommand extends StoreVerb {
  ListCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run(CheckpointStore store) {
    Table table =
        new Table(
            List.of(1, 2, 4),
            "version",
            "created",
            "operation",
            "parent",
            "layout",
            "shards",
            "rows",
            "bytes",
            "files");
    List<Long> damaged = new ArrayList<>();
    for (long version : store.versions()) {
      try {
        Manifest manifest = store.manifest(version);
        if (json) {
          print(manifest);
        } else {
          add(table, manifest);
        }
      } catch (StateStoreException e) {
        Versions.noteDamage(console(), version, e);
        damaged.add(version);
      }
    }
    if (!json) {
      table.print(console());
    }
    if (!damaged.isEmpty()) {
      throw StateStoreException.corrupt(
          "the manifests of versions " + Versions.list(damaged) + " are damaged, see above");
    }
    return ExitCode.OK;
  }

  private static void add(Table table, Manifest manifest) {
    table.add(
        Long.toString(manifest.version()),
        created(manifest).toString(),
        operation(manifest),
        Long.toString(manifest.parent()),
        manifest.layout().kind().label(),
        Units.count(manifest.layout().shards()),
        Units.count(manifest.entries()),
        Units.bytes(manifest.bytes()),
        Units.count(manifest.files()));
  }

  private void print(Manifest manifest) {
    console()
        .printJson(
            out -> {
              out.writeNumberField("version", manifest.version());
              out.writeStringField("created", created(manifest).toString());
              out.writeStringField("operation", operation(manifest));
              out.writeNumberField("parent", manifest.parent());
              out.writeStringField("layout", manifest.layout().kind().label());
              out.writeNumberField("shards", manifest.layout().shards());
              out.writeNumberField("entries", manifest.entries());
              out.writeNumberField("bytes", manifest.bytes());
              out.writeNumberField("files", manifest.files());
            });
  }

  static Instant created(Manifest manifest) {
    return Instant.ofEpochMilli(manifest.createdMillis()).truncatedTo(ChronoUnit.SECONDS);
  }

  static String operation(Manifest manifest) {
    return manifest.operation().name().toLowerCase(Locale.ROOT);
  }
}
