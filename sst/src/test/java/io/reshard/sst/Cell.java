package io.reshard.sst;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * One choice of a value for each option of a matrix. As text, {@code name=value} joined by blanks.
 */
record Cell(Map<String, String> values) {
  private static final int CANDIDATES = 60;

  String get(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no option '" + name + "' in " + this);
    }
    return value;
  }

  boolean is(String name, String value) {
    return value.equals(values.get(name));
  }

  int number(String name) {
    return Integer.parseInt(get(name));
  }

  Cell with(String name, String value) {
    Map<String, String> changed = new TreeMap<>(values);
    changed.put(name, value);
    return new Cell(changed);
  }

  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    values.forEach((name, value) -> parts.add(name + "=" + value));
    return String.join(" ", parts);
  }

  static Cell parse(String text) {
    Map<String, String> values = new TreeMap<>();
    for (String part : text.split(" ", -1)) {
      int equals = part.indexOf('=');
      values.put(part.substring(0, equals), part.substring(equals + 1));
    }
    return new Cell(values);
  }

  /**
   * Cells that together have every pair of values of two options that is possible: each is the one
   * of a handful of random candidates that has most pairs not seen yet.
   *
   * @param possible makes a cell possible, by changing values where it has to
   */
  static List<Cell> coverPairs(
      Random random, Map<String, List<String>> options, UnaryOperator<Cell> possible) {
    Set<String> missing = new HashSet<>();
    List<List<Map.Entry<String, String>>> pairs = pairs(options);
    pairs.forEach(pair -> missing.add(pair.toString()));
    List<Cell> cells = new ArrayList<>();
    for (List<Map.Entry<String, String>> pair : pairs) {
      if (!missing.contains(pair.toString())) {
        continue;
      }
      Cell best = null;
      int most = 0;
      for (int i = 0; i < CANDIDATES; i++) {
        Cell candidate = random(random, options);
        for (Map.Entry<String, String> value : pair) {
          candidate = candidate.with(value.getKey(), value.getValue());
        }
        candidate = possible.apply(candidate);
        int covered = 0;
        for (List<Map.Entry<String, String>> other : pairs) {
          covered += candidate.has(other) && missing.contains(other.toString()) ? 1 : 0;
        }
        if (candidate.has(pair) && covered > most) {
          best = candidate;
          most = covered;
        }
      }
      if (best == null) {
        // The two exclude each other.
        continue;
      }
      cells.add(best);
      for (List<Map.Entry<String, String>> other : pairs) {
        if (best.has(other)) {
          missing.remove(other.toString());
        }
      }
    }
    return cells;
  }

  private boolean has(List<Map.Entry<String, String>> pair) {
    return pair.stream().allMatch(value -> is(value.getKey(), value.getValue()));
  }

  private static Cell random(Random random, Map<String, List<String>> options) {
    Map<String, String> values = new TreeMap<>();
    options.forEach((name, all) -> values.put(name, all.get(random.nextInt(all.size()))));
    return new Cell(values);
  }

  private static List<List<Map.Entry<String, String>>> pairs(Map<String, List<String>> options) {
    List<List<Map.Entry<String, String>>> pairs = new ArrayList<>();
    List<String> names = List.copyOf(new LinkedHashMap<>(options).keySet());
    for (int i = 0; i < names.size(); i++) {
      for (int j = i + 1; j < names.size(); j++) {
        for (String left : options.getOrDefault(names.get(i), List.of())) {
          for (String right : options.getOrDefault(names.get(j), List.of())) {
            pairs.add(List.of(Map.entry(names.get(i), left), Map.entry(names.get(j), right)));
          }
        }
      }
    }
    return pairs;
  }
}
