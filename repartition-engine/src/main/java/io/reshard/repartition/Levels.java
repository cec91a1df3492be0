package io.reshard.repartition;

import io.reshard.checkpoint.FileRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * Finds LSM levels for files of several source shards that come to lie in one target shard.
 *
 * <p>Level 0 is where a database puts what it has just flushed; files there may overlap, every read
 * looks at all of them, and a database with some dozens of them stops taking writes until it has
 * compacted. Uniting a hundred shards with a few such files each would start there. But no two
 * files of different sources overlap, so each can sink from level 0 as deep as the older files of
 * its own source let it: to just above the deepest one it overlaps. Nothing is rewritten for it:
 * the level is a word in the file list. Whatever hid a value before lies above it after, and files
 * of one level above 0 do not overlap.
 *
 * <p>Which of two overlapping files is the older follows from their sequence numbers. Where those
 * cross, a source's files stay where they are.
 */
final class Levels {
  private static final int DEEPEST = 6;

  private Levels() {}

  /**
   * The files of a target shard, those of level 0 sunk where files of several sources meet.
   *
   * @param files files of HASHED column families in a slots layout
   * @param source the source shard of a file
   */
  static List<FileRef> unite(List<FileRef> files, ToIntFunction<FileRef> source) {
    Map<String, Map<Integer, List<FileRef>>> parts = new TreeMap<>();
    for (FileRef file : files) {
      parts
          .computeIfAbsent(file.columnFamily(), name -> new TreeMap<>())
          .computeIfAbsent(source.applyAsInt(file), shard -> new ArrayList<>())
          .add(file);
    }
    List<FileRef> united = new ArrayList<>(files.size());
    for (Map<Integer, List<FileRef>> sources : parts.values()) {
      sources.values().forEach(part -> united.addAll(sources.size() > 1 ? sunk(part) : part));
    }
    return united;
  }

  private static List<FileRef> sunk(List<FileRef> files) {
    List<FileRef> level0 = new ArrayList<>();
    Coverage[] levels = new Coverage[DEEPEST + 1];
    Arrays.setAll(levels, level -> new Coverage());
    for (FileRef file : files) {
      if (file.level() == 0) {
        level0.add(file);
      } else {
        levels[file.level()].add(file);
      }
    }
    level0.sort(Comparator.comparingLong(FileRef::largestSequence));
    if (!isOrdered(level0)) {
      return files;
    }
    IdentityHashMap<FileRef, FileRef> moved = new IdentityHashMap<>();
    for (FileRef file : level0) {
      int level = 0;
      while (level <= DEEPEST && !levels[level].overlaps(file)) {
        level++;
      }
      FileRef sunk = file.withLevel(Math.max(0, level - 1));
      levels[sunk.level()].add(sunk);
      moved.put(file, sunk);
    }
    List<FileRef> result = new ArrayList<>(files.size());
    files.forEach(file -> result.add(file.level() == 0 ? moved.getOrDefault(file, file) : file));
    return result;
  }

  /**
   * Whether of any two that overlap all sequence numbers of one are below those of the other. Goes
   * through the sequence numbers: files that are under way at once must not overlap.
   */
  private static boolean isOrdered(List<FileRef> byLargestSequence) {
    List<FileRef> bySmallestSequence = new ArrayList<>(byLargestSequence);
    bySmallestSequence.sort(Comparator.comparingLong(FileRef::smallestSequence));
    Coverage underWay = new Coverage();
    int ended = 0;
    for (FileRef file : bySmallestSequence) {
      while (byLargestSequence.get(ended).largestSequence() < file.smallestSequence()) {
        underWay.remove(byLargestSequence.get(ended));
        ended++;
      }
      if (underWay.overlaps(file)) {
        return false;
      }
      underWay.add(file);
    }
    return true;
  }
}
