package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.testing.FaultyObjectStore;
import io.reshard.checkpoint.testing.FaultyObjectStore.Operation;
import io.reshard.checkpoint.testing.MemoryObjectStore;
import io.reshard.memory.MemoryStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rollback that fails at each of its reads of the object store, in turn. */
@NullUnmarked
class KeyedStoreRollbackTest {
  private static final Layout LAYOUT = Layout.slots(3);
  private static final int ROWS = 30;

  @TempDir Path directory;

  @Test
  void aRollbackThatFailedMustBeRepeatedFirst() {
    int failed = 0;
    while (failsAtRead(failed)) {
      failed++;
      assertThat(failed).isLessThan(100);
    }
    assertThat(failed).isGreaterThan(LAYOUT.shards());
  }

  private boolean failsAtRead(int read) {
    ManualClock clock = new ManualClock();
    Path local = directory.resolve("read-" + read);
    FaultyObjectStore objects =
        new FaultyObjectStore(new MemoryObjectStore(local.resolve("staging"), clock), 1);
    try (CheckpointStore checkpoints = CheckpointStore.create(objects, clock);
        Backend backend = new MemoryStateStoreProvider().start(BackendOptions.defaults());
        KeyedStore keyed =
            KeyedStore.create(
                checkpoints,
                backend,
                "memory",
                local.resolve("work"),
                LAYOUT,
                List.of(ColumnFamily.hashed("default")))) {
      put(keyed, "old");
      keyed.commit(Map.of());
      put(keyed, "new");
      objects.full(true);
      assertUnavailable(() -> keyed.commit(Map.of()), "disk");
      objects.full(false);
      AtomicBoolean rollingBack = new AtomicBoolean(true);
      failAtRead(objects, read, rollingBack);
      boolean failed = rollbackFails(keyed);
      rollingBack.set(false);
      objects.calm();
      if (failed) {
        assertUnavailable(() -> keyed.commit(Map.of()), "roll back again");
        assertUnavailable(() -> keyed.get("default", bytes("k1")), "roll back again");
        assertUnavailable(() -> keyed.put("default", bytes("k1"), bytes("x")), "roll back again");
        keyed.rollback();
      }
      assertThat(keyed.get("default", bytes("k1"))).isEqualTo(bytes("old"));
      keyed.put("default", bytes("other"), bytes("old"));
      Manifest manifest = keyed.commit(Map.of());
      assertThat(new HashSet<>(Rows.read(checkpoints, manifest, "default").values()))
          .containsExactly("old");
      return failed;
    }
  }

  private static void put(KeyedStore keyed, String value) {
    for (int i = 0; i < ROWS; i++) {
      keyed.put("default", bytes("k" + i), bytes(value));
    }
  }

  /** From the {@code n}th read of a file on, the object store is gone. */
  private static void failAtRead(FaultyObjectStore objects, int n, AtomicBoolean armed) {
    objects.before(
        Operation.READ,
        "files/",
        () -> {
          if (!armed.get()) {
            return;
          }
          if (n == 0) {
            objects.errors(1000);
          } else {
            failAtRead(objects, n - 1, armed);
          }
        });
  }

  private static boolean rollbackFails(KeyedStore keyed) {
    try {
      keyed.rollback();
      return false;
    } catch (StateStoreException e) {
      assertThat(e.kind()).as("%s", e).isEqualTo(Kind.UNAVAILABLE);
      return true;
    }
  }

  private static void assertUnavailable(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).as("%s", e).isEqualTo(Kind.UNAVAILABLE))
        .hasMessageContaining(message);
  }
}
