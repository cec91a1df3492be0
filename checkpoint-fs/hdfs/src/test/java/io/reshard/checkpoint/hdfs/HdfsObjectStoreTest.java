package io.reshard.checkpoint.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FaultStorm;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreContract;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.checkpoint.StoreOptions;
import io.reshard.spi.StateStoreException;
import java.net.URI;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract, and what is HDFS's own. */
class HdfsObjectStoreTest extends ObjectStoreContract {
  private String location;

  private String location() {
    if (location == null) {
      location = MiniCluster.get().newLocation();
    }
    return location;
  }

  private StoreOptions options() {
    return StoreOptions.of(Map.of("staging", directory.resolve("staging").toString()));
  }

  @Override
  protected ObjectStore open() {
    return ObjectStores.open(location(), options());
  }

  @Test
  void leavesNothingInStaging() throws Exception {
    try (ObjectStore objects = open()) {
      assertThat(objects.putIfAbsent("a", new byte[10])).isTrue();
      assertThat(objects.putIfAbsent("a", new byte[10])).isFalse();
      objects.checkCreatesOnce("a");
    }
    try (FileSystem files = FileSystem.newInstance(URI.create(location()), new Configuration())) {
      assertThat(files.listStatus(new Path(location() + "/staging"))).isEmpty();
    }
  }

  @Test
  void whatDeadWritersLeftIsRemoved() throws Exception {
    try (ObjectStore objects = open();
        FileSystem files = FileSystem.newInstance(URI.create(location()), new Configuration())) {
      files.create(new Path(location() + "/staging/dead.tmp")).close();
      assertThat(objects.list("", "", 10)).isEmpty();
      assertThat(objects.removeUnfinished(System.currentTimeMillis() - 3_600_000, false)).isZero();
      assertThat(objects.removeUnfinished(System.currentTimeMillis() + 3_600_000, true)).isOne();
      assertThat(objects.removeUnfinished(System.currentTimeMillis() + 3_600_000, false)).isOne();
      assertThat(objects.removeUnfinished(System.currentTimeMillis() + 3_600_000, false)).isZero();
    }
  }

  @Test
  void aDirectoryRemovedByOthersIsMadeAgain() throws Exception {
    try (ObjectStore objects = open();
        FileSystem files = FileSystem.newInstance(URI.create(location()), new Configuration())) {
      assertThat(objects.putIfAbsent("d/a", new byte[1])).isTrue();
      assertThat(files.delete(new Path(location() + "/d"), true)).isTrue();
      assertThat(objects.putIfAbsent("d/b", new byte[1])).isTrue();
      assertThat(objects.info("d/b")).isNotNull();
    }
  }

  @Test
  void aDirectoryIsNoPlaceForAnObject() {
    try (ObjectStore objects = open()) {
      assertThat(objects.putIfAbsent("d/a", new byte[1])).isTrue();
      assertInvalid(() -> objects.putIfAbsent("d", new byte[1]), "is a directory");
      assertThat(objects.list("", "", 10)).hasSize(1);
    }
  }

  @Test
  void locationsAndOptionsThatAreNoneAreInvalid() {
    assertInvalid(() -> ObjectStores.open("hdfs://localhost:1"), "with a path");
    assertInvalid(() -> ObjectStores.open("hdfs://localhost:1/"), "with a path");
    assertInvalid(() -> ObjectStores.open("hdfs://u:pass-word@localhost:1/x"), "credentials");
    assertInvalid(
        () -> ObjectStores.open("hdfs://localhost:1/x", StoreOptions.of(Map.of("hdfs.usr", "x"))),
        "hdfs.user");
    assertInvalid(
        () ->
            ObjectStores.open(
                "hdfs://localhost:1/x", StoreOptions.of(Map.of("hdfs.config", "/no/such"))),
        "hdfs.config");
  }

  @Test
  void onlyFileSystemsWithANameNodeAreTrustedUnasked() {
    assertThat(HadoopFileSystems.createsOnce("hdfs")).isTrue();
    assertThat(HadoopFileSystems.createsOnce("abfs")).isFalse();
    assertThat(HadoopFileSystems.createsOnce("gs")).isFalse();
  }

  @Test
  void makesAndOpensAStore() {
    CheckpointStore.create(open()).close();
    try (CheckpointStore store = CheckpointStore.open(open())) {
      assertThat(store.latestVersion()).isZero();
      assertThat(store.objects().metrics().requests()).isPositive();
    }
    assertInvalid(() -> CheckpointStore.create(open()), "already");
  }

  @Test
  void storms() {
    storm(1, Long.getLong("reshard.seed", 20_260_401L));
  }

  @Test
  @Tag("slow")
  void stormsForLong() {
    storm(Integer.getInteger("reshard.storms", 50), Long.getLong("reshard.seed", 20_260_501L));
  }

  private void storm(int sessions, long seed) {
    new FaultStorm(directory, this::open, ignored -> open()).run(sessions, seed);
  }

  private static void assertInvalid(Runnable call, String text) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID);
              assertThat(e).hasMessageContaining(text);
              assertThat(e.getMessage()).doesNotContain("pass-word");
            });
  }
}
