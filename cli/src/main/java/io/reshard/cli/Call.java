package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code argument} or {@code name(argument)}, as columns and aggregates are written.
 *
 * @param name what stands before the parenthesis; empty where there is none
 * @param argument what stands in it, or the whole text
 */
record Call(String name, String argument) {
  static Call parse(String text) {
    String trimmed = text.strip();
    int open = trimmed.indexOf('(');
    if (open < 0 && !trimmed.isEmpty() && trimmed.indexOf(')') < 0) {
      return new Call("", trimmed);
    }
    if (open < 1 || !trimmed.endsWith(")")) {
      throw StateStoreException.invalid(
          "'" + text + "' is no column; give one like origin, hour(time) or sum(delay)");
    }
    return new Call(
        trimmed.substring(0, open).strip(),
        trimmed.substring(open + 1, trimmed.length() - 1).strip());
  }

  /** Splits at commas outside of parentheses. */
  static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '(') {
        depth++;
      } else if (c == ')') {
        depth--;
      } else if (c == ',' && depth == 0) {
        parts.add(text.substring(start, i).strip());
        start = i + 1;
      }
    }
    parts.add(text.substring(start).strip());
    return parts;
  }
}
