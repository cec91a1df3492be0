package io.reshard.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Writes a report. */
final class Markdown {
  private final StringBuilder text = new StringBuilder();

  /** Three significant digits. */
  static String number(double value) {
    double size = Math.abs(value);
    if (size == 0) {
      return "0";
    }
    if (size >= 1000) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(
        Locale.ROOT,
        size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f",
        value);
  }

  static String number(OptionalDouble value) {
    return value.isPresent() ? number(value.getAsDouble()) : "–";
  }

  /** A share of the whole, empty where one of them is. */
  static OptionalDouble ratio(OptionalDouble a, OptionalDouble b) {
    return a.isPresent() && b.isPresent() && b.getAsDouble() != 0
        ? OptionalDouble.of(a.getAsDouble() / b.getAsDouble())
        : OptionalDouble.empty();
  }

  static OptionalDouble times(OptionalDouble a, double factor) {
    return a.isPresent() ? OptionalDouble.of(a.getAsDouble() * factor) : a;
  }

  /** "12.3 ×". */
  static String factor(OptionalDouble ratio) {
    return ratio.isPresent() ? number(ratio.getAsDouble()) + " ×" : "–";
  }

  Markdown heading(String heading) {
    return paragraph("## " + heading);
  }

  Markdown paragraph(String paragraph) {
    text.append(paragraph).append("\n\n");
    return this;
  }

  /** A table; the first column is text, the others are numbers. */
  Markdown table(List<String> head, List<List<String>> rows) {
    row(head);
    text.append('|').append(" --- |").append(" ---: |".repeat(head.size() - 1)).append('\n');
    rows.forEach(this::row);
    text.append('\n');
    return this;
  }

  private void row(List<String> cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
