package io.reshard.tck;

import static io.reshard.tck.Fixture.COLUMN_FAMILIES;
import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.TWO;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.Backend;
import io.reshard.spi.ByteView;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.WriteBatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Several threads. Every batch gives all of a few keys the same value, so whoever sees two values
 * at once has seen half a batch.
 */
interface ConcurrencySuite extends Suite {
  /** How many keys a batch writes, spread over two column families. */
  int KEYS = 20;

  private static WriteBatch same(long number) {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < KEYS; i++) {
      batch.put(i % 2 == 0 ? ONE : TWO, bytes(i), bytes(Long.toString(number)));
    }
    return batch;
  }

  private static byte[][] keys(int parity) {
    byte[][] keys = new byte[KEYS / 2][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = bytes(2 * i + parity);
    }
    return keys;
  }

  /** The one value that several must be. */
  private static ByteView one(List<ByteView> values, String what) {
    Set<ByteView> different = new HashSet<>(values);
    assertThat(different).as("values seen at once by %s", what).hasSize(1);
    return values.get(0);
  }

  private static void readAll(ShardStore store) {
    List<ByteView> got = new ArrayList<>();
    for (byte[] value : store.multiGet(ONE, keys(0))) {
      got.add(new ByteView(value == null ? new byte[0] : value));
    }
    one(got, "multiGet");
  }

  private static void scanAll(ShardStore store) {
    List<Row> rows = Rows.all(store, ONE);
    assertThat(rows).hasSize(KEYS / 2);
    one(rows.stream().map(Row::value).toList(), "a scan");
  }

  /** Runs calls in threads of their own until all are done; throws what the first throws. */
  private static void together(List<Fixture.Call> calls) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(calls.size());
    try {
      CountDownLatch ready = new CountDownLatch(calls.size());
      List<Future<?>> futures = new ArrayList<>();
      for (Fixture.Call call : calls) {
        futures.add(
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  call.run();
                  return null;
                }));
      }
      for (Future<?> future : futures) {
        try {
          future.get(1, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
          throw new AssertionError(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
          throw new AssertionError("threads wait for one another for more than a minute", e);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** A call again and again until the flag is set, and at least a few times. */
  private static Fixture.Call until(AtomicBoolean done, Fixture.Call call) {
    return () -> {
      for (int i = 0; i < 3 || !done.get(); i++) {
        call.run();
      }
    };
  }

  private static Fixture.Call thenDone(AtomicBoolean done, Fixture.Call call) {
    return () -> {
      try {
        call.run();
      } finally {
        done.set(true);
      }
    };
  }

  @Test
  default void required_S501_reads_run_beside_a_writer() throws Exception {
    ShardStore store = fixture().open();
    store.write(same(0));
    AtomicBoolean done = new AtomicBoolean();
    together(
        List.of(
            thenDone(
                done,
                () -> {
                  for (int i = 1; i <= 400; i++) {
                    store.write(same(i));
                    if (i % 20 == 0) {
                      store.commit(i);
                    } else if (i % 33 == 0) {
                      store.rollback();
                    }
                  }
                }),
            until(done, () -> assertThat(store.get(ONE, bytes(0))).isNotNull()),
            until(done, () -> readAll(store)),
            until(done, () -> scanAll(store))));
    scanAll(store);
  }

  @Test
  default void required_S112_multiGet_is_of_one_moment() throws Exception {
    ShardStore store = fixture().open();
    store.write(same(0));
    AtomicBoolean done = new AtomicBoolean();
    together(
        List.of(
            thenDone(
                done,
                () -> {
                  for (int i = 1; i <= 2000; i++) {
                    store.write(same(i));
                  }
                }),
            until(done, () -> readAll(store))));
  }

  @Test
  default void required_S502_scans_beside_a_writer_are_of_one_moment() throws Exception {
    ShardStore store = fixture().open();
    store.write(same(0));
    AtomicBoolean done = new AtomicBoolean();
    together(
        List.of(
            thenDone(
                done,
                () -> {
                  for (int i = 1; i <= 800; i++) {
                    store.write(same(i));
                    if (i % 50 == 0) {
                      store.commit(i);
                    }
                  }
                }),
            until(
                done,
                () -> {
                  try (StateIterator rows = store.scan(ONE, ScanRange.all())) {
                    List<ByteView> values = new ArrayList<>();
                    while (rows.next()) {
                      values.add(new ByteView(rows.value().toByteArray()));
                      LockSupport.parkNanos(1000);
                    }
                    assertThat(values).hasSize(KEYS / 2);
                    one(values, "a slow scan");
                  }
                })));
  }

  @Test
  default void required_S501_writers_exclude_one_another() throws Exception {
    ShardStore store = fixture().open();
    store.write(same(0));
    AtomicBoolean done = new AtomicBoolean();
    List<Fixture.Call> calls = new ArrayList<>();
    for (int thread = 0; thread < 3; thread++) {
      int id = thread;
      calls.add(
          thenDone(
              done,
              () -> {
                for (int i = 0; i < 200; i++) {
                  store.write(same(1000L * id + i));
                }
              }));
    }
    calls.add(until(done, () -> readAll(store)));
    together(calls);
    scanAll(store);
    Set<ByteView> values = new HashSet<>();
    COLUMN_FAMILIES.forEach(
        columnFamily ->
            Rows.all(store, columnFamily.name()).forEach(row -> values.add(row.value())));
    assertThat(values).as("values of both column families after all batches").hasSize(1);
  }

  @Test
  default void required_S501_commits_rollbacks_and_exports_exclude_one_another() throws Exception {
    ShardStore store = fixture().open();
    store.write(same(0));
    store.commit(1);
    AtomicLong next = new AtomicLong(1);
    AtomicBoolean done = new AtomicBoolean();
    together(
        List.of(
            thenDone(
                done,
                () -> {
                  for (int i = 1; i <= 150; i++) {
                    store.write(same(i));
                    store.commit(next.incrementAndGet());
                  }
                }),
            until(done, () -> store.write(same(-1))),
            until(done, store::rollback),
            until(
                done,
                () -> {
                  SnapshotShelf.Snapshot snapshot =
                      new SnapshotShelf(fixture().newDirectory()).export(store);
                  List<ByteView> values = new ArrayList<>(snapshot.of(ONE).values());
                  values.addAll(snapshot.of(TWO).values());
                  assertThat(values).hasSize(KEYS);
                  one(values, "an export");
                })));
    assertThat(store.version()).isEqualTo(next.get());
    scanAll(store);
  }

  @Test
  default void required_S211_of_several_threads_committing_one_version_one_wins() throws Exception {
    ShardStore store = fixture().open();
    for (int version = 1; version <= 20; version++) {
      int number = version;
      AtomicLong winners = new AtomicLong();
      Fixture.Call commit =
          () -> {
            try {
              store.commit(number);
              winners.incrementAndGet();
            } catch (StateStoreException e) {
              assertThat(e.kind()).isEqualTo(Kind.INVALID);
            }
          };
      together(List.of(commit, commit, commit));
      assertThat(winners.get()).as("commits of version %s that succeeded", version).isOne();
      assertThat(store.version()).isEqualTo(version);
    }
  }

  /**
   * A call again and again until it is told that the store is closed. Any other failure is one, and
   * so is success of a call that began when {@code close()} had returned.
   */
  private static Fixture.Call untilClosed(AtomicBoolean closed, Fixture.Call call) {
    return () -> {
      while (true) {
        boolean tooLate = closed.get();
        try {
          call.run();
          assertThat(tooLate).as("a call after close() succeeds").isFalse();
        } catch (StateStoreException e) {
          assertThat(e.kind()).as("%s", e.getMessage()).isEqualTo(Kind.CLOSED);
          return;
        }
      }
    };
  }

  private static List<Fixture.Call> load(ShardStore store, AtomicBoolean closed) {
    AtomicLong version = new AtomicLong();
    return List.of(
        untilClosed(closed, () -> store.get(ONE, bytes(0))),
        untilClosed(closed, () -> store.multiGet(ONE, keys(0))),
        untilClosed(
            closed,
            () -> {
              try (StateIterator rows = store.scan(ONE, ScanRange.all())) {
                while (rows.next()) {
                  LockSupport.parkNanos(1000);
                  rows.key().toByteArray();
                }
              }
            }),
        untilClosed(
            closed,
            () -> {
              store.write(same(version.get()));
              store.commit(version.incrementAndGet());
            }));
  }

  @Test
  default void required_S401_close_under_load() throws Exception {
    for (int round = 0; round < 5; round++) {
      ShardStore store = fixture().open();
      store.write(same(0));
      AtomicBoolean closed = new AtomicBoolean();
      List<Fixture.Call> calls = new ArrayList<>(load(store, closed));
      int millis = 5 * round;
      calls.add(
          () -> {
            Thread.sleep(millis);
            store.close();
            closed.set(true);
          });
      calls.add(
          () -> {
            Thread.sleep(millis);
            store.close();
          });
      together(calls);
      assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
    }
  }

  @Test
  default void required_S021_close_of_the_backend_under_load() throws Exception {
    for (int round = 0; round < 3; round++) {
      Backend backend = fixture().start();
      ShardStore store = backend.open(new ShardOptions(fixture().newDirectory(), COLUMN_FAMILIES));
      store.write(same(0));
      AtomicBoolean closed = new AtomicBoolean();
      List<Fixture.Call> calls = new ArrayList<>(load(store, closed));
      int millis = 10 * round;
      calls.add(
          () -> {
            Thread.sleep(millis);
            backend.close();
            closed.set(true);
          });
      calls.add(
          untilClosed(
              closed,
              () ->
                  backend
                      .open(new ShardOptions(fixture().newDirectory(), COLUMN_FAMILIES))
                      .close()));
      together(calls);
      assertThat(store.state()).isEqualTo(ShardStore.State.CLOSED);
    }
  }
}
