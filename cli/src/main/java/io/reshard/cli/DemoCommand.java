package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code reshard demo}. */
@Command(
    name = "demo",
    description = {
      "Load real flights as keyed state, resize it 200 -> 100 -> 400 -> 200, prove nothing is lost.",
      "",
      "After every step each row is compared with an independent computation; exit code 3 if"
          + " anything differs."
    },
    footer = {
      "  reshard demo",
      "  reshard demo --store ./demo --rows 1000000",
      "  reshard demo --backend memory --layout modulo --json",
      "  reshard demo --store s3://bucket/demo --store-option s3.region=eu-west-1"
    })
final class DemoCommand extends Verb {
  private static final int SHARDS = 200;
  private static final int[] TARGETS = {100, 400, 200};
  private static final long MAX_ROWS = 10_000_000;

  @Option(
      names = "--store",
      order = 0,
      paramLabel = "LOCATION",
      description =
          "Make the store here and keep it: "
              + StorePlace.WHAT
              + " (default: a temporary directory).")
  String location = "";

  @Mixin StorePlace place = new StorePlace();

  @Option(
      names = "--rows",
      order = 1,
      paramLabel = "N",
      description = "Flights to load (default: 180000; more repeat them at later times).")
  long rows = FlightSample.RECORDS;

  @Option(
      names = "--backend",
      order = 2,
      paramLabel = "NAME",
      description = "rocksdb (default), memory, or another one on the class path.")
  String backend = "rocksdb";

  @Option(
      names = "--layout",
      order = 3,
      paramLabel = "LAYOUT",
      description = "slots (default) or modulo.")
  Layout.Kind layout = Layout.Kind.SLOTS;

  @Option(names = "--keep", order = 4, description = "Keep the temporary directory.")
  boolean keep;

  DemoCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run() throws IOException {
    if (rows < 1 || rows > MAX_ROWS) {
      throw StateStoreException.invalid("--rows " + rows + "; give 1 to " + MAX_ROWS);
    }
    StateStoreProviders.find(backend);
    if (!location.isEmpty()) {
      return run(location, true);
    }
    Path directory = Files.createTempDirectory("reshard-demo-");
    try {
      return run(directory.toString(), keep);
    } finally {
      if (!keep) {
        WorkDirectory.deleteTree(directory);
      }
    }
  }

  private ExitCode run(String where, boolean kept) throws IOException {
    DemoPrinter printer = new DemoPrinter(console(), json);
    Layout first = layout == Layout.Kind.MODULO ? Layout.modulo(SHARDS) : Layout.slots(SHARDS);
    try (CheckpointStore store = CheckpointStore.create(place.open(where))) {
      printer.introduce(rows, backend, layout.label(), where, kept);
      ExpectedFlights expected = ExpectedFlights.of(FlightSample.open(rows));
      Demo demo = new Demo(console(), printer, store, backend, expected);
      int lookups = demo.run(first, TARGETS, rows);
      printer.conclude(
          expected.size(), path(), lookups, kept ? where : "", store.objects().metrics());
    }
    return ExitCode.OK;
  }

  private static String path() {
    StringBuilder path = new StringBuilder().append(SHARDS);
    for (int target : TARGETS) {
      path.append(" -> ").append(target);
    }
    return path.toString();
  }
}
