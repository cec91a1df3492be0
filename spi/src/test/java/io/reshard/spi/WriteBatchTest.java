package io.reshard.spi;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WriteBatchTest {
  private static byte[] b(String text) {
    return text.getBytes(US_ASCII);
  }

  private static List<String> operations(WriteBatch batch) {
    List<String> operations = new ArrayList<>();
    batch.forEach(
        new WriteBatch.Handler() {
          @Override
          public void put(String columnFamily, ByteView key, ByteView value) {
            operations.add("put " + columnFamily + " " + hex(key) + " " + hex(value));
          }

          @Override
          public void delete(String columnFamily, ByteView key) {
            operations.add("delete " + columnFamily + " " + hex(key));
          }

          @Override
          public void deleteRange(String columnFamily, ByteView from, ByteView to) {
            operations.add("range " + columnFamily + " " + hex(from) + " " + hex(to));
          }
        });
    return operations;
  }

  private static String hex(ByteView view) {
    return HexFormat.of().formatHex(view.toByteArray());
  }

  @Test
  void showsOperationsInTheOrderTheyWereAdded() {
    WriteBatch batch =
        new WriteBatch()
            .put("x", b("a"), b("1"))
            .delete("y", b("a"))
            .deleteRange("x", b("a"), b("c"))
            .put("y", new byte[0], new byte[0])
            .put("x", b("a"), b("2"));
    assertThat(operations(batch))
        .containsExactly("put x 61 31", "delete y 61", "range x 61 63", "put y  ", "put x 61 32");
    assertThat(batch.count()).isEqualTo(5);
    assertThat(batch.columnFamilies()).containsExactly("x", "y");
  }

  @Test
  void namesOnlyWhatItHolds() {
    WriteBatch batch = new WriteBatch().put("x", b("a"), b("1")).delete("y", b("a"));
    batch.clear();
    assertThat(batch.columnFamilies()).isEmpty();
    batch.delete("z", b("a")).put("y", b("a"), b("2"));
    assertThat(batch.columnFamilies()).containsExactly("z", "y");
    assertThat(operations(batch)).containsExactly("delete z 61", "put y 61 32");
  }

  @Test
  void copiesWhatItIsGiven() {
    byte[] key = b("key");
    byte[] value = b("value");
    WriteBatch batch = new WriteBatch().put("x", key, value).delete("x", key);
    Arrays.fill(key, (byte) 0);
    Arrays.fill(value, (byte) 0);
    assertThat(operations(batch)).containsExactly("put x 6b6579 76616c7565", "delete x 6b6579");
  }

  @Test
  void takesOnlyTheRangeOfAView() {
    byte[] array = b("0123456789");
    WriteBatch batch =
        new WriteBatch()
            .put("x", new ByteView(array, 2, 3), new ByteView(array, 9, 1))
            .delete("x", new ByteView(array, 4, 0));
    assertThat(operations(batch)).containsExactly("put x 323334 39", "delete x ");
  }

  @Test
  void clearEmptiesItAndForgetsRangeDeletes() {
    WriteBatch batch = new WriteBatch().deleteRange("x", b("a"), b("b"));
    assertThat(batch.hasDeleteRange()).isTrue();
    assertThat(batch.isEmpty()).isFalse();
    batch.clear();
    assertThat(batch.hasDeleteRange()).isFalse();
    assertThat(batch.isEmpty()).isTrue();
    assertThat(batch.byteSize()).isZero();
    assertThat(operations(batch)).isEmpty();
    batch.put("y", b("k"), b("v"));
    assertThat(operations(batch)).containsExactly("put y 6b 76");
  }

  @Test
  void growsToWhatItHolds() {
    long seed = Long.getLong("reshard.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    WriteBatch batch = new WriteBatch();
    for (int round = 0; round < 3; round++) {
      batch.clear();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        byte[] key = new byte[random.nextInt(300)];
        byte[] value = new byte[random.nextInt(3000)];
        random.nextBytes(key);
        random.nextBytes(value);
        String name = "cf" + random.nextInt(10);
        batch.put(name, key, value);
        expected.add(
            "put "
                + name
                + " "
                + HexFormat.of().formatHex(key)
                + " "
                + HexFormat.of().formatHex(value));
      }
      assertThat(operations(batch)).as("seed %s", seed).isEqualTo(expected);
      assertThat(batch.count()).isEqualTo(300);
    }
  }

  @Test
  void takesAsManyColumnFamiliesAsAStoreMayHave() {
    WriteBatch batch = new WriteBatch();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < ColumnFamily.MAX_COUNT; i++) {
      batch.delete("cf" + i, b("k"));
      expected.add("delete cf" + i + " 6b");
    }
    assertThat(operations(batch)).isEqualTo(expected);
    assertInvalid(() -> batch.delete("one-more", b("k")), "256 column families");
    assertThat(batch.count()).isEqualTo(ColumnFamily.MAX_COUNT);
    assertThat(operations(batch)).isEqualTo(expected);
  }

  @Test
  void refusesWhatIsTooLongAndStaysAsItWas() {
    WriteBatch batch = new WriteBatch().put("x", b("k"), b("v"));
    byte[] longKey = new byte[Limits.MAX_KEY_BYTES + 1];
    byte[] longValue = new byte[Limits.MAX_VALUE_BYTES + 1];
    assertInvalid(() -> batch.put("x", longKey, b("v")), "1048577");
    assertInvalid(() -> batch.delete("x", longKey), "1048577");
    assertInvalid(() -> batch.deleteRange("x", longKey, b("v")), "1048577");
    assertInvalid(() -> batch.put("x", b("k"), longValue), "67108865");
    assertThat(operations(batch)).containsExactly("put x 6b 76");
  }

  @Test
  void theEndOfARangeIsHeldToTheLimitOfKeys() {
    byte[] longKey = new byte[Limits.MAX_KEY_BYTES + 1];
    assertInvalid(() -> new WriteBatch().deleteRange("x", b("a"), longKey), "1048577");
  }

  private static void assertInvalid(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID))
        .hasMessageContaining(message);
  }
}
