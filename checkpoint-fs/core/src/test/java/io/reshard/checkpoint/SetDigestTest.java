package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.EntryType;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SetDigestTest {
  private static SetDigest of(String columnFamily, EntryType type, String key, String value) {
    SetDigest digest = new SetDigest();
    digest.add(columnFamily, type, new ByteView(bytes(key)), 0, new ByteView(bytes(value)));
    return digest;
  }

  /** The hash input byte by byte, as the class and the specification describe it. */
  @Test
  void hashesWhatTheFormatSays() {
    byte[] input = {1, 2, 'c', 'f', 0, 0, 0, 3, 'k', 'e', 'y', 'v', 'a', 'l'};
    HashValue128 hash = Hashing.xxh3_128().hashBytesTo128Bits(input);
    assertThat(of("cf", EntryType.PUT, "key", "val"))
        .isEqualTo(SetDigest.of(1, hash.getMostSignificantBits(), hash.getLeastSignificantBits()));
  }

  @Test
  void orderAndPartsDoNotMatterAndSumsCarry() {
    Random random = new Random(3);
    BigInteger modulus = BigInteger.ONE.shiftLeft(128);
    BigInteger sum = BigInteger.ZERO;
    List<SetDigest> rows = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      SetDigest row = of("default", EntryType.PUT, "k" + i, "v" + random.nextInt());
      rows.add(row);
      sum = sum.add(number(row)).mod(modulus);
    }
    for (int round = 0; round < 3; round++) {
      Collections.shuffle(rows, random);
      SetDigest left = new SetDigest();
      SetDigest right = new SetDigest();
      for (SetDigest row : rows) {
        (random.nextBoolean() ? left : right).add(row);
      }
      left.add(right);
      assertThat(left.count()).isEqualTo(500);
      assertThat(number(left)).isEqualTo(sum);
      assertThat(SetDigest.parse(left.toString())).isEqualTo(left).isNotSameAs(left);
    }
  }

  private static BigInteger number(SetDigest digest) {
    String text = digest.toString();
    return new BigInteger(text.substring(text.indexOf(':') + 1), 16);
  }

  @Test
  void everyPartOfARowCounts() {
    Set<SetDigest> different = new HashSet<>();
    different.add(of("default", EntryType.PUT, "key", "value"));
    different.add(of("default", EntryType.PUT, "keyv", "alue")); // The boundary counts.
    different.add(of("default", EntryType.PUT, "key", "valuf"));
    different.add(of("other", EntryType.PUT, "key", "value"));
    different.add(of("default", EntryType.DELETE, "key", "value"));
    different.add(of("default", EntryType.PUT, "", ""));
    different.add(new SetDigest());
    assertThat(different).hasSize(7);
  }

  @Test
  void theSlotPrefixDoesNotCount() {
    SetDigest digest = new SetDigest();
    digest.add("default", new ByteView(bytes("..key")), 2, new ByteView(bytes("value")));
    assertThat(digest).isEqualTo(of("default", EntryType.PUT, "key", "value"));
  }

  @Test
  void aCopyGoesItsOwnWay() {
    SetDigest digest = of("default", EntryType.PUT, "a", "b");
    SetDigest copy = digest.copy();
    digest.add(copy);
    assertThat(copy.count()).isEqualTo(1);
    assertThat(digest.count()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "1:",
        "1:0",
        "x:00000000000000000000000000000000",
        "-1:00000000000000000000000000000000",
        "1:0000000000000000000000000000000g",
        "1:000000000000000000000000000000000",
        "99999999999999999999:00000000000000000000000000000000"
      })
  void whatIsNoDigestIsCorrupt(String text) {
    assertThatThrownBy(() -> SetDigest.parse(text))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.CORRUPT));
  }
}
