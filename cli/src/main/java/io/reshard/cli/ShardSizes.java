package io.reshard.cli;

import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ShardRef;
import java.util.Arrays;

/** How evenly a version's bytes are spread over its shards. */
final class ShardSizes {
  private static final String BLOCKS = "▁▂▃▄▅▆▇█";
  private static final String ASCII_BLOCKS = "_.:-=+*#";
  private static final String EIGHTHS = " ▏▎▍▌▋▊▉";

  private final long[] sizes;
  private final long[] sorted;

  ShardSizes(long[] sizes) {
    this.sizes = sizes.clone();
    this.sorted = sizes.clone();
    Arrays.sort(sorted);
  }

  static ShardSizes of(Manifest manifest) {
    return new ShardSizes(manifest.shards().stream().mapToLong(ShardRef::bytes).toArray());
  }

  long smallest() {
    return sorted[0];
  }

  long median() {
    return sorted[sorted.length / 2];
  }

  long largest() {
    return sorted[sorted.length - 1];
  }

  /** Largest divided by mean; 1 is even. */
  double skew() {
    double mean = Arrays.stream(sizes).average().orElse(0);
    return mean == 0 ? 1 : largest() / mean;
  }

  /**
   * One line: a character for each of at most {@code width} groups of neighbouring shards, as high
   * as the largest shard of the group is against the largest of all.
   */
  String sparkline(Console console, int width) {
    String blocks = console.unicode() ? BLOCKS : ASCII_BLOCKS;
    int groups = Math.min(width, sizes.length);
    StringBuilder line = new StringBuilder();
    for (int group = 0; group < groups; group++) {
      double share = largest() == 0 ? 0 : (double) largestOf(group, groups) / largest();
      line.append(blocks.charAt((int) Math.min(7, Math.floor(share * 8))));
    }
    return line.toString();
  }

  /** Several lines: a bar for each of at most {@code lines} groups of neighbouring shards. */
  void printBars(Console console, int lines, int width) {
    int groups = Math.min(lines, sizes.length);
    int digits = Integer.toString(sizes.length - 1).length();
    for (int group = 0; group < groups; group++) {
      int first = first(group, groups);
      int last = first(group + 1, groups) - 1;
      String label = String.format("%" + digits + "d", first);
      label +=
          first == last
              ? (groups < sizes.length ? " ".repeat(digits + 1) : "")
              : "-" + String.format("%-" + digits + "d", last);
      long size = largestOf(group, groups);
      double share = largest() == 0 ? 0 : (double) size / largest();
      console.print(
          "  "
              + label
              + "  "
              + console.cyan(bar(console, share, width))
              + "  "
              + Units.bytes(size));
    }
  }

  /** A bar of at most {@code width} characters for a share of 0 to 1, padded. */
  static String bar(Console console, double share, int width) {
    long eighths = Math.round(Math.max(0, Math.min(1, share)) * width * 8);
    int full = (int) (eighths / 8);
    StringBuilder bar = new StringBuilder((console.unicode() ? "█" : "#").repeat(full));
    if (full < width) {
      bar.append(console.unicode() ? EIGHTHS.charAt((int) (eighths % 8)) : ' ');
    }
    return bar + " ".repeat(Math.max(0, width - bar.length()));
  }

  private int first(int group, int groups) {
    return (int) ((long) group * sizes.length / groups);
  }

  private long largestOf(int group, int groups) {
    long largest = 0;
    for (int shard = first(group, groups); shard < first(group + 1, groups); shard++) {
      largest = Math.max(largest, sizes[shard]);
    }
    return largest;
  }
}
