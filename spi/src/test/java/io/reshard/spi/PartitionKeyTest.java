package io.reshard.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionKeyTest {
  @Test
  void textFormIsReadBack() {
    for (PartitionKey key :
        List.of(
            PartitionKey.whole(),
            PartitionKey.first(1),
            PartitionKey.first(65_535),
            PartitionKey.skip(16),
            PartitionKey.lengthPrefixed(),
            PartitionKey.named("by-user"))) {
      assertThat(PartitionKey.parse(key.toString())).isEqualTo(key);
    }
    assertThat(PartitionKey.first(8)).hasToString("first:8");
    assertThat(PartitionKey.skip(8)).hasToString("skip:8");
    assertThat(PartitionKey.whole()).hasToString("whole");
    assertThat(PartitionKey.lengthPrefixed()).hasToString("length-prefixed");
    assertThat(PartitionKey.named("x")).hasToString("named:x");
  }

  @Test
  void anyOtherTextIsInvalid() {
    for (String text :
        List.of(
            "",
            "Whole",
            "whole ",
            "whole:",
            "first",
            "first:",
            "first:0",
            "first:-1",
            "first:+1",
            "first:65536",
            "first:123456",
            "first:99999999999999999999",
            "first:1.0",
            "first:1 ",
            "first:\u0661",
            "skip:0",
            "skip:x",
            "named:",
            "named:Upper",
            "named:../x",
            "named:a:b",
            "last:3",
            ":",
            "length-prefixed:2")) {
      assertThatThrownBy(() -> PartitionKey.parse(text))
          .as("'%s'", text)
          .isInstanceOfSatisfying(
              StateStoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID));
    }
  }

  @Test
  void partsThatDoNotFitTheKindAreInvalid() {
    assertThatThrownBy(() -> new PartitionKey(PartitionKey.Kind.WHOLE, 3, ""))
        .isInstanceOf(StateStoreException.class);
    assertThatThrownBy(() -> new PartitionKey(PartitionKey.Kind.FIRST, 3, "x"))
        .isInstanceOf(StateStoreException.class);
    assertThatThrownBy(() -> PartitionKey.first(0)).isInstanceOf(StateStoreException.class);
    assertThatThrownBy(() -> PartitionKey.skip(65_536)).isInstanceOf(StateStoreException.class);
    assertThatThrownBy(() -> PartitionKey.named("")).isInstanceOf(StateStoreException.class);
  }
}
