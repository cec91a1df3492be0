package io.reshard.benchmarks.shared;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One measurement on its way from a harness to the report: a line on standard output that starts
 * with {@value #MARK} and goes on with a flat JSON object of strings, numbers and booleans. What
 * else a harness prints is for a person.
 *
 * <p>Every harness is a {@code main} that can be run on its own.
 */
public final class Figure {
  /** What such a line starts with. */
  public static final String MARK = "FIGURE ";

  private final Map<String, Object> values = new LinkedHashMap<>();

  private Figure(String name) {
    values.put("name", name);
  }

  /**
   * Starts a figure.
   *
   * @param name what was measured; runs of the same have the same name
   */
  public static Figure of(String name) {
    return new Figure(name);
  }

  /** Adds a number. */
  public Figure with(String key, double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(key + " is " + value);
    }
    values.put(key, value);
    return this;
  }

  /** Adds a number. */
  public Figure with(String key, long value) {
    values.put(key, value);
    return this;
  }

  /** Adds a text. */
  public Figure with(String key, String value) {
    values.put(key, value);
    return this;
  }

  /** Adds a truth. */
  public Figure with(String key, boolean value) {
    values.put(key, value);
    return this;
  }

  /** A number that was added. */
  public double number(String key) {
    if (values.get(key) instanceof Number number) {
      return number.doubleValue();
    }
    throw new IllegalArgumentException("no number " + key + " in " + this);
  }

  /** Prints it as a line of its own. */
  public void print() {
    print(System.out);
  }

  /** Prints it as a line of its own. */
  public void print(PrintStream out) {
    out.println(MARK + this);
    out.flush();
  }

  /** The JSON. */
  @Override
  public String toString() {
    StringBuilder json = new StringBuilder("{");
    values.forEach(
        (key, value) -> {
          if (json.length() > 1) {
            json.append(',');
          }
          quote(json, key);
          json.append(':');
          if (value instanceof String text) {
            quote(json, text);
          } else {
            json.append(value);
          }
        });
    return json.append('}').toString();
  }

  private static void quote(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append(String.format("\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }
}
