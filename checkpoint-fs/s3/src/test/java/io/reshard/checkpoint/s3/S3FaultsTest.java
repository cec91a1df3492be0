package io.reshard.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FaultStorm;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.checkpoint.s3.FaultyHttp.Fault;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a service may answer, or fail to; storms can be replayed with -Dreshard.seed=N. */
class S3FaultsTest {
  private static final int MIB = 1 << 20;

  @TempDir Path directory;

  private final String location = S3Server.get().newLocation();
  private final FaultyHttp network =
      FaultyHttp.before(S3Server.get().endpoint(), (number, request) -> Fault.NONE);
  private final List<ObjectStore> opened = new ArrayList<>();

  @BeforeEach
  void onlyOnTheServerInThisJvm() {
    // The signature names the host, which is another one behind this network.
    assumeFalse(S3Server.get().isForeign());
  }

  @AfterEach
  void close() {
    opened.forEach(ObjectStore::close);
    network.close();
  }

  private ObjectStore open(String endpoint, Map<String, String> more) {
    Map<String, String> options = new HashMap<>();
    options.put("s3.endpoint", endpoint);
    options.put("staging", directory.resolve("staging").toString());
    options.put("s3.part-bytes", "5m");
    options.put("s3.multipart-bytes", "5m");
    options.putAll(more);
    ObjectStore store = ObjectStores.open(location, S3Server.get().options(options));
    opened.add(store);
    return store;
  }

  private ObjectStore faulty() {
    return open(network.endpoint(), Map.of("s3.timeout", "2s"));
  }

  /** Answers the first {@code n} requests that start so with a fault. */
  private void failFirst(int n, String start, Fault fault) {
    int[] left = {n};
    network.plan(
        (number, request) -> {
          synchronized (left) {
            return request.startsWith(start) && left[0]-- > 0 ? fault : Fault.NONE;
          }
        });
  }

  private static byte[] content(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] read(ObjectStore objects, String name) {
    try (SstSource source = objects.open(name)) {
      byte[] bytes = new byte[(int) source.size()];
      source.read(0, bytes, 0, bytes.length);
      return bytes;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFaultDoesNotShow(Fault fault) throws Exception {
    ObjectStore objects = faulty();
    if (fault != Fault.FALSE_PRECONDITION) {
      failFirst(2, "PUT", fault);
      assertThat(objects.putIfAbsent("small", content(1, 1000))).isTrue();
    } else {
      assertThat(objects.putIfAbsent("small", content(1, 1000))).isTrue();
    }
    failFirst(2, "GET", fault);
    assertThat(read(objects, "small")).isEqualTo(content(1, 1000));
    failFirst(2, "GET", fault);
    assertThat(objects.list("", "", 10)).hasSize(1);
    failFirst(2, "HEAD", fault);
    assertThat(objects.info("small").size()).isEqualTo(1000);
    failFirst(2, "GET", fault);
    Path target = directory.resolve("down-" + fault);
    assertThat(objects.download("small", 10, 900, target)).isTrue();
    assertThat(Files.size(target)).isEqualTo(900);
    failFirst(2, "DELETE", fault);
    objects.delete("small");
    assertThat(objects.info("small")).isNull();
  }

  @ParameterizedTest
  @EnumSource(names = {"ANSWER_LOST", "CONFLICT", "RESET_IN_ANSWER"})
  void aLargeObjectIsCreatedWhateverOneRequestMeets(Fault fault) throws Exception {
    byte[] large = content(3, 6 * MIB);
    Path file = Files.write(directory.resolve("large"), large);
    ObjectStore objects = faulty();
    int name = 0;
    // The request that begins, one that brings a part, the one that completes.
    for (String start : List.of("POST", "PUT", "POST /" + S3Server.get().bucket() + "/")) {
      String object = "large-" + name++;
      if (name == 3) {
        network.plan(completionOnce(fault));
      } else {
        failFirst(1, start, fault);
      }
      assertThat(objects.putIfAbsent(object, file)).as("%s of %s", fault, start).isTrue();
      assertThat(read(objects, object)).isEqualTo(large);
      network.plan((number, request) -> Fault.NONE);
    }
    assertThat(objects.putIfAbsent("large-0", file)).isFalse();
    assertThat(objects.removeUnfinished(System.currentTimeMillis() + 3_600_000, true))
        .as("uploads left")
        .isLessThanOrEqualTo(1); // The one whose begin was lost: nobody knows its id.
  }

  private static FaultyHttp.Plan completionOnce(Fault fault) {
    boolean[] done = {false};
    return (number, request) -> {
      synchronized (done) {
        if (request.startsWith("POST") && request.contains("uploadId") && !done[0]) {
          done[0] = true;
          return fault;
        }
        return Fault.NONE;
      }
    };
  }

  @Test
  void aLostAnswerToOnesOwnCreationIsNoDefeat() {
    ObjectStore objects = faulty();
    failFirst(3, "PUT", Fault.ANSWER_LOST);
    assertThat(objects.putIfAbsent("mine", content(1, 100))).isTrue();
    assertThat(objects.metrics().retries()).isEqualTo(3);
    // The same bytes by another: the id differs, not the content.
    assertThat(open(S3Server.get().endpoint(), Map.of()).putIfAbsent("mine", content(1, 100)))
        .isFalse();
  }

  @Test
  void anAnswerLostBehindAnothersCreationIsADefeat() {
    ObjectStore objects = faulty();
    ObjectStore other = open(S3Server.get().endpoint(), Map.of());
    network.plan(
        (number, request) -> {
          if (request.startsWith("PUT") && number == 1) {
            assertThat(other.putIfAbsent("theirs", content(2, 50))).isTrue();
            return Fault.ANSWER_LOST;
          }
          return Fault.NONE;
        });
    assertThat(objects.putIfAbsent("theirs", content(1, 100))).isFalse();
    assertThat(read(objects, "theirs")).isEqualTo(content(2, 50));
  }

  @Test
  void patienceEnds() {
    ObjectStore objects = open(network.endpoint(), Map.of("s3.retry-budget", "300ms"));
    network.plan((number, request) -> Fault.SLOW_DOWN);
    assertThatThrownBy(() -> objects.putIfAbsent("x", new byte[1]))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(StateStoreException.Kind.UNAVAILABLE);
              assertThat(e).hasMessageContaining("SlowDown").hasMessageContaining("retry-budget");
            });
    assertThat(network.requests()).isGreaterThan(2);
  }

