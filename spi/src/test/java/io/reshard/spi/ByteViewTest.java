package io.reshard.spi;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ByteViewTest {
  private static final byte[] DIGITS = "0123456789".getBytes(US_ASCII);

  @Test
  void showsARangeWithoutCopying() {
    ByteView view = new ByteView(DIGITS, 2, 3);
    assertThat(view.array()).isSameAs(DIGITS);
    assertThat(view.offset()).isEqualTo(2);
    assertThat(view.length()).isEqualTo(3);
    assertThat(view.get(0)).isEqualTo((byte) '2');
    assertThat(view.toByteArray()).isEqualTo("234".getBytes(US_ASCII)).isNotSameAs(DIGITS);
    assertThat(view.contentEquals("234".getBytes(US_ASCII))).isTrue();
    assertThat(view.contentEquals("2345".getBytes(US_ASCII))).isFalse();
    assertThat(new ByteView().length()).isZero();
  }

  @Test
  void refusesARangeThatIsNotWithinTheArray() {
    int[][] bad = {
      {-1, 1},
      {0, -1},
      {0, 11},
      {10, 1},
      {11, 0},
      {Integer.MAX_VALUE, 1},
      {1, Integer.MAX_VALUE},
      {Integer.MAX_VALUE, Integer.MAX_VALUE},
      {Integer.MIN_VALUE, Integer.MIN_VALUE}
    };
    for (int[] range : bad) {
      assertThatThrownBy(() -> new ByteView(DIGITS, range[0], range[1]))
          .as("[%s, +%s)", range[0], range[1])
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    ByteView view = new ByteView(DIGITS, 1, 2);
    assertThatThrownBy(() -> view.set(DIGITS, 9, 2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(view.toByteArray()).isEqualTo("12".getBytes(US_ASCII));
    view.set(DIGITS, 10, 0);
    assertThat(view.length()).isZero();
  }

  @Test
  void comparesUnsignedByWhatIsInTheRange() {
    long seed = Long.getLong("reshard.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    byte[] array = new byte[64];
    for (int i = 0; i < 5_000; i++) {
      for (int j = 0; j < array.length; j++) {
        array[j] = (byte) (random.nextInt(4) * 0x55);
      }
      ByteView a = new ByteView(array, random.nextInt(32), random.nextInt(4));
      ByteView b = new ByteView(array, random.nextInt(32), random.nextInt(4));
      int expected = Integer.signum(Arrays.compareUnsigned(a.toByteArray(), b.toByteArray()));
      assertThat(Integer.signum(a.compareTo(b))).as("seed %s", seed).isEqualTo(expected);
      assertThat(Integer.signum(a.compareTo(b.toByteArray()))).isEqualTo(expected);
      assertThat(a.equals(b)).isEqualTo(expected == 0);
      if (expected == 0) {
        assertThat(a).hasSameHashCodeAs(b);
      }
    }
    assertThat(new ByteView(new byte[] {(byte) 0x80}))
        .isGreaterThan(new ByteView(new byte[] {0x7f}));
  }

  @Test
  void isReadableInMessages() {
    assertThat(new ByteView("key".getBytes(US_ASCII))).hasToString("\"key\"");
    assertThat(new ByteView(new byte[] {0, (byte) 0xff})).hasToString("0x00ff");
    assertThat(new ByteView()).hasToString("\"\"");
    assertThat(new ByteView(new byte[1000]).toString()).hasSizeLessThan(200).contains("1000 bytes");
  }
}
