package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Rows;
import io.reshard.checkpoint.Layout;
import io.reshard.sst.Compression;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How time grows with rows, shards and values: one of them at a time, on both paths. */
final class GrowthPart implements Part {
  /** What grows. */
  enum Axis {
    /** Number of rows. */
    ROWS("rows"),
    /** Number of shards. */
    SHARDS("sourceShards"),
    /** Bytes of a value. */
    VALUES("valueBytes");

    final String key;

    Axis(String key) {
      this.key = key;
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private record Point(Axis axis, int rows, int shards, int valueBytes) {}

  private static final int SHARDS = 200;
  private static final int ROWS = 1_000_000;
  private static final int REPEAT = 3;

  /** Bytes of values on the axis of values, which therefore has fewer rows the larger they are. */
  private static final int VALUES_BYTES = 128 << 20;

  private static final int MOST_ROWS = 2_000_000;

  @Override
  public String name() {
    return "growth";
  }

  private static List<Point> points(boolean quick) {
    if (quick) {
      return List.of(
          new Point(Axis.ROWS, 1_000, 20, Rows.VALUE_BYTES),
          new Point(Axis.ROWS, 10_000, 20, Rows.VALUE_BYTES),
          new Point(Axis.SHARDS, 10_000, 10, Rows.VALUE_BYTES),
          new Point(Axis.SHARDS, 10_000, 100, Rows.VALUE_BYTES),
          new Point(Axis.VALUES, 10_000, 20, 16),
          new Point(Axis.VALUES, 100, 20, 64 << 10));
    }
    List<Point> points = new ArrayList<>();
    for (int rows : new int[] {100_000, 1_000_000, 10_000_000}) {
      points.add(new Point(Axis.ROWS, rows, SHARDS, Rows.VALUE_BYTES));
    }
    for (int shards : new int[] {10, 100, 1_000, 10_000}) {
      points.add(new Point(Axis.SHARDS, ROWS, shards, Rows.VALUE_BYTES));
    }
    for (int bytes : new int[] {16, 128, 1 << 10, 8 << 10, 64 << 10}) {
      points.add(new Point(Axis.VALUES, Math.min(MOST_ROWS, VALUES_BYTES / bytes), SHARDS, bytes));
    }
    return points;
  }

  @Override
  public void run(Harness harness) {
    Path data = harness.settings().fast();
    int repeat = Math.min(REPEAT, harness.settings().repeat());
    for (Point point : points(harness.settings().quick())) {
      for (Layout layout : List.of(Layout.modulo(point.shards), Layout.slots(point.shards))) {
        Directories.empty(data);
        harness.sources(data, layout, Compression.LZ4, point.rows, point.valueBytes, false);
        for (int run = 0; run < repeat; run++) {
          ReferencePart.measure(
              harness,
              point.axis.label(),
              data,
              layout,
              Integer.toString(point.shards / 2),
              point.valueBytes);
        }
        Directories.delete(data);
      }
    }
  }

  /** The points of a curve: figures of one value of the axis and one layout each. */
  static List<Figures> curve(Figures figures, Axis axis, String layout) {
    Figures own = figures.named(axis.label()).where("layout", layout);
    return own.values(axis.key).stream().map(value -> own.where(axis.key, value)).toList();
  }

  @Override
  public void report(Figures figures, Markdown out) {
    out.heading("How it grows");
    out.paragraph(
        "Half as many shards, two threads, seconds. One thing grows, the others stay: 1,000,000 rows"
            + " (for values: as many as make 128 MiB, at most 2,000,000), 200 shards, 100 bytes.");
    List<List<String>> rows = new ArrayList<>();
    for (Axis axis : Axis.values()) {
      for (Figures point : curve(figures, axis, "modulo")) {
        Object value = point.values(axis.key).get(0);
        Figures slots = figures.named(axis.label()).where("layout", "slots").where(axis.key, value);
        rows.add(
            List.of(
                String.format(Locale.ROOT, "%s %,d", axis.label(), ((Number) value).longValue()),
                Markdown.number(Markdown.times(point.median("bytes"), 1e-6)),
                Markdown.number(point.median("seconds")),
                Markdown.number(slots.median("seconds"))));
      }
    }
    out.table(List.of("", "state, MB", "modulo, rewritten", "slots, referenced"), rows);
  }

  @Override
  public List<Target> targets(Figures figures) {
    return List.of();
  }
}
