package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Manifest;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code reshard get}. */
@Command(
    name = "get",
    description = "Print one row; exit code 3 if it is not there.",
    footer = {
      "  reshard get --store ./state ATL LAX 2001-01-01T08:00:00Z",
      "  reshard get --store ./state --version 3 ATL LAX 2001-01-01T08:00:00Z --json",
      "  reshard get --store ./other --hex 00ff17"
    })
final class GetCommand extends StoreVerb {
  @Parameters(
      paramLabel = "COLUMN",
      arity = "1..*",
      description = "The key, column by column; or one hexadecimal text with --hex.")
  List<String> columns = List.of();

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

  @Option(names = "--hex", order = 3, description = "The key is given as hexadecimal digits.")
  boolean hex;

  GetCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run(CheckpointStore store) {
    Manifest manifest = manifest(store, version);
    ColumnFamily family = ScanCommand.family(manifest, columnFamily);
    RowSchema schema = RowSchema.of(manifest.properties(), family.name());
    byte[] key = key(schema, family);
    StateReader reader = new StateReader(store, manifest, family);
    byte[] value = reader.get(key);
    if (value == null) {
      throw new MismatchException(
          "no row with key "
              + String.join(" ", columns)
              + " in shard "
              + reader.shardOf(key)
              + " of version "
              + manifest.version());
    }
    try (RowPrinter printer = new RowPrinter(console(), json, schema)) {
      printer.printHeader();
      printer.print(new ByteView(key), new ByteView(value));
    }
    return ExitCode.OK;
  }

  private byte[] key(@Nullable RowSchema schema, ColumnFamily family) {
    if (hex) {
      try {
        return HexFormat.of().parseHex(columns.get(0));
      } catch (IllegalArgumentException e) {
        throw StateStoreException.invalid(
            "'" + columns.get(0) + "' is not hexadecimal; give an even number of digits 0-9, a-f");
      }
    }
    if (schema == null) {
      throw StateStoreException.invalid(
          "the columns of column family '"
              + family.name()
              + "' are not known, because reshard load did not write it; give the key with --hex");
    }
    return schema.encodeKey(columns);
  }
}
