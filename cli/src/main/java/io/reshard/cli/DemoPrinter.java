package io.reshard.cli;

import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStoreMetrics;
import io.reshard.checkpoint.SetDigest;
import io.reshard.repartition.RepartitionResult;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shows the demo's steps as they are done: lines for a person, or one JSON object a step. */
final class DemoPrinter {
  private static final String COLUMNS = "%-10s %6s %8s %10s %10s %10s %7s %5s  %s";
  private static final int SPARKLINE_WIDTH = 50;

  private final Console console;
  private final boolean json;

  DemoPrinter(Console console, boolean json) {
    this.console = console;
    this.json = json;
  }

  /** Says what is coming. */
  void introduce(long flights, String backend, String layout, String where, boolean kept) {
    if (json) {
      return;
    }
    console.print(
        console.bold(Units.count(flights) + " real flights of January 2001")
            + " as keyed state on "
            + backend
            + ", layout "
            + layout);
    console.print("key (origin, destination, hour), value (flights, total delay)");
    console.print(
        "store " + where + (kept ? "" : " (deleted at the end; --keep or --store keeps it)"));
    console.print("");
    console.print(
        console.bold(
            String.format(
                Locale.ROOT,
                COLUMNS,
                "step",
                "shards",
                "rows",
                "bytes",
                "referenced",
                "rewritten",
                "time",
                "skew",
                "against an independent computation")));
  }

  /**
   * Shows a step and what its proof found.
   *
   * @param repartition what a repartition did; null for the load
   */
  void step(
      String name,
      Manifest manifest,
      SetDigest rows,
      double seconds,
      @Nullable RepartitionResult repartition,
      ExpectedFlights.Difference difference) {
    ShardSizes sizes = ShardSizes.of(manifest);
    if (json) {
      console.printJson(
          out -> {
            out.writeStringField("step", name);
            out.writeNumberField("version", manifest.version());
            out.writeNumberField("shards", manifest.layout().shards());
            out.writeNumberField("rows", rows.count());
            out.writeNumberField("bytes", manifest.bytes());
            out.writeNumberField(
                "bytesReferenced", repartition == null ? 0 : repartition.bytesReferenced());
            out.writeNumberField(
                "bytesWritten",
                repartition == null ? manifest.bytes() : repartition.bytesWritten());
            out.writeNumberField("seconds", seconds);
            out.writeNumberField("skew", sizes.skew());
            out.writeStringField("digest", rows.toString());
            out.writeNumberField("lost", difference.lost());
            out.writeNumberField("doubled", difference.doubled());
            out.writeNumberField("changed", difference.changed());
            out.writeNumberField("unknown", difference.unknown());
          });
      return;
    }
    String found = difference.toString();
    console.print(
        String.format(
            Locale.ROOT,
            COLUMNS,
            name,
            manifest.layout().shards(),
            Units.count(rows.count()),
            Units.bytes(manifest.bytes()),
            repartition == null ? "" : Units.bytes(repartition.bytesReferenced()),
            repartition == null ? "" : Units.bytes(repartition.bytesWritten()),
            Units.seconds(seconds),
            Units.factor(sizes.skew()),
            difference.isNone() ? console.green(found) : console.red(found)));
    console.print(
        "           "
            + console.cyan(sizes.sparkline(console, SPARKLINE_WIDTH))
            + console.dim(
                "  smallest "
                    + Units.bytes(sizes.smallest())
                    + ", largest "
                    + Units.bytes(sizes.largest())));
  }

  /** Shows what was looked up before and after. */
  void lookups(
      String backend,
      Map<String, DemoLookups.Figures> before,
      Map<String, DemoLookups.Figures> after) {
    if (!json) {
      console.print("");
      console.print(
          console.bold(
              String.format(
                  Locale.ROOT,
                  "%-30s %26s    %26s",
                  "looked up on " + backend,
                  "before",
                  "after")));
    }
    before.forEach((what, figures) -> lookup(what, figures, after.getOrDefault(what, figures)));
  }

  private void lookup(String what, DemoLookups.Figures before, DemoLookups.Figures after) {
    if (json) {
      console.printJson(
          out -> {
            out.writeStringField("lookup", what);
            out.writeNumberField("flightsBefore", before.flights());
            out.writeNumberField("delayBefore", before.delay());
            out.writeNumberField("flightsAfter", after.flights());
            out.writeNumberField("delayAfter", after.delay());
          });
      return;
    }
    boolean same = before.equals(after);
    console.print(
        String.format(
            Locale.ROOT,
            "%-30s %26s %s %26s",
            what.indexOf(' ') < 0 ? "from " + what : what,
            text(before),
            same ? console.green("= ") : console.red("!="),
            text(after)));
  }

  private static String text(DemoLookups.Figures figures) {
    double mean = figures.flights() == 0 ? 0 : (double) figures.delay() / figures.flights();
    return String.format(Locale.ROOT, "%,7d flights %+6.1f min", figures.flights(), mean);
  }

  /** The last line. */
  void conclude(int rows, String path, int lookups, String kept, ObjectStoreMetrics requests) {
    if (json) {
      console.printJson(
          out -> {
            out.writeStringField("result", "ok");
            out.writeNumberField("rows", rows);
            out.writeNumberField("lost", 0);
            out.writeNumberField("doubled", 0);
            out.writeNumberField("changed", 0);
            StorePlace.write(out, requests);
          });
      return;
    }
    console.print("");
    if (requests.requests() > 0) {
      console.print(console.dim(StorePlace.describe(requests)));
    }
    if (!kept.isEmpty()) {
      console.print("kept " + kept + "; look at it with reshard list --store " + kept);
    }
    console.print(
        console.bold(console.green("OK"))
            + "  "
            + path
            + " shards, "
            + Units.count(rows)
            + " rows, "
            + lookups
            + " lookups the same: lost 0, doubled 0, changed 0");
  }
}
