package io.reshard.repartition;

import io.reshard.checkpoint.FileRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
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
    List<FileRef> placed = new ArrayList<>();
    List<FileRef> level0 = new ArrayList<>();
    files.forEach(file -> (file.level() == 0 ? level0 : placed).add(file));
    level0.sort(Comparator.comparingLong(FileRef::largestSequence));
    if (!isOrdered(level0)) {
      return files;
    }
    Map<FileRef, FileRef> moved = new HashMap<>();
    for (FileRef file : level0) {
      int level = DEEPEST;
      for (FileRef older : placed) {
        if (overlap(file, older)) {
          level = Math.min(level, older.level() - 1);
        }
      }
      FileRef sunk = atLevel(file, Math.max(0, level));
      placed.add(sunk);
      moved.put(file, sunk);
    }
    return files.stream().map(file -> moved.getOrDefault(file, file)).toList();
  }

  /** Whether of any two that overlap all sequence numbers of one are below those of the other. */
  private static boolean isOrdered(List<FileRef> bySequence) {
    for (int i = 0; i < bySequence.size(); i++) {
      for (int j = i + 1; j < bySequence.size(); j++) {
        FileRef older = bySequence.get(i);
        FileRef newer = bySequence.get(j);
        if (newer.smallestSequence() <= older.largestSequence() && overlap(older, newer)) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean overlap(FileRef a, FileRef b) {
    return Arrays.compareUnsigned(a.smallestKey(), b.largestKey()) <= 0
        && Arrays.compareUnsigned(b.smallestKey(), a.largestKey()) <= 0;
  }

  private static FileRef atLevel(FileRef file, int level) {
    return level == file.level()
        ? file
        : new FileRef(
            file.columnFamily(),
            file.object(),
            file.offset(),
            file.length(),
            file.sha256(),
            level,
            file.smallestKey(),
            file.largestKey(),
            file.smallestSequence(),
            file.largestSequence(),
            file.deletions(),
            file.digest());
  }
}
