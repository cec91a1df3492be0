package io.reshard.tck;

import io.reshard.spi.ByteView;
import io.reshard.spi.WriteBatch;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * The writes of every version of a shard, known from a seed: the process that is killed applies
 * them, the one that looks afterwards knows what they come to.
 */
final class CrashHistory {
  private CrashHistory() {}

  /** What version {@code version} writes. */
  static WriteBatch batch(long seed, long version) {
    SplittableRandom random = new SplittableRandom(seed ^ (version * 0x9e3779b97f4a7c15L));
    WriteBatch batch = new WriteBatch();
    int operations = 20 + random.nextInt(100);
    for (int i = 0; i < operations; i++) {
      String columnFamily = random.nextInt(3) == 0 ? Fixture.TWO : Fixture.ONE;
      byte[] key = Rows.randomKey(random, 4);
      if (random.nextInt(4) == 0) {
        batch.delete(columnFamily, key);
      } else {
        boolean large = random.nextInt(200) == 0;
        batch.put(columnFamily, key, Rows.random(random, large ? 300_000 : random.nextInt(200)));
      }
    }
    return batch;
  }

  /** What a shard holds at a version. */
  static Map<String, NavigableMap<ByteView, ByteView>> content(long seed, long version) {
    Map<String, NavigableMap<ByteView, ByteView>> content =
        new HashMap<>(Map.of(Fixture.ONE, Rows.none(), Fixture.TWO, Rows.none()));
    for (long v = 1; v <= version; v++) {
      batch(seed, v)
          .forEach(
              new WriteBatch.Handler() {
                @Override
                public void put(String columnFamily, ByteView key, ByteView value) {
                  rows(columnFamily)
                      .put(new ByteView(key.toByteArray()), new ByteView(value.toByteArray()));
                }

                @Override
                public void delete(String columnFamily, ByteView key) {
                  rows(columnFamily).remove(key);
                }

                @Override
                public void deleteRange(String columnFamily, ByteView from, ByteView to) {
                  throw new IllegalStateException("there is none");
                }

                private NavigableMap<ByteView, ByteView> rows(String columnFamily) {
                  return Objects.requireNonNull(content.get(columnFamily));
                }
              });
    }
    return content;
  }
}
