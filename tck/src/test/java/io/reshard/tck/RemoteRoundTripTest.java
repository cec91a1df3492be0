package io.reshard.tck;

import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.checkpoint.StoreOptions;
import io.reshard.checkpoint.hdfs.MiniCluster;
import io.reshard.checkpoint.s3.S3Server;
import io.reshard.memory.MemoryStateStoreProvider;
import io.reshard.spi.BackendOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kit's round trip with its store on S3 and on HDFS. */
class RemoteRoundTripTest {
  @TempDir Path directory;

  private Map<String, String> staging() {
    return Map.of("staging", directory.resolve("staging").toString());
  }

  @Test
  void onS3() {
    S3Server server = S3Server.get();
    roundTrip(ignored -> ObjectStores.open(server.newLocation(), server.options(staging())));
  }

  @Test
  void onHdfs() {
    MiniCluster cluster = MiniCluster.get();
    roundTrip(ignored -> ObjectStores.open(cluster.newLocation(), StoreOptions.of(staging())));
  }

  private void roundTrip(Function<Path, ObjectStore> objectStores) {
    try (Fixture fixture =
        new Fixture(
            new MemoryStateStoreProvider(),
            BackendOptions.defaults(),
            directory,
            StateStoreTck.RUN_SEED,
            Scale.ofProperty(),
            objectStores)) {
      RoundTripSuite suite = () -> fixture;
      suite.required_S251_slots_200_to_100_to_400();
    }
  }
}
