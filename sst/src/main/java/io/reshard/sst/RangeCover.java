package io.reshard.sst;

import io.reshard.spi.ByteView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Range deletions laid over one another: for every key the newest one over it. Made of fragments
 * that do not overlap, at most twice as many as there are deletions, in order; keys are asked for
 * in order, so a step forward answers. Used by one thread.
 */
final class RangeCover {
  /** No range deletion: no entry has a smaller sequence number. */
  static final long NONE = -1;

  private final List<RangeDeletion> fragments;
  private int at;

  /**
   * Lays deletions over one another.
   *
   * @param sequence greatest sequence number that counts
   */
  RangeCover(List<RangeDeletion> deletions, long sequence) {
    List<RangeDeletion> sorted = new ArrayList<>();
    for (RangeDeletion deletion : deletions) {
      if (deletion.sequence() <= sequence
          && Arrays.compareUnsigned(deletion.begin(), deletion.end()) < 0) {
        sorted.add(deletion);
      }
    }
    sorted.sort(Comparator.comparing(RangeDeletion::begin, Arrays::compareUnsigned));
    this.fragments = fragments(sorted);
  }

  /**
   * Goes from one place where a deletion begins or the newest one ends to the next, with those that
   * have begun in a queue, newest first. One that has ended is dropped when it comes to its front.
   */
  private static List<RangeDeletion> fragments(List<RangeDeletion> byBegin) {
    PriorityQueue<RangeDeletion> begun =
        new PriorityQueue<>(Comparator.comparingLong(RangeDeletion::sequence).reversed());
    List<RangeDeletion> fragments = new ArrayList<>();
    byte @Nullable [] place = null;
    int next = 0;
    while (true) {
      while (!begun.isEmpty()
          && place != null
          && Arrays.compareUnsigned(begun.element().end(), place) <= 0) {
        begun.remove();
      }
      if (begun.isEmpty()) {
        if (next == byBegin.size()) {
          return fragments;
        }
        place = byBegin.get(next).begin();
      }
      while (next < byBegin.size()
          && place != null
          && Arrays.compareUnsigned(byBegin.get(next).begin(), place) <= 0) {
        begun.add(byBegin.get(next++));
      }
      RangeDeletion newest = begun.element();
      byte[] end = newest.end();
      if (next < byBegin.size() && Arrays.compareUnsigned(byBegin.get(next).begin(), end) < 0) {
        end = byBegin.get(next).begin();
      }
      if (place != null && Arrays.compareUnsigned(place, end) < 0) {
        fragments.add(new RangeDeletion(place, end, newest.sequence()));
      }
      place = end;
    }
  }

  /**
   * The sequence number of the newest deletion over a key, below which all its entries are gone;
   * {@link #NONE} if there is none.
   *
   * @param key not below the one asked for before
   */
  long over(ByteView key) {
    while (at < fragments.size()) {
      RangeDeletion fragment = fragments.get(at);
      if (key.compareTo(fragment.end()) < 0) {
        return key.compareTo(fragment.begin()) < 0 ? NONE : fragment.sequence();
      }
      at++;
    }
    return NONE;
  }
}
