package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.StateStoreException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ParallelTest {
  @Test
  void everyTaskRunsOnceOnAtMostThatManyThreads() {
    AtomicInteger[] runs = new AtomicInteger[200];
    for (int i = 0; i < runs.length; i++) {
      runs[i] = new AtomicInteger();
    }
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    Parallel.forEach(
        3,
        runs.length,
        i -> {
          runs[i].incrementAndGet();
          threads.add(Thread.currentThread());
        });
    assertThat(runs).allSatisfy(run -> assertThat(run).hasValue(1));
    assertThat(threads).hasSizeBetween(1, 3);
    Parallel.forEach(3, 0, i -> runs[0].incrementAndGet());
    assertThat(runs[0]).hasValue(1);
  }

  @Test
  void theFirstFailureStopsTheRestAndIsThrownWhenAllHaveEnded() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger started = new AtomicInteger();
    assertThatThrownBy(
            () ->
                Parallel.forEach(
                    2,
                    1000,
                    i -> {
                      running.incrementAndGet();
                      try {
                        if (started.incrementAndGet() == 5) {
                          throw StateStoreException.corrupt("task");
                        }
                      } finally {
                        running.decrementAndGet();
                      }
                    }))
        .isInstanceOf(StateStoreException.class)
        .hasMessage("task");
    assertThat(running).hasValue(0);
    assertThat(started.get()).isLessThan(1000);
    assertThatThrownBy(
            () ->
                Parallel.forEach(
                    1,
                    1,
                    i -> {
                      throw new IllegalStateException("odd");
                    }))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INTERNAL));
  }
}
