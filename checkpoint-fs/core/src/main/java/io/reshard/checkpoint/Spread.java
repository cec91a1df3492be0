package io.reshard.checkpoint;

import java.util.SplittableRandom;

/**
 * Spreads 128 bits of a hash over a table with open addressing. Names and hashes come from objects
 * that anybody may have written; so where one goes depends on a number that is another in every
 * process, and no choice of names makes a table slow.
 */
final class Spread {
  private static final long SEED = new SplittableRandom().nextLong();

  private Spread() {}

  static int of(long high, long low) {
    return (int) (mix(mix(high ^ SEED) + low) >>> 16);
  }

  /** The finalizer of SplitMix64. */
  private static long mix(long bits) {
    long mixed = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
