package io.reshard.repartition;

import java.util.ArrayList;
import java.util.List;

/**
 * An arithmetic progression of shard numbers: a residue class of a modulo layout, or a run of
 * neighbours in a slots layout.
 *
 * @param first the first shard
 * @param step distance between two of them, at least 1
 * @param count how many they are
 */
record Shards(int first, int step, int count) {
  /** The i-th shard. */
  int get(int i) {
    return first + i * step;
  }

  /** Where a shard stands among these; -1 if it is none of them. */
  int indexOf(int shard) {
    int distance = shard - first;
    int index = step == 1 ? distance : distance / step;
    return distance >= 0 && index < count && index * step == distance ? index : -1;
  }

  /** These shards in at most {@code parts} parts of about the same size, in order. */
  List<Shards> split(int parts) {
    int n = Math.min(parts, count);
    List<Shards> result = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      int from = (int) ((long) i * count / n);
      int to = (int) ((long) (i + 1) * count / n);
      result.add(new Shards(get(from), step, to - from));
    }
    return result;
  }

  /** Greatest common divisor. */
  static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  @Override
  public String toString() {
    int last = get(count - 1);
    if (count == 1) {
      return "shard " + first;
    }
    return count + " shards " + first + (step == 1 ? ".." : ", " + (first + step) + " .. ") + last;
  }
}
