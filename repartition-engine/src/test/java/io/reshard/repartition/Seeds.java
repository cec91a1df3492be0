package io.reshard.repartition;

import java.util.Random;

/** Random numbers that can be replayed with {@code -Dreshard.seed=N}. */
final class Seeds {
  private Seeds() {}

  /** The seed of this run: given, or of the clock. */
  static long seed() {
    Long given = Long.getLong("reshard.seed");
    return given == null ? System.nanoTime() : given;
  }

  /** What a failing test should say. */
  static String replay(long seed) {
    return "replay with -Dreshard.seed=" + seed;
  }

  static Random random(long seed) {
    return new Random(seed);
  }
}
