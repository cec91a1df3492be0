package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.SetDigest;
import io.reshard.repartition.RepartitionOptions;
import io.reshard.repartition.RepartitionPlan;
import io.reshard.repartition.RepartitionResult;
import io.reshard.repartition.Repartitioner;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The demo: flights become state, the state is resized again and again, and nothing may be lost.
 *
 * <p>Three judges look at every step, none of which trusts another: the engine's own proof, which
 * aborts before it publishes; the verifier, which reads every byte again and must find the digest
 * of the step before; and {@link ExpectedFlights}, a hash map over the same flights that knows
 * nothing of Reshard and is compared with every row. At the end a store opened on the backend must
 * answer as before.
 */
final class Demo {
  private static final int AIRPORTS = 4;
  private static final int ROWS_LOOKED_UP = 4;

  private final Console console;
  private final DemoPrinter printer;
  private final CheckpointStore store;
  private final String backend;
  private final ExpectedFlights expected;
  private final DemoLookups lookups;
  private final RowSchema schema =
      RowSchema.parse("origin,destination,hour(time)", "", "count(),sum(delay)");
  private final TupleReader tuple = new TupleReader();
  private final List<String> airports;
  private final List<String> keys;

  Demo(
      Console console,
      DemoPrinter printer,
      CheckpointStore store,
      String backend,
      ExpectedFlights expected) {
    this.console = console;
    this.printer = printer;
    this.store = store;
    this.backend = backend;
    this.expected = expected;
    this.lookups = new DemoLookups(schema, ColumnFamily.DEFAULT_NAME);
    this.airports = expected.busiestAirports(AIRPORTS);
    this.keys = expected.busiestRows(ROWS_LOOKED_UP);
  }

  /**
   * Runs it.
   *
   * @return number of things looked up
   * @throws MismatchException if anything is not as it must be
   */
  int run(Layout layout, int[] targets, long flights) throws IOException {
    long start = System.nanoTime();
    Map<String, DemoLookups.Figures> before = load(layout, flights);
    double seconds = Units.toSeconds(System.nanoTime() - start);
    Manifest loaded = store.manifest(store.latestVersion());
    SetDigest digest = prove("load", loaded, seconds, null, null);
    for (int target : targets) {
      long version = store.latestVersion();
      int shards = store.manifest(version).layout().shards();
      RepartitionPlan plan = Repartitioner.plan(store, version, target);
      RepartitionResult result =
          RepartitionCommand.execute(console, store, plan, RepartitionOptions.defaults());
      prove(
          shards + " -> " + target,
          result.manifest(),
          Units.toSeconds(result.nanos()),
          result,
          digest);
    }
    compareLookups(before, askNewest());
    return before.size();
  }

  private Map<String, DemoLookups.Figures> load(Layout layout, long flights) throws IOException {
    Loader.Options options =
        new Loader.Options(
            ColumnFamily.DEFAULT_NAME, schema, Input.Format.CSV, ',', 0, false, false);
    try (StoreInUse use =
            StoreInUse.create(
                store,
                backend,
                BackendOptions.DEFAULT_MEMORY_BUDGET,
                layout,
                List.of(ColumnFamily.hashed(ColumnFamily.DEFAULT_NAME)));
        Input input = Input.of("flights", FlightSample.open(flights))) {
      RowTarget target = RowTarget.of(use.state(), ColumnFamily.DEFAULT_NAME);
      new Loader(target, Map.of(), options, console).load(input);
      return lookups.ask(use.state(), airports, keys);
    }
  }

  private Map<String, DemoLookups.Figures> askNewest() {
    try (StoreInUse use =
        StoreInUse.open(
            store, backend, BackendOptions.DEFAULT_MEMORY_BUDGET, store.latestVersion())) {
      return lookups.ask(use.state(), airports, keys);
    }
  }

  /** Verifies a version, compares it row by row and with the digest before, and shows it. */
  private SetDigest prove(
      String step,
      Manifest manifest,
      double seconds,
      @Nullable RepartitionResult result,
      @Nullable SetDigest before) {
    SetDigest rows =
        VerifyCommand.verify(console, store, manifest, Runtime.getRuntime().availableProcessors())
            .rows();
    ExpectedFlights.Difference difference = compareRows(manifest);
    printer.step(step, manifest, rows, seconds, result, difference);
    if (!difference.isNone()) {
      throw new MismatchException(
          "step '"
              + step
              + "', version "
              + manifest.version()
              + ": against the independent computation of "
              + expected.size()
              + " rows: "
              + difference);
    }
    if (before != null && !before.equals(rows)) {
      throw new MismatchException(
          "step '"
              + step
              + "', version "
              + manifest.version()
              + ": digest of the rows: expected "
              + before
              + ", found "
              + rows);
    }
    return rows;
  }

  private ExpectedFlights.Difference compareRows(Manifest manifest) {
    StateReader reader =
        new StateReader(store, manifest, manifest.columnFamily(ColumnFamily.DEFAULT_NAME));
    expected.startComparison();
    for (int shard = 0; shard < manifest.layout().shards(); shard++) {
      reader.scan(
          shard,
          (key, value) -> {
            expected.compare(schema.decodeKey(key, tuple), schema.decodeValue(value, tuple));
            return true;
          });
    }
    return expected.difference();
  }

  private void compareLookups(
      Map<String, DemoLookups.Figures> before, Map<String, DemoLookups.Figures> after) {
    printer.lookups(backend, before, after);
    if (!before.equals(after)) {
      throw new MismatchException(
          "lookups on " + backend + ": expected " + before + ", found " + after);
    }
    for (String key : keys) {
      ExpectedFlights.Row row = expected.row(key);
      DemoLookups.Figures figures = new DemoLookups.Figures(row.flights(), row.delay());
      if (!figures.equals(after.get(key))) {
        throw new MismatchException(
            "lookup of "
                + key
                + " on "
                + backend
                + ": expected "
                + figures
                + ", found "
                + after.get(key));
      }
    }
  }
}
