package io.reshard.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the demo's state must be, computed from the flights with a plain hash map and nothing of
 * Reshard; and the comparison of a version's rows with it, row by row.
 */
final class ExpectedFlights {
  /** A row of the state. */
  static final class Row {
    private long flights;
    private long delay;
    private int seenInRound;

    long flights() {
      return flights;
    }

    long delay() {
      return delay;
    }
  }

  /**
   * What a comparison found.
   *
   * @param lost rows expected and not found
   * @param doubled rows found more than once
   * @param changed rows with another value
   * @param unknown rows nobody put there
   */
  record Difference(long lost, long doubled, long changed, long unknown) {
    boolean isNone() {
      return lost == 0 && doubled == 0 && changed == 0 && unknown == 0;
    }

    @Override
    public String toString() {
      return "lost "
          + lost
          + ", doubled "
          + doubled
          + ", changed "
          + changed
          + (unknown == 0 ? "" : ", unknown " + unknown);
    }
  }

  private static final int HOUR_LENGTH = "2001-01-01T00".length();

  private final Map<String, Row> rows = new HashMap<>();
  private int round;
  private long found;
  private long doubled;
  private long changed;
  private long unknown;

  /** Reads flights as CSV and adds them up. */
  static ExpectedFlights of(InputStream csv) throws IOException {
    ExpectedFlights expected = new ExpectedFlights();
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(csv, StandardCharsets.UTF_8))) {
      reader.readLine();
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        expected.add(line);
      }
    }
    return expected;
  }

  private void add(String line) {
    String[] fields = line.split(",", -1);
    String hour = fields[0].substring(0, HOUR_LENGTH) + ":00:00Z";
    Row row = rows.computeIfAbsent(key(fields[1], fields[2], hour), k -> new Row());
    row.flights++;
    row.delay += Long.parseLong(fields[3]);
  }

  private static String key(Object origin, Object destination, Object hour) {
    return origin + " " + destination + " " + hour;
  }

  /** Number of rows. */
  int size() {
    return rows.size();
  }

  /** The row of a key, columns separated by spaces. */
  Row row(String key) {
    return rows.getOrDefault(key, new Row());
  }

  /** Starts a comparison; then every row found is given to {@link #compare}. */
  void startComparison() {
    round++;
    found = 0;
    doubled = 0;
    changed = 0;
    unknown = 0;
  }

  /** Compares a row found. */
  void compare(List<?> key, List<?> value) {
    Row row = rows.get(key(key.get(0), key.get(1), key.get(2)));
    if (row == null) {
      unknown++;
      return;
    }
    if (row.seenInRound == round) {
      doubled++;
      return;
    }
    row.seenInRound = round;
    found++;
    if (!List.of(row.flights, row.delay).equals(value)) {
      changed++;
    }
  }

  /** Ends a comparison. */
  Difference difference() {
    return new Difference(rows.size() - found, doubled, changed, unknown);
  }

  /** Keys of the rows with the most flights, columns separated by spaces. */
  List<String> busiestRows(int count) {
    return rows.entrySet().stream()
        .sorted(
            Comparator.comparingLong((Map.Entry<String, Row> e) -> -e.getValue().flights)
                .thenComparing(Map.Entry::getKey))
        .limit(count)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Airports with the most flights from them. */
  List<String> busiestAirports(int count) {
    Map<String, Long> flights = new TreeMap<>();
    rows.forEach(
        (key, row) -> flights.merge(key.substring(0, key.indexOf(' ')), row.flights, Long::sum));
    return flights.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(count)
        .map(Map.Entry::getKey)
        .toList();
  }
}
