package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.Layout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlotBoundariesTest {
  @Test
  void isFreeWhereNoFileLiesAcross() {
    long seed = Seeds.seed();
    Random random = Seeds.random(seed);
    for (int round = 0; round < 300; round++) {
      SlotBoundaries boundaries = new SlotBoundaries();
      List<int[]> files = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        int first = random.nextInt(Layout.SLOTS);
        int last = Math.min(Layout.SLOTS - 1, first + random.nextInt(1 + random.nextInt(20_000)));
        boundaries.add(first, last);
        files.add(new int[] {first, last});
      }
      int shards = 1 + random.nextInt(random.nextBoolean() ? 8 : Layout.MAX_SHARDS);
      Layout layout = Layout.slots(shards);
      boolean free =
          files.stream()
              .allMatch(file -> layout.shardOfSlot(file[0]) == layout.shardOfSlot(file[1]));
      assertThat(boundaries.areFree(layout))
          .as("%s, %s", layout, Seeds.replay(seed))
          .isEqualTo(free);
      assertThat(boundaries.files()).isEqualTo(files.size());
    }
  }

  @Test
  void theOuterEndsAreNoBoundaries() {
    SlotBoundaries boundaries = new SlotBoundaries();
    boundaries.add(0, Layout.SLOTS - 1);
    assertThat(boundaries.areFree(Layout.slots(1))).isTrue();
    assertThat(boundaries.areFree(Layout.slots(2))).isFalse();
  }
}
