package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.memory.MemoryStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.NullUnmarked;

/**
 * Several writers, each with a client of its own, commit the same version at the same moment. One
 * has it, the others are fenced, and the version holds the winner's row and no other's.
 */
@NullUnmarked
public final class WriterRace {
  private static final Layout LAYOUT = Layout.slots(2);

  private final Path directory;
  private final Supplier<ObjectStore> clients;

  /**
   * @param directory scratch space
   * @param clients opens the same empty place again and again
   */
  public WriterRace(Path directory, Supplier<ObjectStore> clients) {
    this.directory = directory;
    this.clients = clients;
  }

  /** Lets so many writers race for one version after another. */
  public void run(int writers, int rounds) throws Exception {
    NavigableMap<String, String> expected = new TreeMap<>();
    try (Backend backend = new MemoryStateStoreProvider().start(BackendOptions.defaults())) {
      try (CheckpointStore store = CheckpointStore.create(clients.get());
          KeyedStore first =
              KeyedStore.create(
                  store,
                  backend,
                  "memory",
                  directory.resolve("first"),
                  LAYOUT,
                  List.of(ColumnFamily.hashed("default")))) {
        first.put("default", bytes("k"), bytes("v"));
        first.commit(Map.of());
      }
      expected.put("k", "v");
      List<CheckpointStore> stores = new ArrayList<>();
      ExecutorService pool = Executors.newFixedThreadPool(writers);
      try {
        for (int i = 0; i < writers; i++) {
          stores.add(CheckpointStore.open(clients.get()));
        }
        for (int round = 0; round < rounds; round++) {
          round(backend, stores, pool, round, expected);
        }
      } finally {
        pool.shutdownNow();
        stores.forEach(CheckpointStore::close);
      }
    }
  }

  private void round(
      Backend backend,
      List<CheckpointStore> stores,
      ExecutorService pool,
      int round,
      NavigableMap<String, String> expected)
      throws Exception {
    long version = round + 1L;
    CyclicBarrier start = new CyclicBarrier(stores.size());
    List<Callable<Boolean>> commits = new ArrayList<>();
    for (int i = 0; i < stores.size(); i++) {
      int writer = i;
      commits.add(() -> commit(backend, stores.get(writer), version, writer, start));
    }
    List<Integer> winners = new ArrayList<>();
    List<Future<Boolean>> results = pool.invokeAll(commits);
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i).get()) {
        winners.add(i);
      }
    }
    assertThat(winners).as("winners of version %s", version + 1).hasSize(1);
    expected.put("row " + version, "writer " + winners.get(0));
    CheckpointStore reader = stores.get(round % stores.size());
    assertThat(reader.latestVersion()).isEqualTo(version + 1);
    assertThat(Rows.read(reader, reader.manifest(version + 1), "default")).isEqualTo(expected);
  }

  private boolean commit(
      Backend backend, CheckpointStore store, long version, int writer, CyclicBarrier start)
      throws Exception {
    Path local = directory.resolve("local-" + version + "-" + writer);
    try (KeyedStore state = KeyedStore.open(store, backend, "memory", local, version)) {
      state.put("default", bytes("row " + version), bytes("writer " + writer));
      start.await();
      state.commit(Map.of());
      return true;
    } catch (StateStoreException e) {
      assertThat(e.kind()).as("%s", e).isEqualTo(Kind.FENCED);
      return false;
    }
  }
}
