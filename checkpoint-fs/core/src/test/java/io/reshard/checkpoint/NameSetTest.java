package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NameSetTest {
  @Test
  void isASet() {
    Random random = new Random(1);
    NameSet names = new NameSet();
    Set<String> model = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      String name = "files/" + random.nextInt(10_000);
      names.add(name);
      model.add(name);
    }
    assertThat(names.size()).isEqualTo(model.size());
    for (int i = 0; i < 10_000; i++) {
      assertThat(names.contains("files/" + i)).isEqualTo(model.contains("files/" + i));
    }
  }

  @Test
  void namesAreTickedOffOnce() {
    NameSet names = new NameSet();
    assertThat(names.areAllTicked()).isTrue();
    names.add("a");
    names.add("b");
    names.tick("a");
    names.tick("a");
    names.tick("c");
    assertThat(names.isTicked("a")).isTrue();
    assertThat(names.isTicked("b")).isFalse();
    assertThat(names.isTicked("c")).isFalse();
    assertThat(names.contains("c")).isFalse();
    assertThat(names.areAllTicked()).isFalse();
    names.tick("b");
    assertThat(names.areAllTicked()).isTrue();
    names.add("a");
    assertThat(names.areAllTicked()).isTrue();
  }

  @Test
  void whatWasTickedOffStaysSoWhileTheTableGrows() {
    NameSet names = new NameSet();
    for (int i = 0; i < 5_000; i++) {
      names.add("n" + i);
      if (i % 2 == 0) {
        names.tick("n" + i);
      }
    }
    for (int i = 0; i < 5_000; i++) {
      assertThat(names.isTicked("n" + i)).isEqualTo(i % 2 == 0);
    }
  }
}
