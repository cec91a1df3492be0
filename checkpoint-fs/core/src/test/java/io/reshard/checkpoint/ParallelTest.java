package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.StateStoreException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
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
                        int number = started.incrementAndGet();
                        if (number == 5) {
                          throw StateStoreException.corrupt("task");
                        }
                        if (number > 5) { // Tasks of no length all end before a failure is noted.
                          LockSupport.parkNanos(1_000_000);
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
