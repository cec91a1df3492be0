package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tuples come back as written, their bytes are in their order, and damage is noticed. */
class TupleTest {
  private static final long SEED = Long.getLong("reshard.seed", 7);
  private static final String[] TEXTS = {
    "", "\0", "\0\0", "a", "a\0", "a\0b", "ab", "\u00ff", "\ud83d\ude00", "\u0001"
  };
  private static final long[] NUMBERS = {Long.MIN_VALUE, -256, -1, 0, 1, 255, 256, Long.MAX_VALUE};
  private static final double[] REALS = {
    Double.NEGATIVE_INFINITY,
    -Double.MAX_VALUE,
    -1.5,
    -Double.MIN_VALUE,
    0,
    Double.MIN_VALUE,
    1,
    1e300,
    Double.POSITIVE_INFINITY,
    Double.NaN
  };

  private record Tuple(String text, long number, double real, boolean bool, String last)
      implements Comparable<Tuple> {
    byte[] encode() {
      TupleWriter out = new TupleWriter();
      out.text(text);
      out.number(number);
      out.real(real);
      out.bool(bool);
      out.text(last);
      return out.toByteArray();
    }

    static Tuple decode(byte[] bytes) {
      TupleReader in = new TupleReader();
      in.start(new ByteView(bytes));
      Tuple tuple = new Tuple(in.text(), in.number(), in.real(), in.bool(), in.text());
      in.end();
      return tuple;
    }

    @Override
    public int compareTo(Tuple other) {
      return Comparator.comparing(Tuple::text, TupleTest::compareCodePoints)
          .thenComparingLong(Tuple::number)
          .thenComparingDouble(Tuple::real)
          .thenComparing(Tuple::bool)
          .thenComparing(Tuple::last, TupleTest::compareCodePoints)
          .compare(this, other);
    }
  }

  private static int compareCodePoints(String a, String b) {
    return Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
  }

  private static Tuple random(Random random) {
    return new Tuple(
        TEXTS[random.nextInt(TEXTS.length)],
        NUMBERS[random.nextInt(NUMBERS.length)],
        REALS[random.nextInt(REALS.length)],
        random.nextBoolean(),
        TEXTS[random.nextInt(TEXTS.length)]);
  }

  @Test
  void tuplesComeBackInOrderAndApart() {
    Random random = new Random(SEED);
    List<Tuple> tuples = new ArrayList<>();
    Map<String, Tuple> byBytes = new HashMap<>();
    for (int i = 0; i < 3000; i++) {
      Tuple tuple = random(random);
      byte[] bytes = tuple.encode();
      assertThat(Tuple.decode(bytes)).as("seed %d", SEED).isEqualTo(tuple);
      Tuple other = byBytes.putIfAbsent(Arrays.toString(bytes), tuple);
      assertThat(other == null ? tuple : other).as("seed %d", SEED).isEqualTo(tuple);
      tuples.add(tuple);
    }
    List<Tuple> byOrderOfBytes = new ArrayList<>(tuples);
    byOrderOfBytes.sort((a, b) -> Arrays.compareUnsigned(a.encode(), b.encode()));
    tuples.sort(null);
    assertThat(byOrderOfBytes).as("seed %d", SEED).isEqualTo(tuples);
  }

  @Test
  void minusZeroIsZero() {
    assertThat(new Tuple("", 0, -0.0, true, "").encode())
        .isEqualTo(new Tuple("", 0, 0.0, true, "").encode());
  }

  @Test
  void everyCutAndMostFlipsAreCorruptAndNothingElseEscapes() {
    byte[] bytes = new Tuple("a\0b", -5, 2.5, true, "é").encode();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> Tuple.decode(cut))
          .isInstanceOfSatisfying(
              StateStoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.CORRUPT));
    }
    for (int i = 0; i < bytes.length * 8; i++) {
      byte[] flipped = bytes.clone();
      flipped[i / 8] ^= (byte) (1 << i % 8);
      try {
        assertThat(Tuple.decode(flipped).encode()).isEqualTo(flipped);
      } catch (StateStoreException e) {
        assertThat(e.kind()).isEqualTo(StateStoreException.Kind.CORRUPT);
      }
    }
  }
}
