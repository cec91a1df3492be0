package io.reshard.tck;

import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.assertFails;
import static io.reshard.tck.Fixture.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ByteView;
import io.reshard.spi.Limits;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The longest keys and values. */
interface LimitsSuite extends Suite {
  @Test
  default void required_S105_the_longest_key_is_taken() {
    ShardStore store = fixture().open();
    byte[] longest = Rows.random(new SplittableRandom(1), Limits.MAX_KEY_BYTES);
    byte[] almost = Arrays.copyOf(longest, longest.length - 1);
    put(store, ONE, longest, Rows.bytes("longest"));
    put(store, ONE, almost, Rows.bytes("almost"));
    for (int version = 1; version <= 2; version++) {
      assertThat(store.get(ONE, longest)).isEqualTo(Rows.bytes("longest"));
      assertThat(Rows.keys(Rows.all(store, ONE)))
          .isEqualTo(List.of(new ByteView(almost), new ByteView(longest)));
      store.commit(version);
    }
  }

  @Test
  default void required_S105_the_longest_value_is_taken() {
    ShardStore store = fixture().open();
    byte[] longest = Rows.random(new SplittableRandom(2), Limits.MAX_VALUE_BYTES);
    put(store, ONE, Rows.bytes("k"), longest);
    store.commit(1);
    assertThat(Arrays.equals(store.get(ONE, Rows.bytes("k")), longest)).isTrue();
    try (StateIterator rows = store.scan(ONE, ScanRange.all())) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.value().contentEquals(longest)).isTrue();
    }
  }

  @Test
  default void required_S105_a_longer_key_is_refused() {
    ShardStore store = fixture().open();
    byte[] tooLong = new byte[Limits.MAX_KEY_BYTES + 1];
    assertFails("get", Kind.INVALID, () -> store.get(ONE, tooLong));
    assertFails(
        "multiGet",
        Kind.INVALID,
        () -> store.multiGet(ONE, new byte[][] {Rows.bytes("k"), tooLong}));
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
    put(store, ONE, "k", "v");
  }
}
