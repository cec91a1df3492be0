package io.reshard.tck;

import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.TWO;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ByteView;
import io.reshard.spi.Capability;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardStore;
import io.reshard.spi.WriteBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The order of keys. */
interface OrderingSuite extends Suite {
  /** Writes keys in another order than theirs, half of them committed, and gives what is shown. */
  private List<ByteView> shown(ScanRange range, byte[]... ascending) {
    ShardStore store = fixture().open();
    List<byte[]> shuffled = new ArrayList<>(Arrays.asList(ascending));
    Collections.rotate(shuffled, ascending.length / 2);
    Collections.swap(shuffled, 0, ascending.length - 1);
    for (int i = 0; i < shuffled.size(); i++) {
      store.write(new WriteBatch().put(TWO, shuffled.get(i), bytes(i)));
      if (i == shuffled.size() / 2) {
        store.commit(1);
      }
    }
    return Rows.keys(Rows.drain(store.scan(TWO, range)));
  }

  private static List<ByteView> views(byte[]... keys) {
    return Arrays.stream(keys).map(ByteView::new).toList();
  }

  @Test
  default void required_S103_bytes_compare_unsigned() {
    byte[][] keys = {
      bytes(0x00), bytes(0x01), bytes(0x7e), bytes(0x7f), bytes(0x80), bytes(0x81), bytes(0xff)
    };
    assertThat(shown(ScanRange.all(), keys)).isEqualTo(views(keys));
  }

  @Test
  default void required_S103_a_prefix_comes_before_what_it_starts() {
    byte[][] keys = {
      bytes(),
      bytes("a"),
      bytes('a', 0),
      bytes('a', 0, 0),
      bytes('a', 0, 1),
      bytes('a', 1),
      bytes("aa"),
      bytes("aaa"),
      bytes('a', 0xff),
      bytes('a', 0xff, 0xff),
      bytes("b")
    };
    assertThat(shown(ScanRange.all(), keys)).isEqualTo(views(keys));
  }

  @Test
  default void required_S103_zero_and_ff_bytes() {
    byte[][] keys = {
      bytes(),
      bytes(0),
      bytes(0, 0),
      bytes(0, 0, 0),
      bytes(0, 0xff),
      bytes(1),
      bytes(0xfe, 0xff),
      bytes(0xff),
      bytes(0xff, 0),
      bytes(0xff, 0xff),
      bytes(0xff, 0xff, 0),
      bytes(0xff, 0xff, 0xff)
    };
    assertThat(shown(ScanRange.all(), keys)).isEqualTo(views(keys));
  }

  @Test
  default void optional_S103_order_is_the_opposite_in_reverse_REVERSE_SCAN() {
    fixture().requires(Capability.REVERSE_SCAN);
    byte[][] descending = {
      bytes(0xff, 0xff), bytes(0xff), bytes(0x80), bytes(0x7f, 0xff), bytes(0x7f), bytes(0), bytes()
    };
    byte[][] ascending = descending.clone();
    Collections.reverse(Arrays.asList(ascending));
    assertThat(shown(ScanRange.all().reversed(), ascending)).isEqualTo(views(descending));
  }

  @Test
  default void required_S103_many_random_keys() {
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(10);
              ShardStore store = fixture().open();
              NavigableMap<ByteView, ByteView> expected = Rows.none();
              WriteBatch batch = new WriteBatch();
              for (int i = 0; i < 3000; i++) {
                byte[] key =
                    i % 2 == 0
                        ? Rows.randomKey(random, 8)
                        : Rows.random(random, random.nextInt(40));
                byte[] value = Rows.random(random, random.nextInt(30));
                batch.put(ONE, key, value);
                Rows.put(expected, key, value);
                if (i % 700 == 0) {
                  store.write(batch);
                  batch.clear();
                  store.commit(i + 1);
                }
              }
              store.write(batch);
              Rows.assertRows(store, ONE, expected);
              store.commit(10_000);
              Rows.assertRows(store, ONE, expected);
            });
  }

  @Test
  default void required_S103_order_of_writing_does_not_matter() {
    fixture()
        .seeded(
            () -> {
              List<byte[]> keys = new ArrayList<>();
              RandomGenerator random = fixture().random(11);
              for (int i = 0; i < 200; i++) {
                keys.add(Rows.randomKey(random, 5));
              }
              List<List<ByteView>> results = new ArrayList<>();
              for (int round = 0; round < 3; round++) {
                SplittableRandom order = new SplittableRandom(fixture().seed() + round);
                for (int i = keys.size(); i > 1; i--) {
                  Collections.swap(keys, i - 1, order.nextInt(i));
                }
                ShardStore store = fixture().open();
                keys.forEach(key -> store.write(new WriteBatch().put(ONE, key, key)));
                results.add(Rows.keys(Rows.all(store, ONE)));
                store.close();
              }
              assertThat(results.get(0)).isSorted().doesNotHaveDuplicates();
              assertThat(results.get(1)).isEqualTo(results.get(0));
              assertThat(results.get(2)).isEqualTo(results.get(0));
            });
  }
}
