package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.SetDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LevelsTest {
  private int number;

  private FileRef file(int level, int from, int to, long smallest, long largest) {
    number++;
    return new FileRef(
        "c",
        "files/x",
        0,
        1,
        String.format("%064x", number),
        level,
        new byte[] {(byte) (from >>> 8), (byte) from},
        new byte[] {(byte) (to >>> 8), (byte) to},
        smallest,
        largest,
        0,
        SetDigest.of(1, 1, 1));
  }

  private static int source(FileRef file) {
    return file.firstSlot() / 100;
  }

  @Test
  void filesSinkAsDeepAsOlderOnesLetThem() {
    List<FileRef> files =
        List.of(
            file(6, 0, 99, 0, 0),
            file(0, 0, 99, 10, 19),
            file(0, 50, 99, 20, 29),
            file(0, 0, 40, 30, 39),
            file(0, 100, 199, 10, 99));
    assertThat(Levels.unite(files, LevelsTest::source))
        .extracting(FileRef::level)
        .containsExactly(6, 5, 4, 4, 6);
  }

  @Test
  void filesOfOneSourceStayWhereTheyAre() {
    List<FileRef> files = List.of(file(0, 0, 99, 10, 19), file(0, 0, 99, 20, 29));
    assertThat(Levels.unite(files, LevelsTest::source)).isEqualTo(files);
  }

  @Test
  void filesWhoseSequencesCrossStayWhereTheyAre() {
    List<FileRef> files =
        List.of(file(0, 0, 99, 10, 20), file(0, 0, 99, 20, 29), file(0, 100, 199, 0, 0));
    assertThat(Levels.unite(files, LevelsTest::source))
        .extracting(FileRef::level)
        .containsExactly(0, 0, 6);
  }

  @Test
  void whatHidAValueStillHidesIt() {
    long seed = Seeds.seed();
    Random random = Seeds.random(seed);
    for (int round = 0; round < 300; round++) {
      List<FileRef> files = new ArrayList<>();
      for (int source = 0; source < 3; source++) {
        long sequence = 1;
        int deep = random.nextInt(7);
        for (int i = random.nextInt(12); i > 0; i--) {
          int from = 100 * source + random.nextInt(100);
          int to = from + random.nextInt(100 * source + 100 - from);
          int level = deep > 0 ? deep : 0;
          deep = Math.max(0, deep - 1);
          files.add(file(level, from, to, sequence, sequence + 5));
          sequence += 6;
        }
      }
      List<FileRef> united = Levels.unite(files, LevelsTest::source);
      Map<String, FileRef> after = new HashMap<>();
      united.forEach(file -> after.put(file.sha256(), file));
      assertThat(after).hasSameSizeAs(files);
      for (FileRef older : united) {
        for (FileRef newer : united) {
          if (newer.smallestSequence() > older.largestSequence()
              && source(older) == source(newer)
              && Arrays.compareUnsigned(newer.smallestKey(), older.largestKey()) <= 0
              && Arrays.compareUnsigned(older.smallestKey(), newer.largestKey()) <= 0) {
            assertThat(newer.level() < older.level() || newer.level() + older.level() == 0)
                .as("%s over %s, %s", newer, older, Seeds.replay(seed))
                .isTrue();
          }
        }
      }
    }
  }

  @Test
  void sinksAsTheDefinitionSays() {
    long seed = Seeds.seed();
    Random random = Seeds.random(seed);
    for (int round = 0; round < 500; round++) {
      List<FileRef> files = new ArrayList<>();
      files.add(file(6, 100, 199, 0, 0)); // Of another source.
      int run = 1 + random.nextInt(6);
      for (int from = 0; from < 95; from += 2 + random.nextInt(20)) {
        // A run of a deep level, whose neighbours share a key now and then.
        files.add(file(run, from, from + 1 + random.nextInt(2), 0, 0));
      }
      int width = 1 + random.nextInt(60);
      long sequence = 1;
      for (int i = random.nextInt(30); i > 0; i--) {
        int from = random.nextInt(100);
        long smallest = sequence - (random.nextInt(100) == 0 ? 1 : 0);
        files.add(
            file(0, from, Math.min(99, from + random.nextInt(width)), smallest, sequence + 4));
        sequence += 5;
      }
      assertThat(Levels.unite(files, LevelsTest::source))
          .as("round %s, %s", round, Seeds.replay(seed))
          .containsExactlyInAnyOrderElementsOf(defined(files));
    }
  }

  /** Just above the deepest of the older files it overlaps; all as they were if two cross. */
  private static List<FileRef> defined(List<FileRef> files) {
    List<FileRef> placed = new ArrayList<>();
    List<FileRef> level0 = new ArrayList<>();
    files.forEach(file -> (file.level() == 0 ? level0 : placed).add(file));
    level0.sort(java.util.Comparator.comparingLong(FileRef::largestSequence));
    for (FileRef file : level0) {
      for (FileRef newer : level0.subList(level0.indexOf(file) + 1, level0.size())) {
        if (newer.smallestSequence() <= file.largestSequence() && overlap(file, newer)) {
          return files;
        }
      }
    }
    for (FileRef file : level0) {
      int level = 6;
      for (FileRef older : placed) {
        if (overlap(file, older)) {
          level = Math.min(level, older.level() - 1);
        }
      }
      placed.add(file.withLevel(Math.max(0, level)));
    }
    return placed;
  }

  private static boolean overlap(FileRef a, FileRef b) {
    return Arrays.compareUnsigned(a.smallestKey(), b.largestKey()) <= 0
        && Arrays.compareUnsigned(b.smallestKey(), a.largestKey()) <= 0;
  }
}
