package io.reshard.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ScanRangeTest {
  private static byte[] b(int... unsigned) {
    byte[] bytes = new byte[unsigned.length];
    for (int i = 0; i < unsigned.length; i++) {
      bytes[i] = (byte) unsigned[i];
    }
    return bytes;
  }

  private static boolean shows(ScanRange range, byte[] key) {
    return (range.from() == null || Arrays.compareUnsigned(key, range.from()) >= 0)
        && (range.to() == null || Arrays.compareUnsigned(key, range.to()) < 0);
  }

  @Test
  void successorIsTheNextKeyThatDoesNotStartWithThePrefix() {
    assertThat(ScanRange.successor(b('a'))).isEqualTo(b('b'));
    assertThat(ScanRange.successor(b('a', 0xff))).isEqualTo(b('b'));
    assertThat(ScanRange.successor(b(0x7f))).isEqualTo(b(0x80));
    assertThat(ScanRange.successor(b(0xfe, 0xff, 0xff))).isEqualTo(b(0xff));
    assertThat(ScanRange.successor(b(0, 0))).isEqualTo(b(0, 1));
    assertThat(ScanRange.successor(b(0xff))).isNull();
    assertThat(ScanRange.successor(b(0xff, 0xff))).isNull();
    assertThat(ScanRange.successor(b())).isNull();
  }

  @Test
  void aPrefixRangeHoldsExactlyWhatStartsWithIt() {
    long seed = Long.getLong("reshard.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] prefix = extreme(random, 3);
      byte[] key = extreme(random, 5);
      boolean starts =
          key.length >= prefix.length
              && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
      assertThat(shows(ScanRange.prefix(prefix), key))
          .as("key %s, prefix %s, seed %s", new ByteView(key), new ByteView(prefix), seed)
          .isEqualTo(starts);
    }
  }

  /** Up to {@code max} bytes, mostly 0xff and 0. */
  private static byte[] extreme(SplittableRandom random, int max) {
    byte[] bytes = new byte[random.nextInt(max + 1)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(3) - 1);
    }
    return bytes;
  }

  @Test
  void thePrefixIsNotChanged() {
    byte[] prefix = b('a', 0xff);
    ScanRange.prefix(prefix);
    assertThat(prefix).isEqualTo(b('a', 0xff));
  }

  @Test
  void isEmptyWhereNoKeyCanBe() {
    assertThat(range(b('a'), b('b')).isEmpty()).isFalse();
    assertThat(range(b('a'), b('a')).isEmpty()).isTrue();
    assertThat(range(b('b'), b('a')).isEmpty()).isTrue();
    assertThat(range(b(0x80), b(0x7f)).isEmpty()).isTrue();
    assertThat(range(b(0x7f), b(0x80)).isEmpty()).isFalse();
    assertThat(range(null, b('a')).isEmpty()).isFalse();
    assertThat(range(b('a'), null).isEmpty()).isFalse();
    assertThat(ScanRange.all().isEmpty()).isFalse();
  }

  private static ScanRange range(byte @Nullable [] from, byte @Nullable [] to) {
    return ScanRange.between(from, to);
  }

  @Test
  void reversedTurnsTheDirectionAndNothingElse() {
    byte[] from = b('a');
    byte[] to = b('b');
    ScanRange reversed = ScanRange.between(from, to).reversed();
    assertThat(reversed.direction()).isEqualTo(ScanRange.Direction.REVERSE);
    assertThat(reversed.from()).isSameAs(from);
    assertThat(reversed.to()).isSameAs(to);
    assertThat(reversed.reversed().direction()).isEqualTo(ScanRange.Direction.FORWARD);
  }
}
