package io.reshard.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;

/** Guesses which option was meant by one that does not exist. */
final class Suggestions {
  private static final int MAX_DISTANCE = 3;

  private Suggestions() {}

  /**
   * What to say of the first argument that looks like an option and is none; empty if none does.
   */
  static Optional<String> unknownOption(Collection<String> args, Set<String> options) {
    return args.stream()
        .takeWhile(arg -> !arg.equals("--"))
        .filter(arg -> arg.startsWith("--"))
        .map(arg -> arg.contains("=") ? arg.substring(0, arg.indexOf('=')) : arg)
        .filter(arg -> !options.contains(arg))
        .findFirst()
        .map(
            arg ->
                "Unknown option: '"
                    + arg
                    + "'"
                    + nearest(arg, options).map(o -> "; did you mean " + o + "?").orElse(""));
  }

  private static Optional<String> nearest(String text, Set<String> words) {
    return words.stream()
        .filter(word -> distance(text, word) <= MAX_DISTANCE)
        .min(Comparator.comparingInt((String word) -> distance(text, word)).thenComparing(w -> w));
  }

  /** Levenshtein's: how many characters must be changed, added or dropped. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
