package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ShardRef;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code reshard inspect}. */
@Command(
    name = "inspect",
    description =
        "Show one version: layout, shards, rows, bytes, files, skew; or one of its shards.",
    footer = {
      "  reshard inspect --store ./state",
      "  reshard inspect --store ./state --version 3",
      "  reshard inspect --store ./state --shard 17 --json"
    })
final class InspectCommand extends StoreVerb {
  private static final int BARS = 20;
  private static final int BAR_WIDTH = 40;

  @Option(
      names = "--version",
      order = 1,
      paramLabel = "V",
      description = "Which version (default: the newest).")
  long version;

  @Option(
      names = "--shard",
      order = 2,
      paramLabel = "N",
      description = "Show the files of this shard.")
  @Nullable Integer shard;

  InspectCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run(CheckpointStore store) {
    Manifest manifest = manifest(store, version);
    if (shard != null) {
      showShard(store, manifest, checkShard(manifest, shard));
    } else if (json) {
      printJson(manifest);
    } else {
      print(store, manifest);
    }
    return ExitCode.OK;
  }

  /** Checks that a version has a shard of that number. */
  static int checkShard(Manifest manifest, int shard) {
    int shards = manifest.layout().shards();
    if (shard < 0 || shard >= shards) {
      throw StateStoreException.invalid(
          "no shard "
              + shard
              + " in version "
              + manifest.version()
              + "; it has shards 0 to "
              + (shards - 1));
    }
    return shard;
  }

  private void print(CheckpointStore store, Manifest manifest) {
    Console console = console();
    console.print(
        console.bold("version " + manifest.version())
            + " of store "
            + store.storeId()
            + " at "
            + location);
    line("made by", ListCommand.operation(manifest) + " of version " + manifest.parent());
    line("created", ListCommand.created(manifest) + " by writer " + manifest.writer());
    line("backend", manifest.backend());
    line(
        "layout",
        manifest.layout().kind().label()
            + ", "
            + Units.count(manifest.layout().shards())
            + " shards, "
            + manifest.layout().hash()
            + " seed "
            + manifest.layout().seed());
    for (ColumnFamily family : manifest.columnFamilies()) {
      line("column family", describe(manifest, family));
    }
    long deletions = manifest.shards().stream().mapToLong(ShardRef::deletions).sum();
    line(
        "entries",
        Units.count(manifest.entries())
            + (deletions == 0 ? "" : ", of which " + Units.count(deletions) + " deletions"));
    line(
        "bytes", Units.bytes(manifest.bytes()) + " in " + Units.count(manifest.files()) + " files");
    line("digest", manifest.digest().toString());
    ShardSizes sizes = ShardSizes.of(manifest);
    line(
        "shard bytes",
        "smallest "
            + Units.bytes(sizes.smallest())
            + ", median "
            + Units.bytes(sizes.median())
            + ", largest "
            + Units.bytes(sizes.largest())
            + ", skew "
            + Units.factor(sizes.skew())
            + " (largest / mean)");
    console.print("");
    sizes.printBars(console, BARS, BAR_WIDTH);
  }

  private void line(String what, String text) {
    console().print(String.format(Locale.ROOT, "  %-14s %s", what, text));
  }

  private static String describe(Manifest manifest, ColumnFamily family) {
    RowSchema schema = RowSchema.of(manifest.properties(), family.name());
    return family.name()
        + ", "
        + family.placement().name().toLowerCase(Locale.ROOT)
        + " by "
        + family.partitionKey()
        + (schema == null ? "" : ", " + schema.describe());
  }

  private void printJson(Manifest manifest) {
    ShardSizes sizes = ShardSizes.of(manifest);
    console()
        .printJson(
            out -> {
              out.writeStringField("store", manifest.storeId());
              out.writeNumberField("version", manifest.version());
              out.writeNumberField("parent", manifest.parent());
              out.writeStringField("operation", ListCommand.operation(manifest));
              out.writeStringField("created", ListCommand.created(manifest).toString());
              out.writeStringField("writer", manifest.writer());
              out.writeStringField("backend", manifest.backend());
              out.writeStringField("layout", manifest.layout().kind().label());
              out.writeNumberField("shards", manifest.layout().shards());
              out.writeStringField("hash", manifest.layout().hash());
              out.writeNumberField("seed", manifest.layout().seed());
              out.writeNumberField("entries", manifest.entries());
              out.writeNumberField("bytes", manifest.bytes());
              out.writeNumberField("files", manifest.files());
              out.writeStringField("digest", manifest.digest().toString());
              out.writeNumberField("skew", sizes.skew());
              out.writeArrayFieldStart("columnFamilies");
              for (ColumnFamily family : manifest.columnFamilies()) {
                out.writeStartObject();
                out.writeStringField("name", family.name());
                out.writeStringField(
                    "placement", family.placement().name().toLowerCase(Locale.ROOT));
                out.writeStringField("partitionKey", family.partitionKey().toString());
                out.writeEndObject();
              }
              out.writeEndArray();
              out.writeArrayFieldStart("shardBytes");
              for (ShardRef ref : manifest.shards()) {
                out.writeNumber(ref.bytes());
              }
              out.writeEndArray();
            });
  }

  private void showShard(CheckpointStore store, Manifest manifest, int number) {
    Table table =
        new Table(
            List.of(0, 5, 6, 7),
            "column family",
            "level",
            "entries",
            "deletions",
            "bytes",
            "smallest key",
            "largest key",
            "object");
    for (FileRef file : store.files(manifest, number)) {
      if (json) {
        printJson(number, file);
      } else {
        table.add(
            file.columnFamily(),
            Integer.toString(file.level()),
            Units.count(file.entries()),
            Units.count(file.deletions()),
            Units.bytes(file.length()),
            key(manifest, file, file.smallestKey()),
            key(manifest, file, file.largestKey()),
            file.object() + (file.offset() == 0 ? "" : " + " + file.offset()));
      }
    }
    if (!json) {
      ShardRef ref = manifest.shards().get(number);
      console()
          .print(
              console().bold("shard " + number)
                  + " of version "
                  + manifest.version()
                  + ": "
                  + Units.count(ref.digest().count())
                  + " entries, "
                  + Units.bytes(ref.bytes())
                  + ", digest "
                  + ref.digest());
      table.print(console());
    }
  }

  private static String key(Manifest manifest, FileRef file, byte[] stored) {
    ColumnFamily family = manifest.columnFamily(file.columnFamily());
    int prefix = Math.min(stored.length, manifest.keyPrefix(family));
    ByteView key = new ByteView(stored, prefix, stored.length - prefix);
    RowSchema schema = RowSchema.of(manifest.properties(), family.name());
    if (schema == null) {
      return key.toString();
    }
    return String.join(
        " ", schema.decodeKey(key, new TupleReader()).stream().map(String::valueOf).toList());
  }

  private void printJson(int number, FileRef file) {
    console()
        .printJson(
            out -> {
              out.writeNumberField("shard", number);
              out.writeStringField("columnFamily", file.columnFamily());
              out.writeNumberField("level", file.level());
              out.writeNumberField("entries", file.entries());
              out.writeNumberField("deletions", file.deletions());
              out.writeStringField("object", file.object());
              out.writeNumberField("offset", file.offset());
              out.writeNumberField("bytes", file.length());
              out.writeStringField("sha256", file.sha256());
              out.writeStringField("digest", file.digest().toString());
            });
  }
}
