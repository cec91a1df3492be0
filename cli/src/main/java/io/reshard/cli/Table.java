package io.reshard.cli;

import java.util.ArrayList;
import java.util.List;

/** A table as text: numbers to the right, words to the left. */
final class Table {
  private static final String GAP = "  ";

  private final List<String> header;
  private final List<Integer> words;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * A table.
   *
   * @param words which columns hold words, by position
   * @param header names of the columns
   */
  Table(List<Integer> words, String... header) {
    this.words = List.copyOf(words);
    this.header = List.of(header);
  }

  /** Adds a row of as many cells as the header has. */
  void add(String... cells) {
    rows.add(List.of(cells));
  }

  /** Prints it. */
  void print(Console console) {
    int[] widths = new int[header.size()];
    widen(widths, header);
    rows.forEach(row -> widen(widths, row));
    console.print(console.bold(line(widths, header)));
    rows.forEach(row -> console.print(line(widths, row)));
  }

  private static void widen(int[] widths, List<String> cells) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], width(cells.get(i)));
    }
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }

  private String line(int[] widths, List<String> cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cells.get(i);
      String space = " ".repeat(widths[i] - width(cell));
      line.append(i == 0 ? "" : GAP);
      line.append(words.contains(i) ? cell + space : space + cell);
    }
    return line.toString().stripTrailing();
  }
}
