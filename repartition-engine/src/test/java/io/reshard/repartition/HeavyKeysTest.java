package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ByteView;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HeavyKeysTest {
  private final long seed = Seeds.seed();
  private final Random random = Seeds.random(seed);

  @Test
  void isExactWhereTheKeysFit() {
    HeavyKeys heavy = new HeavyKeys();
    long most = 0;
    for (int shard = 0; shard < 5; shard++) {
      Map<Integer, Long> oracle = new HashMap<>();
      for (int i = 0; i < 20_000; i++) {
        int key = shard * 10_000 + random.nextInt(5000);
        long bytes = random.nextInt(100);
        heavy.add(view(key), bytes);
        most = Math.max(most, oracle.merge(key, bytes, Long::sum));
      }
      heavy.endShard();
    }
    assertThat(heavy.isExact()).isTrue();
    assertThat(heavy.heaviestBytes()).as(Seeds.replay(seed)).isEqualTo(most);
  }

  @Test
  void isAnUpperBoundWhereTheyDoNot() {
    HeavyKeys heavy = new HeavyKeys(1000);
    long hot = 0;
    for (int i = 0; i < 50_000; i++) {
      heavy.add(view(1 + random.nextInt(20_000)), 10);
      if (i % 10 == 0) {
        heavy.add(view(0), 50);
        hot += 50;
      }
    }
    assertThat(heavy.isExact()).isFalse();
    assertThat(heavy.heaviestBytes()).as(Seeds.replay(seed)).isBetween(hot, 2 * hot);
    assertThat(heavy.heaviestKey()).isEqualTo(view(0));
  }

  private static ByteView view(int key) {
    return new ByteView(ByteBuffer.allocate(4).putInt(key).array());
  }
}
