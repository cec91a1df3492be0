package io.reshard.benchmarks.shared;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Arguments of a harness: {@code name=value}, each with a value unless the harness has one. */
public final class Arguments {
  private final Map<String, String> values = new LinkedHashMap<>();

  private Arguments() {}

  /** Reads them. */
  public static Arguments of(String... arguments) {
    Arguments result = new Arguments();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("'" + argument + "'; expected name=value");
      }
      result.values.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    return result;
  }

  /** A text that must be there. */
  public String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("argument " + name + "= is missing; given: " + values);
    }
    return value;
  }

  /** A text. */
  public String text(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }

  /** A path that must be there. */
  public Path path(String name) {
    return Path.of(text(name));
  }

  /** A number. */
  public long number(String name, long otherwise) {
    return Long.parseLong(text(name, Long.toString(otherwise)));
  }

  /** A number of modest size. */
  public int integer(String name, int otherwise) {
    return Math.toIntExact(number(name, otherwise));
  }

  /** A number of modest size that must be there. */
  public int integer(String name) {
    return Integer.parseInt(text(name));
  }

  /** Numbers with commas between them. */
  public List<Integer> integers(String name) {
    return Stream.of(text(name).split(",")).map(Integer::parseInt).toList();
  }

  /** A truth. */
  public boolean flag(String name) {
    return Boolean.parseBoolean(text(name, "false"));
  }
}
