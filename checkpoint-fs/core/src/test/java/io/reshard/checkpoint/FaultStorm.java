package io.reshard.checkpoint;

import static io.reshard.checkpoint.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.testing.FaultyObjectStore;
import io.reshard.checkpoint.testing.FaultyObjectStore.Operation;
import io.reshard.memory.MemoryStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.NullUnmarked;

/**
 * Commits, retries, rollbacks and collections of garbage while the object store fails, loses
 * answers and crashes. After each session the newest version is one that may be the newest, every
 * version is sound, and nothing committed is lost; at the end a collection leaves nothing but what
 * versions name.
 */
@NullUnmarked
public final class FaultStorm {
  private static final Layout LAYOUT = Layout.slots(3);

  private final Path directory;
  private final Supplier<ObjectStore> clients;
  private final LongFunction<ObjectStore> stormy;

  /**
   * @param directory scratch space
   * @param clients opens the same empty place again and again, free of faults
   * @param stormy opens it for one session, with whatever faults it has of its own by a seed
   */
  public FaultStorm(
      Path directory, Supplier<ObjectStore> clients, LongFunction<ObjectStore> stormy) {
    this.directory = directory;
    this.clients = clients;
    this.stormy = stormy;
  }

  /** Runs so many sessions, one after another, and collects the garbage they left. */
  public void run(int sessions, long seed) {
    CheckpointStore.create(clients.get()).close();
    NavigableMap<String, String> committed = new TreeMap<>();
    for (int i = 0; i < sessions; i++) {
      try {
        committed = new Session(seed + i, committed).run();
      } catch (StateStoreException | AssertionError e) {
        throw new AssertionError("session " + i + " of -Dreshard.seed=" + seed + ": " + e, e);
      }
    }
    assertThat(committed).isNotEmpty();
    checkNoOrphans();
  }

  private void checkNoOrphans() {
    letTheSecondPass();
    try (CheckpointStore store = CheckpointStore.open(clients.get())) {
      GcOptions all = new GcOptions(1, Duration.ZERO, Duration.ZERO, false);
      store.gc(all);
      if (store.latestVersion() > 0) {
        GcResult left = store.gc(new GcOptions(1, Duration.ZERO, Duration.ZERO, true));
        assertThat(left.deletedObjects()).isEmpty();
        assertThat(left.deletedVersions()).isEmpty();
      }
    }
  }

  /** S3 tells times in whole seconds, and a collection spares what is as young as it is itself. */
  private static void letTheSecondPass() {
    try {
      Thread.sleep(1_001);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A process that lives until it crashes or has had enough. */
  private final class Session {
    private final Random random;
    private final FaultyObjectStore objects;
    private final boolean crashes;
    private final List<NavigableMap<String, String>> possible = new ArrayList<>();
    private NavigableMap<String, String> working;

    Session(long seed, NavigableMap<String, String> committed) {
      this.random = new Random(seed);
      this.objects = new FaultyObjectStore(stormy.apply(seed), seed);
      this.crashes = random.nextBoolean();
      possible.add(committed);
      working = new TreeMap<>(committed);
    }

    NavigableMap<String, String> run() {
      objects.errors(random.nextInt(30)).lostAnswers(random.nextInt(30));
      if (crashes) {
        objects.crashAfter(random.nextInt(150));
      }
      try (Backend backend = new MemoryStateStoreProvider().start(BackendOptions.defaults());
          CheckpointStore checkpoints = CheckpointStore.open(objects);
          KeyedStore store = open(checkpoints, backend)) {
        for (int i = 0; i < 6; i++) {
          step(checkpoints, store);
        }
      } catch (StateStoreException e) {
        assertThat(e.kind()).as("%s", e).isIn(Kind.UNAVAILABLE, Kind.FENCED);
      }
      return verify();
    }

    private KeyedStore open(CheckpointStore checkpoints, Backend backend) {
      Path local = directory.resolve("local");
      long newest = checkpoints.latestVersion();
      return newest == 0
          ? KeyedStore.create(
              checkpoints,
              backend,
              "memory",
              local,
              LAYOUT,
              List.of(ColumnFamily.hashed("default")))
          : KeyedStore.open(checkpoints, backend, "memory", local, newest);
    }

    private void step(CheckpointStore checkpoints, KeyedStore store) {
      write(store);
      if (random.nextInt(4) == 0) {
        collectWhilePublishing();
      }
      if (random.nextInt(5) == 0) {
        collect(checkpoints);
      }
      try {
        commit(store);
      } catch (StateStoreException e) {
        if (!e.isRetryable()) {
          throw e;
        }
        if (random.nextInt(3) == 0) {
          store.rollback();
          // Whatever became of the commit is the committed state now.
          working = rowsOf(store);
          assertThat(possible).contains(working);
          possible.clear();
          possible.add(new TreeMap<>(working));
        }
      }
    }

    private void write(KeyedStore store) {
      for (int i = 0; i < 20; i++) {
        String key = "k" + random.nextInt(60);
        if (random.nextInt(4) == 0) {
          store.delete("default", bytes(key));
          working.remove(key);
        } else {
          String value = "v" + random.nextInt();
          store.put("default", bytes(key), bytes(value));
          working.put(key, value);
        }
      }
    }

    private void commit(KeyedStore store) {
      possible.add(new TreeMap<>(working));
      store.commit(Map.of("n", "" + random.nextInt()));
      possible.clear();
      possible.add(new TreeMap<>(working));
    }

    private NavigableMap<String, String> rowsOf(KeyedStore store) {
      NavigableMap<String, String> rows = new TreeMap<>();
      for (int i = 0; i < 60; i++) {
        byte[] value = store.get("default", bytes("k" + i));
        if (value != null) {
          rows.put("k" + i, new String(value, java.nio.charset.StandardCharsets.UTF_8));
        }
      }
      return rows;
    }

    private void collect(CheckpointStore checkpoints) {
      try {
        checkpoints.gc(new GcOptions(1 + random.nextInt(3), Duration.ZERO, Duration.ZERO, false));
      } catch (StateStoreException e) {
        if (!e.isRetryable()) {
          throw e;
        }
      }
    }

    /**
     * Another process collects between the look at the boundary and the create. Without a grace
     * that fences the writer; but one that dies just then leaves a version whose files are gone, so
     * there a grace is needed.
     */
    private void collectWhilePublishing() {
      Duration grace = crashes ? Duration.ofHours(1) : Duration.ZERO;
      objects.before(
          Operation.PUT,
          "manifests/",
          () -> {
            try (CheckpointStore other = CheckpointStore.open(clients.get())) {
              other.gc(new GcOptions(2, Duration.ZERO, grace, false));
            }
          });
    }

    private NavigableMap<String, String> verify() {
      try (CheckpointStore reader = CheckpointStore.open(clients.get())) {
        for (long version : reader.versions()) {
          StoreVerifier.verify(reader, reader.manifest(version), 1, shard -> {});
        }
        long newest = reader.latestVersion();
        NavigableMap<String, String> rows =
            newest == 0 ? new TreeMap<>() : Rows.read(reader, reader.manifest(newest), "default");
        assertThat(possible).contains(rows);
        return rows;
      }
    }
  }
}
