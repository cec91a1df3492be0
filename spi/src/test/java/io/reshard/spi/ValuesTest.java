package io.reshard.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Column families, options, limits and the exception. */
class ValuesTest {
  private static void assertInvalid(ThrowingCallable call, String message) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID))
        .hasMessageContaining(message);
  }

  @Test
  void columnFamilyNamesAreChecked() {
    for (String name : List.of("a", "default", "a-b_c9", "x".repeat(64))) {
      assertThat(ColumnFamily.hashed(name).name()).isEqualTo(name);
    }
    for (String name :
        List.of("", "A", "9a", "-a", "_a", "a b", "a/b", "a.b", "..", "ä", "a\n", "x".repeat(65))) {
      assertInvalid(() -> ColumnFamily.ordered(name), "'" + name + "'");
    }
  }

  @Test
  void aColumnFamilyKeepsItsPlacementWithAnotherPartitionKey() {
    ColumnFamily timers = ColumnFamily.ordered("timers").withPartitionKey(PartitionKey.skip(8));
    assertThat(timers.placement()).isEqualTo(Placement.ORDERED);
    assertThat(timers.partitionKey()).isEqualTo(PartitionKey.skip(8));
    assertThat(ColumnFamily.hashed("x").partitionKey()).isEqualTo(PartitionKey.whole());
  }

  @Test
  void shardOptionsTakeOneTo256UniqueColumnFamilies() {
    Path directory = Path.of("x");
    assertInvalid(() -> new ShardOptions(directory, List.of()), "0 column families");
    List<ColumnFamily> many =
        IntStream.range(0, 257).mapToObj(i -> ColumnFamily.hashed("c" + i)).toList();
    assertInvalid(() -> new ShardOptions(directory, many), "257 column families");
    assertThatCode(() -> new ShardOptions(directory, many.subList(0, 256)))
        .doesNotThrowAnyException();
    assertInvalid(
        () ->
            new ShardOptions(
                directory, List.of(ColumnFamily.hashed("a"), ColumnFamily.ordered("a"))),
        "'a' is declared twice");
    List<ColumnFamily> list = new ArrayList<>(List.of(ColumnFamily.hashed("a")));
    ShardOptions options = new ShardOptions(directory, list);
    list.clear();
    assertThat(options.columnFamilies()).hasSize(1);
  }

  @Test
  void backendOptionsAreCheckedAndCopied() {
    assertInvalid(() -> new BackendOptions((1 << 20) - 1, Map.of()), "1048575");
    assertInvalid(() -> BackendOptions.defaults().withMemoryBudget(-1), "-1 bytes");
    Map<String, String> map = new HashMap<>(Map.of("a", "1"));
    BackendOptions options = new BackendOptions(1 << 20, map);
    map.clear();
    assertThat(options.options()).containsEntry("a", "1");
    assertThat(options.withMemoryBudget(1 << 21))
        .isEqualTo(new BackendOptions(1 << 21, Map.of("a", "1")));
  }

  @Test
  void limitsAreInclusive() {
    assertThatCode(() -> Limits.check(Limits.MAX_KEY_BYTES, Limits.MAX_VALUE_BYTES))
        .doesNotThrowAnyException();
    assertInvalid(() -> Limits.check(Limits.MAX_KEY_BYTES + 1, 0), "key of 1048577 bytes");
    assertInvalid(() -> Limits.check(0, Limits.MAX_VALUE_BYTES + 1), "value of 67108865 bytes");
  }

  @Test
  void onlyWhatMayPassIsRetryable() {
    for (StateStoreException.Kind kind : StateStoreException.Kind.values()) {
      assertThat(new StateStoreException(kind, "x").isRetryable())
          .as("%s", kind)
          .isEqualTo(kind == StateStoreException.Kind.UNAVAILABLE);
    }
  }

  @Test
  void theDocumentedMessages() {
    assertThat(StateStoreException.closed("shard 3"))
        .hasMessage("shard 3 is closed; open it again before calling it");
    assertThat(StateStoreException.unsupported("mine", Capability.REVERSE_SCAN))
        .hasMessageStartingWith("backend 'mine' does not declare REVERSE_SCAN; ");
    Throwable cause = new IllegalStateException("why");
    assertThat(StateStoreException.unavailable("x", cause)).hasCause(cause);
  }
}
