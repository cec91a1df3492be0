package io.reshard.checkpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Chooses the LSM levels that files have in a backend after an import.
 *
 * <p>An exported file may have become eight aligned pieces, and every piece of a level 0 file is a
 * level 0 file: a restored database would count eight where there was one, stop its writers and
 * compact at once, and export all that anew. But pieces do not overlap. So the oldest files of
 * level 0 that overlap nothing older and nothing below are put on the deepest level in use, where a
 * compaction would put them.
 *
 * <p>Why that is right: a level further down must only hold older entries of a key than those above
 * it. A file sinks only past files that it does not overlap, and each file of level 0 that overlaps
 * a sunk one has greater sequence numbers throughout.
 */
final class ImportLevels {
  private ImportLevels() {}

  /** Levels by position in the list. */
  static int[] of(List<FileRef> files) {
    int[] levels = files.stream().mapToInt(FileRef::level).toArray();
    Map<String, List<Integer>> families = new HashMap<>();
    for (int i = 0; i < levels.length; i++) {
      families.computeIfAbsent(files.get(i).columnFamily(), name -> new ArrayList<>()).add(i);
    }
    families.values().forEach(family -> sink(files, family, levels));
    return levels;
  }

  private static void sink(List<FileRef> files, List<Integer> family, int[] levels) {
    List<Integer> top = new ArrayList<>();
    int deepest = 0;
    for (int i : family) {
      if (levels[i] == 0) {
        top.add(i);
      }
      deepest = Math.max(deepest, levels[i]);
    }
    int target = deepest == 0 ? FileRef.MAX_LEVEL : deepest;
    Extents sunk = new Extents();
    Extents staying = new Extents();
    for (int i : family) {
      if (levels[i] > 0) {
        (levels[i] == target ? sunk : staying).add(files.get(i));
      }
    }
    top.sort(Comparator.comparingLong(i -> files.get(i).largestSequence()));
    List<Integer> sinking = new ArrayList<>();
    for (int i : top) {
      FileRef file = files.get(i);
      List<FileRef> below = sunk.overlapping(file);
      if (below.isEmpty() && staying.overlapping(file).isEmpty()) {
        sunk.add(file);
        sinking.add(i);
      } else if (below.stream()
          .anyMatch(
              older -> older.level() == 0 && older.largestSequence() >= file.smallestSequence())) {
        return; // Neither is older throughout: leave all as it was.
      } else {
        staying.add(file);
      }
    }
    sinking.forEach(i -> levels[i] = target);
  }

  /** Key ranges to look for overlaps in. Few: the files of one column family of one shard. */
  private static final class Extents {
    private final List<FileRef> files = new ArrayList<>();

    void add(FileRef file) {
      files.add(file);
    }

    List<FileRef> overlapping(FileRef file) {
      return files.stream()
          .filter(
              other ->
                  Arrays.compareUnsigned(other.smallestKey(), file.largestKey()) <= 0
                      && Arrays.compareUnsigned(file.smallestKey(), other.largestKey()) <= 0)
          .toList();
    }
  }
}
