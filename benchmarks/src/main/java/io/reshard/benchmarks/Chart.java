package io.reshard.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The picture: who takes how long, and how it grows. Logarithmic scales, so points and not bars.
 * Colours are readable on white and on black.
 */
final class Chart {
  private static final int WIDTH = 860;
  private static final int ROW = 22;
  private static final int LABEL = 230;
  private static final int PLOT = 480;
  private static final int SMALL = 200;
  private static final int SMALL_HEIGHT = 150;
  private static final String OURS = "#2f81f7";
  private static final String OTHERS = "#b26a00";
  private static final String ALL_ROWS = "#9a6ee8";

  private final Map<String, Figures> parts;
  private final StringBuilder body = new StringBuilder();
  private int y = 24;

  private record Dot(String label, boolean ours, OptionalDouble seconds) {}

  private record Curve(String label, String colour, List<double[]> points) {}

  Chart(Map<String, Figures> parts) {
    this.parts = parts;
    dots("Half as many shards, LZ4, seconds (log scale)", rewriteDots());
    dots("Beside Spark: Spark's own repartition and Reshard, same rows", sparkDots());
    curves();
  }

  private Figures part(String name) {
    return parts.getOrDefault(name, new Figures(List.of()));
  }

  private List<Dot> rewriteDots() {
    Figures all = part("rewrite").named("rewrite").where("compression", "LZ4");
    List<Dot> dots = new ArrayList<>();
    Figures reference = part("reference").named("reference");
    if (!reference.isEmpty()) {
      Figures step = ReferencePart.steps(reference).get(0);
      dots.add(new Dot("Reshard, slots: referenced", true, step.median("seconds")));
    }
    if (!all.isEmpty()) {
      Figures step = ReferencePart.steps(all).get(0);
      dots.add(dot("copy of the files", step, "copy", 1));
      dots.add(dot("Reshard, modulo: 2 threads", step, "reshard", 2));
      dots.add(dot("Reshard, modulo: 1 thread", step, "reshard", 1));
      dots.add(dot("RocksJava SST streaming", step, "sst", 1));
      dots.add(dot("RocksJava put", step, "put", 1));
    }
    return dots;
  }

  private static Dot dot(String label, Figures step, String rival, int threads) {
    return new Dot(
        label,
        rival.equals("reshard"),
        step.where("rival", rival).where("threads", threads).median("seconds"));
  }

  private List<Dot> sparkDots() {
    Figures all = part("spark");
    List<Dot> dots = new ArrayList<>();
    for (Figures step : ReferencePart.steps(all.named("spark"))) {
      String label = ReferencePart.label(step);
      dots.add(new Dot("Spark " + label, false, step.median("seconds")));
      for (String layout : List.of("modulo", "slots")) {
        dots.add(
            new Dot(
                "Reshard, " + layout + " " + label,
                true,
                ReferencePart.sameStep(all.named(layout), step).median("seconds")));
      }
    }
    return dots;
  }

  private void dots(String title, List<Dot> dots) {
    List<Dot> known = dots.stream().filter(dot -> dot.seconds.isPresent()).toList();
    if (known.isEmpty()) {
      return;
    }
    double least = known.stream().mapToDouble(d -> d.seconds.getAsDouble()).min().orElse(1);
    double most = known.stream().mapToDouble(d -> d.seconds.getAsDouble()).max().orElse(1);
    int from = (int) Math.floor(Math.log10(least));
    int to = Math.max(from + 1, (int) Math.ceil(Math.log10(most)));
    text(10, y, "start", "h", title);
    y += 14;
    int top = y;
    int bottom = top + known.size() * ROW;
    for (int power = from; power <= to; power++) {
      double x = LABEL + PLOT * (double) (power - from) / (to - from);
      line(x, top, x, bottom, "g");
      text(x, bottom + 14, "middle", "s", seconds(Math.pow(10, power)));
    }
    for (Dot dot : known) {
      double value = dot.seconds.getAsDouble();
      double x = LABEL + PLOT * (Math.log10(value) - from) / (to - from);
      y += ROW;
      text(LABEL - 10, y - 7, "end", "t", dot.label);
      circle(x, y - 11, 5, dot.ours ? OURS : OTHERS);
      text(x + 10, y - 7, "start", "t", Markdown.number(value) + " s");
    }
    y = bottom + 44;
  }

  private static String seconds(double value) {
    return value < 1
        ? Markdown.number(value * 1000).replaceAll("\\.0+$", "") + " ms"
        : Markdown.number(value).replaceAll("\\.0+$", "") + " s";
  }

