package io.reshard.benchmarks;

import java.util.Locale;
import java.util.OptionalDouble;

/**
 * A target, and what was measured.
 *
 * @param id names it in {@code notes.properties}, where what bounds it is explained
 * @param text what is to be reached
 * @param unit of the numbers
 * @param bound the number that is to be reached
 * @param atMost whether less is better
 * @param measured empty where it was not measured
 */
record Target(
    String id, String text, String unit, double bound, boolean atMost, OptionalDouble measured) {

  static Target atMost(String id, String text, String unit, double bound, OptionalDouble measured) {
    return new Target(id, text, unit, bound, true, measured);
  }

  static Target atLeast(
      String id, String text, String unit, double bound, OptionalDouble measured) {
    return new Target(id, text, unit, bound, false, measured);
  }

  boolean isMet() {
    return measured.isPresent()
        && (atMost ? measured.getAsDouble() <= bound : measured.getAsDouble() >= bound);
  }

  /** "met", or by what factor it was missed. */
  String verdict() {
    if (measured.isEmpty()) {
      return "not measured";
    }
    if (isMet()) {
      return "met";
    }
    double factor = atMost ? measured.getAsDouble() / bound : bound / measured.getAsDouble();
    return String.format(Locale.ROOT, "**missed** by %s ×", Markdown.number(factor));
  }

  String wanted() {
    return (atMost ? "≤ " : "≥ ") + Markdown.number(bound) + " " + unit;
  }

  String found() {
    return measured.isEmpty() ? "–" : Markdown.number(measured.getAsDouble()) + " " + unit;
  }
}
