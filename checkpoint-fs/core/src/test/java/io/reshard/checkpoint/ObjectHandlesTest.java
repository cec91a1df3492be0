package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.testing.MemoryObjectStore;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.ForwardingSource;
import io.reshard.sst.SstSource;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectHandlesTest {
  @TempDir Path directory = Path.of("");

  /** Counts what is open, and refuses reads of what is closed. */
  private static final class Counting {
    final AtomicInteger open = new AtomicInteger();
    final AtomicInteger opened = new AtomicInteger();

    ObjectStore around(ObjectStore objects) {
      return (ObjectStore)
          java.lang.reflect.Proxy.newProxyInstance(
              ObjectStore.class.getClassLoader(),
              new Class<?>[] {ObjectStore.class},
              (proxy, method, arguments) -> {
                Object result = method.invoke(objects, arguments);
                return method.getName().equals("open") && result != null
                    ? counted((SstSource) result)
                    : result;
              });
    }

    private SstSource counted(SstSource source) {
      open.incrementAndGet();
      opened.incrementAndGet();
      return new ForwardingSource(source) {
        private boolean closed;

        @Override
        public void read(long position, byte[] target, int offset, int length) {
          assertThat(closed).as("read after close").isFalse();
          super.read(position, target, offset, length);
        }

        @Override
        public void close() {
          assertThat(closed).as("closed twice").isFalse();
          closed = true;
          open.decrementAndGet();
        }
      };
    }
  }

  private final Counting counting = new Counting();

  private ObjectHandles handles(int objects) {
    ObjectStore memory = new MemoryObjectStore(directory, InstantSource.system());
    for (int i = 0; i < objects; i++) {
      memory.putIfAbsent("o" + i, new byte[] {(byte) i, 1, 2, 3});
    }
    return new ObjectHandles(counting.around(memory));
  }

  private static byte first(SstSource source) {
    byte[] bytes = new byte[1];
    source.read(0, bytes, 0, 1);
    return bytes[0];
  }

  @Test
  void anObjectIsOpenedOnceForAllItsParts() {
    try (ObjectHandles handles = handles(1)) {
      for (int i = 0; i < 10; i++) {
        try (SstSource part = handles.open("o0", 1, 2)) {
          assertThat(part.size()).isEqualTo(2);
          assertThat(first(part)).isEqualTo((byte) 1);
          assertThat(part.name()).contains("o0").contains("1");
        }
      }
      assertThat(counting.opened).hasValue(1);
      assertThat(counting.open).hasValue(1);
    }
    assertThat(counting.open).hasValue(0);
  }

  @Test
  void evictionDoesNotCloseWhatIsInUse() {
    int objects = 4 * ObjectHandles.IDLE;
    List<SstSource> used = new ArrayList<>();
    try (ObjectHandles handles = handles(objects)) {
      for (int i = 0; i < objects; i++) {
        used.add(handles.open("o" + i, 0, 4));
      }
      for (int i = 0; i < objects; i++) {
        assertThat(first(used.get(i))).isEqualTo((byte) i);
      }
      used.forEach(SstSource::close);
      used.forEach(SstSource::close); // Idempotent.
      assertThat(handles.size()).isLessThanOrEqualTo(ObjectHandles.IDLE);
      assertThat(counting.open.get()).isLessThanOrEqualTo(ObjectHandles.IDLE);
    }
    assertThat(counting.open).hasValue(0);
  }

  @Test
  void manyThreadsShareWhatComesAndGoes() {
    try (ObjectHandles handles = handles(3 * ObjectHandles.IDLE)) {
      Parallel.forEach(
          4,
          4,
          thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < 5000; i++) {
              int object = random.nextInt(3 * ObjectHandles.IDLE);
              try (SstSource source = handles.open("o" + object, 0, 4)) {
                assertThat(first(source)).isEqualTo((byte) object);
              }
              if (i % 50 == 0) {
                handles.forget("o" + object);
              }
            }
          });
      assertThat(counting.open.get()).isLessThanOrEqualTo(ObjectHandles.IDLE + 1);
    }
    assertThat(counting.open).hasValue(0);
  }

  @Test
  void whatIsMissingOrTooShortIsCorrupt() {
    try (ObjectHandles handles = handles(1)) {
      for (long[] range : new long[][] {{0, 5}, {4, 1}, {-1, 2}, {1L << 62, 1}, {1, 1L << 62}}) {
        assertCorrupt(() -> handles.open("o0", range[0], range[1]), "'o0' has 4 bytes");
      }
      assertCorrupt(() -> handles.open("none", 0, 1), "missing");
    }
    assertThat(counting.open).hasValue(0);
  }

  private static void assertCorrupt(Runnable call, @Nullable String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.CORRUPT))
        .hasMessageContaining(message);
  }
}
