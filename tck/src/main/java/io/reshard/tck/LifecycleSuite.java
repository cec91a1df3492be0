package io.reshard.tck;

import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.assertFails;
import static io.reshard.tck.Fixture.get;
import static io.reshard.tck.Fixture.put;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.reshard.spi.Backend;
import io.reshard.spi.Limits;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** Open, closed, and nothing but the one exception. */
interface LifecycleSuite extends Suite {
  @Test
  default void required_S401_close_is_idempotent() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
    store.close();
    assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
    store.close();
    assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
  }

  /** Every call but close and state. */
  static Map<String, Fixture.Call> calls(ShardStore store) {
    Map<String, Fixture.Call> calls = new LinkedHashMap<>();
    calls.put("version", store::version);
    calls.put("get", () -> store.get(ONE, bytes("k")));
    calls.put("multiGet", () -> store.multiGet(ONE, new byte[][] {bytes("k")}));
    calls.put("multiGet of nothing", () -> store.multiGet(ONE, new byte[0][]));
    calls.put("scan", () -> store.scan(ONE, ScanRange.all()).close());
    calls.put("write", () -> put(store, ONE, "k", "v"));
    calls.put("write of nothing", () -> store.write(new WriteBatch()));
    calls.put("commit", () -> store.commit(99));
    calls.put("rollback", store::rollback);
    calls.put("exportSnapshot", () -> store.exportSnapshot(SnapshotShelf.refusing()));
    calls.put("importSnapshot", () -> store.importSnapshot(SnapshotShelf.empty(1)));
    calls.put("metrics", store::metrics);
    return calls;
  }

  @Test
  default void required_S401_every_call_after_close_is_CLOSED() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    store.commit(1);
    store.close();
    calls(store).forEach((what, call) -> assertFails(what, Kind.CLOSED, call));
    assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
  }

  @Test
  default void required_S002_the_message_says_that_it_is_closed() {
    ShardStore store = fixture().open();
    store.close();
    StateStoreException e = assertFails("get", Kind.CLOSED, () -> store.get(ONE, bytes("k")));
    assertThat(e).hasMessageContaining("is closed");
    assertThat(e.isRetryable()).isFalse();
  }

  @Test
  default void required_S021_close_of_the_backend_closes_its_shards() {
    Backend backend = fixture().start();
    ShardStore one =
        backend.open(new ShardOptions(fixture().newDirectory(), Fixture.COLUMN_FAMILIES));
    ShardStore two =
        backend.open(new ShardOptions(fixture().newDirectory(), Fixture.COLUMN_FAMILIES));
    put(one, ONE, "k", "v");
    StateIterator rows = one.scan(ONE, ScanRange.all());
    assertThat(rows.next()).isTrue();
    two.close();
    backend.close();
    backend.close();
    assertThat(one.state()).isEqualTo(ShardStore.State.CLOSED);
    assertFails("get", Kind.CLOSED, () -> one.get(ONE, bytes("k")));
    assertFails("next", Kind.CLOSED, rows::next);
    rows.close();
    one.close();
    Path directory = fixture().newDirectory();
    assertFails(
        "open after the backend's close",
        Kind.CLOSED,
        () -> backend.open(new ShardOptions(directory, Fixture.COLUMN_FAMILIES)));
  }

  @Test
  default void required_S022_a_directory_is_open_only_once() {
    Path directory = fixture().newDirectory();
    ShardStore store = fixture().open(directory);
    put(store, ONE, "k", "v");
    assertFails("open of an open directory", Kind.INVALID, () -> fixture().open(directory));
    Path same = directory.resolve("..").resolve(directory.getFileName());
    assertFails("open by another spelling", Kind.INVALID, () -> fixture().open(same));
    assertThat(get(store, ONE, "k")).isEqualTo("v");
    store.commit(1);
    store.close();
    ShardStore again = fixture().open(directory);
    put(again, ONE, "k", "w");
    assertThat(get(again, ONE, "k")).isEqualTo("w");
  }

  @Test
  default void required_S001_no_other_exception_gets_out() {
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(30);
              ShardStore store = fixture().open();
              byte[] tooLong = new byte[Limits.MAX_KEY_BYTES + 1];
              for (int i = 0; i < 500; i++) {
                String columnFamily = random.nextInt(4) == 0 ? "no such" : ONE;
                byte[] key = random.nextInt(50) == 0 ? tooLong : Rows.randomKey(random, 3);
                Fixture.Call call =
                    switch (random.nextInt(9)) {
                      case 0 -> () -> store.get(columnFamily, key);
                      case 1 -> () -> store.multiGet(columnFamily, new byte[][] {key, bytes("a")});
                      case 2 ->
                          () -> Rows.drain(store.scan(columnFamily, ScanRange.between(key, null)));
                      case 3 ->
                          () ->
                              Rows.drain(
                                  store.scan(
                                      columnFamily, ScanRange.between(null, key).reversed()));
                      case 4 -> () -> store.write(new WriteBatch().put(columnFamily, key, key));
                      case 5 ->
                          () ->
                              store.write(
                                  new WriteBatch().deleteRange(columnFamily, key, bytes("b")));
                      case 6 -> () -> store.commit(random.nextInt(1000));
                      case 7 -> store::rollback;
                      default ->
                          () -> {
                            try (StateIterator rows = store.scan(columnFamily, ScanRange.all())) {
                              rows.key();
                            }
                          };
                    };
                try {
                  call.run();
                } catch (StateStoreException e) {
                  assertThat(e.kind()).as("%s", e.getMessage()).isEqualTo(Kind.INVALID);
                }
                assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
              }
            });
  }

  @Test
  default void required_S001_null_is_refused_and_changes_nothing() {
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    Map<String, Fixture.Call> calls = new LinkedHashMap<>();
    calls.put("get of null", () -> store.get(ONE, nothing()));
    calls.put("get of column family null", () -> store.get(nothing(), bytes("k")));
    calls.put("multiGet of null", () -> store.multiGet(ONE, nothing()));
    calls.put("scan of null", () -> store.scan(ONE, nothing()).close());
    calls.put("write of null", () -> store.write(nothing()));
    calls.put("open of null", () -> fixture().backend().open(nothing()));
    calls.forEach(
        (what, call) -> {
          try {
            call.run();
          } catch (NullPointerException | StateStoreException e) {
            return;
          } catch (Exception e) {
            throw new AssertionError(what + ": " + e, e);
          }
          throw new AssertionError(what + " succeeded");
        });
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
    assertThat(get(store, ONE, "k")).isEqualTo("v");
  }

  /** Null, where the types say there is none. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  @Test
  default void required_S401_close_gives_back_what_it_held() {
    OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    if (!(system instanceof UnixOperatingSystemMXBean unix)) {
      throw new TestAbortedException("open files cannot be counted here");
    }
    Backend backend = fixture().backend();
    long before = 0;
    for (int i = 0; i < 30; i++) {
      ShardStore store = fixture().open();
      put(store, ONE, "k", "v");
      store.commit(1);
      StateIterator left = store.scan(ONE, ScanRange.all());
      assertThat(left.next()).isTrue();
      store.close();
      if (i == 9) {
        before = unix.getOpenFileDescriptorCount();
      }
    }
    assertThat(unix.getOpenFileDescriptorCount())
        .as("open files after 20 more shards were opened and closed, %s before", before)
        .isLessThan(before + 20);
    assertThat(backend.memoryUsed()).as("memoryUsed() with no shard open").isNotNegative();
  }
}
