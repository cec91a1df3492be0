package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.sst.SstSource;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HashingSourceTest {
  /** Reads that overlap, leave gaps or go back: the hash is always that of the whole. */
  @Test
  void theHashIsThatOfTheWholeHoweverItIsRead() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      byte[] bytes = new byte[random.nextInt(600_000)];
      random.nextBytes(bytes);
      HashingSource source = new HashingSource(SstSource.ofBytes("file", bytes));
      byte[] window = new byte[bytes.length + 10];
      int position = 0;
      for (int i = 0; i < random.nextInt(30) && bytes.length > 0; i++) {
        int jump = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : position;
        int length = random.nextInt(Math.min(40_000, bytes.length - jump) + 1);
        source.read(jump, window, 10, length);
        position = Math.max(0, jump + length - random.nextInt(100));
      }
      assertThat(source.sha256()).as("seed %s", seed).isEqualTo(Sha256.of(bytes, 0, bytes.length));
    }
  }
}
