package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.ByteView;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.PartitionKeyExtractor;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Layouts, partition keys and where files are cut: what is on disk for good. */
class LayoutTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 100, 200, 199, 65_535, 65_536})
  void everySlotBelongsToTheShardWhoseRangeHoldsIt(int shards) {
    Layout layout = Layout.slots(shards);
    assertThat(layout.firstSlot(0)).isZero();
    assertThat(layout.firstSlot(shards)).isEqualTo(Layout.SLOTS);
    for (int slot = 0; slot < Layout.SLOTS; slot++) {
      int shard = layout.shardOfSlot(slot);
      assertThat(slot >= layout.firstSlot(shard) && slot < layout.firstSlot(shard + 1)).isTrue();
    }
  }

  /** Published test values of XXH3-64 and Murmur3 x86_32, seeds as the layouts have them. */
  @Test
  void hashesAreThoseTheNamesPromise() {
    Layout.Placer slots = Layout.slots(1).placer();
    assertThat(slots.hash(new ByteView(new byte[0]))).isEqualTo(0x2d06);
    assertThat(slots.hash(new ByteView(Rows.bytes("a")))).isEqualTo(0xe6c6);
    Layout.Placer modulo = new Layout(Layout.Kind.MODULO, 10, "murmur3-32", 0).placer();
    assertThat(modulo.hash(new ByteView(Rows.bytes("hello")))).isEqualTo(0x248bfa47);
    assertThat(modulo.shard(new ByteView(Rows.bytes("hello"))))
        .isEqualTo(Math.floorMod(0x248bfa47, 10));
  }

  @Test
  void unknownHashesAndSizesAreRefused() {
    assertKind(Kind.INCOMPATIBLE, () -> new Layout(Layout.Kind.SLOTS, 1, "murmur3-32", 0));
    assertKind(Kind.INCOMPATIBLE, () -> new Layout(Layout.Kind.MODULO, 1, "md5", 0));
    assertKind(Kind.INVALID, () -> new Layout(Layout.Kind.MODULO, 1, "murmur3-32", 1L << 40));
    assertKind(Kind.INVALID, () -> Layout.slots(0));
    assertKind(Kind.INVALID, () -> Layout.slots(65_537));
  }

  @ParameterizedTest
  @CsvSource({
    "whole,          abcdef, abcdef",
    "first:2,        abcdef, ab",
    "first:9,        abcdef, abcdef",
    "skip:2,         abcdef, cdef",
    "skip:9,         abcdef, ''",
  })
  void partitionKeysAreCutAsDeclared(String declared, String key, String expected) {
    assertThat(extract(declared, Rows.bytes(key))).isEqualTo(Rows.bytes(expected));
  }

  @Test
  void aLengthPrefixedKeyIsWhatItsLengthSays() {
    assertThat(extract("length-prefixed", new byte[] {0, 2, 'a', 'b', 'c'}))
        .isEqualTo(Rows.bytes("ab"));
    assertThat(extract("length-prefixed", new byte[] {0, 0})).isEmpty();
    assertKind(Kind.INVALID, () -> extract("length-prefixed", new byte[] {0, 2, 'a'}));
    assertKind(Kind.INVALID, () -> extract("length-prefixed", new byte[] {0}));
    assertKind(Kind.INVALID, () -> extract("named:nobody", new byte[0]));
  }

  private static byte[] extract(String declared, byte[] key) {
    PartitionKeyExtractor extractor = PartitionKeys.extractor(PartitionKey.parse(declared));
    byte[] padded = new byte[key.length + 4]; // Views do not start at 0.
    System.arraycopy(key, 0, padded, 3, key.length);
    ByteView partitionKey = new ByteView();
    extractor.extract(new ByteView(padded, 3, key.length), partitionKey);
    return partitionKey.toByteArray();
  }

  /**
   * A file large enough never crosses a boundary of the layouts with 2, 4 and 8 times the shards.
   */
  @Test
  void filesEndWhereShardsOfLargerLayoutsBegin() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      int shards = 1 + random.nextInt(500);
      int slot = random.nextInt(Layout.SLOTS - 1);
      int next = slot + 1 + random.nextInt(Math.min(300, Layout.SLOTS - slot - 1));
      long[] sizes = {0, CutRule.MIN_BYTES_2N, CutRule.MIN_BYTES_4N, CutRule.MIN_BYTES_8N};
      for (int growth = 0; growth < 4; growth++) {
        Layout grown = Layout.slots(shards << growth);
        boolean crosses = grown.shardOfSlot(slot) != grown.shardOfSlot(next);
        assertThat(CutRule.endsBetween(shards, slot, next, sizes[growth])).isEqualTo(crosses);
      }
    }
  }

  private static void assertKind(Kind kind, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }
}