  @Test
  void anInterruptedThreadIsToldAtOnce() {
    ObjectStore objects = faulty();
    network.plan((number, request) -> Fault.SLOW_DOWN);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> objects.putIfAbsent("x", new byte[1]))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.UNAVAILABLE));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aServiceThatReplacesObjectsIsRefusedWhenAStoreIsMade() {
    // A network that takes the condition away makes one; signatures would notice.
    try (S3Server.Unsigned server = S3Server.unsigned();
        FaultyHttp forgetful = FaultyHttp.before(server.endpoint(), (n, request) -> Fault.NONE)) {
      forgetful.dropHeader("if-none-match");
      assertThatThrownBy(() -> CheckpointStore.create(open(forgetful.endpoint(), Map.of())))
          .isInstanceOfSatisfying(
              StateStoreException.class,
              e -> {
                assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INCOMPATIBLE);
                assertThat(e).hasMessageContaining("PutObject with If-None-Match: * replaced");
              });
      ObjectStore objects = open(server.endpoint(), Map.of());
      assertThat(objects.list("", "", 10)).isEmpty();
      // The same where only uploads in parts forget it.
      forgetful.dropHeader("if-none-match", "POST");
      assertThatThrownBy(() -> CheckpointStore.create(open(forgetful.endpoint(), Map.of())))
          .hasMessageContaining("CompleteMultipartUpload with If-None-Match: * replaced");
      assertThat(objects.list("", "", 10)).isEmpty();
      CheckpointStore.create(objects).close();
    }
  }

  @Test
  void stormsOfTheNetwork() {
    storm(2, Long.getLong("reshard.seed", 20_260_201L));
  }

  @Test
  @Tag("slow")
  void stormsOfTheNetworkForLong() {
    storm(Integer.getInteger("reshard.storms", 100), Long.getLong("reshard.seed", 20_260_301L));
  }

  private void storm(int sessions, long seed) {
    Map<String, String> impatient = Map.of("s3.retry-budget", "1s", "s3.timeout", "2s");
    new FaultStorm(
            directory,
            () -> open(S3Server.get().endpoint(), Map.of()),
            session -> {
              network.plan(FaultyHttp.random(session, new Random(session).nextInt(150)));
              return open(network.endpoint(), impatient);
            })
        .run(sessions, seed);
  }
}
