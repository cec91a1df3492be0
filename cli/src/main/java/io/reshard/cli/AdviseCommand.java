package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.repartition.Advisor;
import io.reshard.spi.StateStoreException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code reshard advise}. */
@Command(
    name = "advise",
    description = {
      "Predict shard sizes for other numbers of shards, and suggest some.",
      "",
      "Reads the keys of the newest version once; changes nothing."
    },
    footer = {
      "  reshard advise --store ./state --counts 50,100,400",
      "  reshard advise --store ./state --counts 150,199 --json"
    })
final class AdviseCommand extends StoreVerb {
  @Option(
      names = "--counts",
      order = 1,
      split = ",",
      paramLabel = "N",
      description = "Numbers of shards (default: half, the same, twice, four times).")
  List<Integer> counts = List.of();

  @Option(
      names = "--version",
      order = 2,
      paramLabel = "V",
      description = "Which version (default: the newest).")
  long version;

  AdviseCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run(CheckpointStore store) {
    for (int count : counts) {
      Layout.checkShards(count);
    }
    if (counts.size() > 64) {
      throw StateStoreException.invalid(counts.size() + " counts; give at most 64");
    }
    Manifest manifest = manifest(store, version);
    List<Integer> wanted = counts.isEmpty() ? around(manifest.layout().shards()) : counts;
    Advisor.Advice advice = Advisor.advise(store, manifest, wanted);
    if (json) {
      printJson(advice);
    } else {
      print(manifest, advice);
    }
    return ExitCode.OK;
  }

  private static List<Integer> around(int shards) {
    return List.of(shards / 2, shards, shards * 2, shards * 4).stream()
        .filter(n -> n >= 1 && n <= Layout.MAX_SHARDS)
        .distinct()
        .toList();
  }

  private void print(Manifest manifest, Advisor.Advice advice) {
    console()
        .print(
            "version "
                + manifest.version()
                + ": "
                + Units.count(manifest.layout().shards())
                + " shards, "
                + Units.count(advice.rows())
                + " rows, "
                + Units.bytes(advice.bytes())
                + " of keys and values; heaviest key "
                + String.format(Locale.ROOT, "%.4f%%", advice.heaviestKeyShare() * 100));
    Table table =
        new Table(
            List.of(), "shards", "smallest", "median", "largest", "skew", "empty", "rewritten");
    for (Advisor.Candidate candidate : advice.candidates()) {
      table.add(
          Units.count(candidate.shards()),
          Units.bytes(candidate.smallestBytes()),
          Units.bytes(candidate.medianBytes()),
          Units.bytes(candidate.largestBytes()),
          Units.factor(candidate.skew()),
          Units.count(candidate.emptyShards()),
          Units.bytes(candidate.bytesRewritten()));
    }
    table.print(console());
    advice.suggestions().forEach(s -> console().print("- " + s));
  }

  private void printJson(Advisor.Advice advice) {
    console()
        .printJson(
            out -> {
              out.writeNumberField("rows", advice.rows());
              out.writeNumberField("bytes", advice.bytes());
              out.writeNumberField("heaviestKeyShare", advice.heaviestKeyShare());
              out.writeArrayFieldStart("candidates");
              for (Advisor.Candidate candidate : advice.candidates()) {
                out.writeStartObject();
                out.writeNumberField("shards", candidate.shards());
                out.writeNumberField("smallestBytes", candidate.smallestBytes());
                out.writeNumberField("medianBytes", candidate.medianBytes());
                out.writeNumberField("largestBytes", candidate.largestBytes());
                out.writeNumberField("skew", candidate.skew());
                out.writeNumberField("emptyShards", candidate.emptyShards());
                out.writeNumberField("bytesRewritten", candidate.bytesRewritten());
                out.writeEndObject();
              }
              out.writeEndArray();
              out.writeArrayFieldStart("suggestions");
              for (String suggestion : advice.suggestions()) {
                out.writeString(suggestion);
              }
              out.writeEndArray();
            });
  }
}