  private void curves() {
    int x = 60;
    boolean any = false;
    for (GrowthPart.Axis axis : GrowthPart.Axis.values()) {
      List<Curve> curves = new ArrayList<>();
      curves.add(curve("rewrite", ALL_ROWS, axis, "modulo"));
      curves.add(curve("reference", OURS, axis, "slots"));
      if (curves.stream().noneMatch(curve -> curve.points.isEmpty())) {
        plot(x, title(axis), curves);
        any = true;
      }
      x += SMALL + 72;
    }
    if (any) {
      y += SMALL_HEIGHT + 60;
    }
  }

  private static String title(GrowthPart.Axis axis) {
    return switch (axis) {
      case ROWS -> "seconds by rows";
      case SHARDS -> "seconds by shards";
      case VALUES -> "seconds by bytes of a value";
    };
  }

  private Curve curve(String label, String colour, GrowthPart.Axis axis, String layout) {
    List<double[]> points = new ArrayList<>();
    for (Figures point : GrowthPart.curve(part("growth"), axis, layout)) {
      points.add(
          new double[] {
            Math.log10(point.median(axis.key).orElse(1)),
            Math.log10(Math.max(1e-6, point.median("seconds").orElse(1)))
          });
    }
    return new Curve(label, colour, points);
  }

  private void plot(int left, String title, List<Curve> curves) {
    double[] x = range(curves, 0);
    double[] z = range(curves, 1);
    z[0] = Math.floor(z[0]);
    z[1] = Math.max(z[0] + 1, Math.ceil(z[1]));
    text(left, y, "start", "h", title);
    int top = y + 14;
    int bottom = top + SMALL_HEIGHT;
    for (int power = (int) z[0]; power <= z[1]; power++) {
      double at = bottom - SMALL_HEIGHT * (power - z[0]) / (z[1] - z[0]);
      line(left, at, left + SMALL, at, "g");
      text(left - 6, at + 4, "end", "s", seconds(Math.pow(10, power)));
    }
    for (Curve curve : curves) {
      StringBuilder path = new StringBuilder();
      for (double[] point : curve.points) {
        double px = left + SMALL * (point[0] - x[0]) / Math.max(1e-9, x[1] - x[0]);
        double py = bottom - SMALL_HEIGHT * (point[1] - z[0]) / (z[1] - z[0]);
        path.append(String.format(Locale.ROOT, "%.1f,%.1f ", px, py));
        circle(px, py, 3.5, curve.colour);
      }
      body.append(
          String.format(
              "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>%n",
              path.toString().strip(), curve.colour));
    }
    for (double[] point : curves.get(0).points) {
      double px = left + SMALL * (point[0] - x[0]) / Math.max(1e-9, x[1] - x[0]);
      text(px, bottom + 16, "middle", "s", count(Math.pow(10, point[0])));
    }
    int legend = left;
    for (Curve curve : curves) {
      circle(legend + 5, bottom + 32, 4, curve.colour);
      text(legend + 14, bottom + 36, "start", "s", curve.label);
      legend += 90;
    }
  }

  private static double[] range(List<Curve> curves, int index) {
    double least = Double.MAX_VALUE;
    double most = -Double.MAX_VALUE;
    for (Curve curve : curves) {
      for (double[] point : curve.points) {
        least = Math.min(least, point[index]);
        most = Math.max(most, point[index]);
      }
    }
    return new double[] {least, most};
  }

  private static String count(double value) {
    long whole = Math.round(value);
    if (whole >= 1_000_000) {
      return whole / 1_000_000 + " M";
    }
    return whole >= 1_000 ? whole / 1_000 + " K" : Long.toString(whole);
  }

  private void text(double x, double at, String anchor, String style, String content) {
    body.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">%s</text>%n",
            x,
            at,
            anchor,
            style,
            content));
  }

  private void line(double x1, double y1, double x2, double y2, String style) {
    body.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>%n",
            x1,
            y1,
            x2,
            y2,
            style));
  }

  private void circle(double x, double at, double radius, String colour) {
    body.append(
        String.format(
            Locale.ROOT,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>%n",
            x,
            at,
            radius,
            colour));
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" font-family="system-ui, sans-serif">
        <style>
        text { fill: #57606a } .h { font-size: 14px; font-weight: 600 } .t { font-size: 13px } .s { font-size: 11px }
        .g { stroke: #8b949e; stroke-opacity: .35 }
        @media (prefers-color-scheme: dark) { text { fill: #9da7b1 } }
        </style>
        %s</svg>
        """,
        WIDTH,
        Math.max(60, y),
        WIDTH,
        body);
  }
}
