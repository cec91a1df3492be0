package io.reshard.repartition;

import io.reshard.checkpoint.FileRef;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The keys that some files reach over, as ranges that do not overlap: whatever overlaps a range
 * overlaps a file in it. Finding out takes the logarithm of the number of files.
 */
final class Coverage {
  /** Greatest keys by smallest keys. */
  private final TreeMap<byte[], byte[]> ranges = new TreeMap<>(Arrays::compareUnsigned);

  /** Whether a file's range shares a key with one that was added. */
  boolean overlaps(FileRef file) {
    Map.Entry<byte[], byte[]> before = ranges.floorEntry(file.largestKey());
    return before != null && Arrays.compareUnsigned(before.getValue(), file.smallestKey()) >= 0;
  }

  /** Adds a file's range; the ranges it overlaps become one with it. */
  void add(FileRef file) {
    byte[] smallest = file.smallestKey();
    byte[] largest = file.largestKey();
    while (true) {
      Map.Entry<byte[], byte[]> before = ranges.floorEntry(largest);
      if (before == null || Arrays.compareUnsigned(before.getValue(), smallest) < 0) {
        ranges.put(smallest, largest);
        return;
      }
      ranges.remove(before.getKey());
      if (Arrays.compareUnsigned(before.getKey(), smallest) < 0) {
        smallest = before.getKey();
      }
      if (Arrays.compareUnsigned(before.getValue(), largest) > 0) {
        largest = before.getValue();
      }
    }
  }

  /** Removes a range that was added and was never one with another. */
  void remove(FileRef file) {
    ranges.remove(file.smallestKey());
  }
}
