package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.StateStoreException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FileRefTest {
  private static final String SHA = "0123456789abcdef".repeat(2) + "fedcba9876543210".repeat(2);

  static FileRef file(String object, String sha256, int level, String smallest, String largest) {
    return new FileRef(
        "default",
        object,
        5,
        6,
        sha256,
        level,
        smallest.getBytes(java.nio.charset.StandardCharsets.US_ASCII),
        largest.getBytes(java.nio.charset.StandardCharsets.US_ASCII),
        7,
        8,
        9,
        SetDigest.of(10, -11, 12));
  }

  @Test
  void keepsWhatItIsGiven() {
    FileRef file = file("files/01/x.pack", SHA, 3, "a", "b");
    assertThat(file.columnFamily()).isEqualTo("default");
    assertThat(file.object()).isEqualTo("files/01/x.pack");
    assertThat(file.offset()).isEqualTo(5);
    assertThat(file.length()).isEqualTo(6);
    assertThat(file.sha256()).isEqualTo(SHA);
    assertThat(file.level()).isEqualTo(3);
    assertThat(file.smallestKey()).containsExactly('a');
    assertThat(file.largestKey()).containsExactly('b');
    assertThat(file.smallestSequence()).isEqualTo(7);
    assertThat(file.largestSequence()).isEqualTo(8);
    assertThat(file.deletions()).isEqualTo(9);
    assertThat(file.entries()).isEqualTo(10);
    assertThat(file.digest()).isEqualTo(SetDigest.of(10, -11, 12));
    assertThat(file.withLevel(6))
        .isNotEqualTo(file)
        .hasToString(file.toString().replace("level 3", "level 6"));
    assertThat(file.withLevel(6).withLevel(3)).isEqualTo(file).hasSameHashCodeAs(file);
  }

  @Test
  void aNameThatFollowsFromTheHashIsNotKept() {
    FileRef alone = file(StoreNames.file(SHA, ""), SHA, 0, "a", "a");
    FileRef other = file(StoreNames.file(SHA, "-12345678-1"), SHA, 0, "a", "a");
    assertThat(alone.isAlone()).isTrue();
    assertThat(alone.object()).isEqualTo("files/01/" + SHA + ".sst");
    assertThat(other.isAlone()).isFalse();
    assertThat(other.object()).isEqualTo("files/01/" + SHA + "-12345678-1.sst");
    assertThat(alone.isWith(other)).isFalse();
    assertThat(other.isWith(alone)).isFalse();
    assertThat(alone.isWith(alone.withLevel(1))).isTrue();
  }

  @Test
  void refusesNonsense() {
    for (Runnable call :
        List.<Runnable>of(
            () -> file("../x", SHA, 0, "a", "b"),
            () -> file("files/x", SHA.substring(1), 0, "a", "b"),
            () -> file("files/x", SHA.toUpperCase(java.util.Locale.ROOT), 0, "a", "b"),
            () -> file("files/x", SHA, 7, "a", "b"),
            () -> file("files/x", SHA, 0, "b", "a"))) {
      assertThatThrownBy(call::run)
          .isInstanceOfSatisfying(
              StateStoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID));
    }
  }

  @Test
  void orderIsThatOfTheTexts() {
    Random random = new Random(7);
    FileRef[] files = new FileRef[300];
    for (int i = 0; i < files.length; i++) {
      StringBuilder sha256 = new StringBuilder();
      while (sha256.length() < 64) {
        sha256.append(Character.forDigit(random.nextInt(100) == 0 ? random.nextInt(16) : 9, 16));
      }
      String key = String.valueOf((char) ('a' + random.nextInt(3)));
      files[i] = file("files/" + random.nextInt(3), sha256.toString(), random.nextInt(2), key, "z");
    }
    FileRef[] expected = files.clone();
    Arrays.sort(
        expected,
        Comparator.comparing(FileRef::columnFamily)
            .thenComparingInt(FileRef::level)
            .thenComparing(FileRef::smallestKey, Arrays::compareUnsigned)
            .thenComparingLong(FileRef::smallestSequence)
            .thenComparing(FileRef::sha256)
            .thenComparing(FileRef::object)
            .thenComparingLong(FileRef::offset));
    Arrays.sort(files, FileRef.LIST_ORDER);
    assertThat(files).usingElementComparator(FileRef.LIST_ORDER).containsExactly(expected);
  }

  @Test
  void anIndexFindsContentAndObjects() {
    String second = "f".repeat(64);
    String third = "e".repeat(64);
    FileRef packed = file("files/aa/x.pack", SHA, 0, "a", "a");
    FileRef alone = file(StoreNames.file(second, ""), second, 0, "a", "a");
    FileIndex index = new FileIndex(List.of(List.of(packed), List.of(alone, packed.withLevel(6))));
    assertThat(index.find(SHA)).isEqualTo(packed);
    assertThat(index.find(second)).isSameAs(alone);
    assertThat(index.find(third)).isNull();
    assertThat(index.hasObjectOf(packed)).isTrue();
    assertThat(index.hasObjectOf(alone)).isTrue();
    assertThat(index.hasObjectOf(file("files/aa/x.pack", third, 0, "a", "a"))).isTrue();
    assertThat(index.hasObjectOf(file("files/aa/y.pack", SHA, 0, "a", "a"))).isFalse();
    assertThat(index.hasObjectOf(file(StoreNames.file(SHA, ""), SHA, 0, "a", "a"))).isFalse();
    assertThat(index.hasObjectOf(file(StoreNames.file(third, ""), third, 0, "a", "a"))).isFalse();
    // The same content twice, in a pack and alone: both objects are known.
    FileRef again = file(StoreNames.file(SHA, ""), SHA, 0, "a", "a");
    FileIndex both = new FileIndex(List.of(List.of(packed, again)));
    assertThat(both.hasObjectOf(packed)).isTrue();
    assertThat(both.hasObjectOf(again)).isTrue();
  }
}
