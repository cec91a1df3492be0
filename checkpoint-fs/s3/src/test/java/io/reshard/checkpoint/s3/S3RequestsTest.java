package io.reshard.checkpoint.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.KeyedStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreMetrics;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.checkpoint.ReadAhead;
import io.reshard.checkpoint.s3.FaultyHttp.Fault;
import io.reshard.memory.MemoryStateStoreProvider;
import io.reshard.repartition.ProgressListener;
import io.reshard.repartition.RepartitionOptions;
import io.reshard.repartition.RepartitionPlan;
import io.reshard.repartition.RepartitionResult;
import io.reshard.repartition.Repartitioner;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.sst.SstSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What things cost in requests: a change that makes one of them dearer must say so here. */
class S3RequestsTest {
  private static final int MIB = 1 << 20;

  @TempDir Path directory;

  private final Queue<String> requests = new ConcurrentLinkedQueue<>();
  private final FaultyHttp network =
      FaultyHttp.before(
          S3Server.get().endpoint(),
          (number, request) -> {
            requests.add(request.substring(0, request.indexOf('\r')));
            return Fault.NONE;
          });

  @BeforeEach
  void onlyOnTheServerInThisJvm() {
    // The signature names the host, which is another one behind this network.
    assumeFalse(S3Server.get().isForeign());
  }

  @AfterEach
  void close() {
    network.close();
  }

  private ObjectStore open(String location) {
    return ObjectStores.open(
        location,
        S3Server.get()
            .options(
                Map.of(
                    "s3.endpoint",
                    network.endpoint(),
                    "staging",
                    directory.resolve("staging").toString(),
                    "s3.multipart-bytes",
                    "8m",
                    "s3.part-bytes",
                    "5m")));
  }

  private static void write(KeyedStore store, int from, int to) {
    Random random = new Random(from);
    for (int i = from; i < to; i++) {
      byte[] value = new byte[300];
      random.nextBytes(value);
      store.put("default", ("key " + i).getBytes(UTF_8), value);
    }
  }

  @Test
  void aCommitOf200ShardsAndItsRepartitions() {
    try (CheckpointStore checkpoints = CheckpointStore.create(open(S3Server.get().newLocation()));
        Backend backend = new MemoryStateStoreProvider().start(BackendOptions.defaults())) {
      ObjectStore objects = checkpoints.objects();
      try (KeyedStore store =
          KeyedStore.create(
              checkpoints,
              backend,
              "memory",
              directory.resolve("local"),
              Layout.slots(200),
              List.of(ColumnFamily.hashed("default")))) {
        write(store, 0, 10_000);
        store.commit(Map.of());
        ObjectStoreMetrics before = objects.metrics();
        write(store, 5_000, 20_000);
        store.commit(Map.of());
        ObjectStoreMetrics commit = objects.metrics().since(before);
        // A pack, the lists, the manifest; has garbage been collected, before and after?
        assertThat(commit.puts()).isEqualTo(3);
        assertThat(commit.heads()).isEqualTo(2);
        assertThat(commit.requests()).isEqualTo(5);
      }
      requests.clear();
      ObjectStoreMetrics before = objects.metrics();
      for (int shards : new int[] {100, 400}) {
        RepartitionPlan plan = Repartitioner.plan(checkpoints, checkpoints.latestVersion(), shards);
        RepartitionResult result =
            Repartitioner.execute(
                checkpoints,
                plan,
                RepartitionOptions.defaults(),
                ProgressListener.NONE,
                () -> false);
        assertThat(result.bytesReferenced()).isPositive();
        assertThat(result.bytesWritten()).isZero();
      }
      assertThat(objects.metrics().since(before).requests()).isLessThan(40);
      // Not one byte of data is asked for or sent.
      assertThat(requests).isNotEmpty().noneMatch(request -> request.contains("/files/"));
    }
  }

  @Test
  void smallObjectsAndLargeOnes() throws Exception {
    byte[] large = new byte[11 * MIB];
    new Random(1).nextBytes(large);
    Path file = Files.write(directory.resolve("large"), large);
    try (ObjectStore objects = open(S3Server.get().newLocation())) {
      objects.putIfAbsent("small", new byte[1000]);
      assertThat(cost(objects, 0)).isEqualTo(new ObjectStoreMetrics(1, 0, 0, 0, 0, 0, 1000, 0));
      try (SstSource source = objects.open("small")) {
        source.read(10, new byte[900], 0, 900);
        source.read(0, new byte[10], 0, 10);
      }
      assertThat(cost(objects, 1)).isEqualTo(new ObjectStoreMetrics(0, 1, 0, 0, 0, 0, 0, 1000));
      objects.info("small");
      assertThat(cost(objects, 2)).isEqualTo(new ObjectStoreMetrics(0, 0, 1, 0, 0, 0, 0, 0));
      objects.list("", "", 10);
      assertThat(cost(objects, 3)).isEqualTo(new ObjectStoreMetrics(0, 0, 0, 1, 0, 0, 0, 0));
      assertThat(objects.putIfAbsent("small", new byte[1])).isFalse();
      assertThat(cost(objects, 4)).isEqualTo(new ObjectStoreMetrics(1, 0, 1, 0, 0, 0, 1, 0));
      objects.delete("small");
      assertThat(cost(objects, 5)).isEqualTo(new ObjectStoreMetrics(0, 0, 0, 0, 1, 0, 0, 0));
      // Begin, three parts, complete.
      assertThat(objects.putIfAbsent("large", file)).isTrue();
      assertThat(cost(objects, 6))
          .isEqualTo(new ObjectStoreMetrics(5, 0, 0, 0, 0, 0, large.length, 0));
      Path target = directory.resolve("down");
      assertThat(objects.download("large", 0, large.length, target)).isTrue();
      assertThat(cost(objects, 7))
          .isEqualTo(new ObjectStoreMetrics(0, 3, 1, 0, 0, 0, 0, large.length));
      assertThat(Files.mismatch(file, target)).isEqualTo(-1);
    }
  }

  @Test
  void aScanReadsAheadAndALookDoesNot() throws Exception {
    byte[] large = new byte[7 * MIB];
    new Random(2).nextBytes(large);
    Path file = Files.write(directory.resolve("large"), large);
    try (ObjectStore objects = open(S3Server.get().newLocation())) {
      objects.putIfAbsent("large", file);
      cost(objects, 0);
      byte[] block = new byte[4096];
      try (SstSource source = objects.open("large")) {
        source.read(5 * MIB, block, 0, block.length);
      }
      ObjectStoreMetrics look = cost(objects, 1);
      assertThat(look.gets()).isEqualTo(2);
      assertThat(look.bytesReceived()).isEqualTo(2 * ReadAhead.CHUNK);
      byte[] all = new byte[large.length];
      try (SstSource source = objects.open("large")) {
        for (int at = 0; at < all.length; at += 8192) {
          source.read(at, all, at, 8192);
        }
      }
      assertThat(all).isEqualTo(large);
      ObjectStoreMetrics scan = cost(objects, 2);
      assertThat(scan.gets()).isLessThan(8);
      assertThat(scan.bytesReceived()).isEqualTo(large.length);
    }
  }

  private ObjectStoreMetrics last = ObjectStoreMetrics.NONE;

  /** What was asked since the last look. */
  private ObjectStoreMetrics cost(ObjectStore objects, int step) {
    ObjectStoreMetrics now = objects.metrics();
    ObjectStoreMetrics since = now.since(step == 0 ? ObjectStoreMetrics.NONE : last);
    last = now;
    return since;
  }
}
