package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Manifest;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code reshard scan}. */
@Command(
    name = "scan",
    description = {
      "Print rows, tab-separated or as JSON Lines, shard by shard.",
      "",
      "Within a shard, rows come in key order (ordered placement, or modulo layout) or in order of"
          + " slot, then key (hashed placement in a slots layout)."
    },
    footer = {
      "  reshard scan --store ./state --limit 10",
      "  reshard scan --store ./state ATL LAX --json",
      "  reshard scan --store ./state --version 3 --shard 17"
    })
final class ScanCommand extends StoreVerb {
  @Parameters(
      paramLabel = "COLUMN",
      arity = "0..*",
      description = "Show only rows whose key starts with these columns.")
  List<String> prefix = List.of();

  @Option(
      names = "--version",
      order = 1,
      paramLabel = "V",
      description = "Which version (default: the newest).")
  long version;

  @Option(
      names = "--column-family",
      order = 2,
      paramLabel = "NAME",
      description = "Which column family (default: the first).")
  @Nullable String columnFamily;

  @Option(names = "--shard", order = 3, paramLabel = "N", description = "Only this shard.")
  @Nullable Integer shard;

  @Option(
      names = "--limit",
      order = 4,
      paramLabel = "ROWS",
      description = "At most so many rows (default: all).")
  @Nullable Long limit;

  private long printed;

  ScanCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run(CheckpointStore store) {
    if (limit != null && limit < 0) {
      throw StateStoreException.invalid("--limit " + limit + "; give 0 or more");
    }
    Manifest manifest = manifest(store, version);
    ColumnFamily family = family(manifest, columnFamily);
    RowSchema schema = RowSchema.of(manifest.properties(), family.name());
    byte[] start = start(schema, family);
    StateReader reader = new StateReader(store, manifest, family);
    int first = shard == null ? 0 : InspectCommand.checkShard(manifest, shard);
    int last = shard == null ? manifest.layout().shards() - 1 : shard;
    try (RowPrinter printer = new RowPrinter(console(), json, schema)) {
      printer.printHeader();
      boolean more = true;
      for (int s = first; s <= last && more; s++) {
        more = reader.scan(s, (key, value) -> show(printer, start, key, value));
      }
    }
    return ExitCode.OK;
  }

  private boolean show(RowPrinter printer, byte[] start, ByteView key, ByteView value) {
    if (console().isCancelled()) {
      throw new InterruptedRunException("stopped after " + Units.count(printed) + " rows");
    }
    if (limit != null && printed >= limit) {
      return false;
    }
    if (!startsWith(key, start)) {
      return true;
    }
    printed++;
    return printer.print(key, value);
  }

  private static boolean startsWith(ByteView key, byte[] start) {
    return key.length() >= start.length
        && Arrays.equals(
            key.array(), key.offset(), key.offset() + start.length, start, 0, start.length);
  }

  private byte[] start(@Nullable RowSchema schema, ColumnFamily family) {
    if (prefix.isEmpty()) {
      return new byte[0];
    }
    if (schema == null) {
      throw StateStoreException.invalid(
          "the columns of column family '"
              + family.name()
              + "' are not known, because reshard load did not write it; scan without columns");
    }
    return schema.encodePrefix(prefix);
  }

  /** A column family by name, or the first. */
  static ColumnFamily family(Manifest manifest, @Nullable String name) {
    return name == null ? manifest.columnFamilies().get(0) : manifest.columnFamily(name);
  }
}
