package io.reshard.checkpoint.s3;

import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreContract;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.checkpoint.WriterRace;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract, on small objects by one request and on larger ones in parts. */
class S3ObjectStoreTest extends ObjectStoreContract {
  private String location;

  @Test
  void fewWritersRace() throws Exception {
    new WriterRace(directory, this::open).run(4, 3);
  }

  @Test
  @Tag("slow")
  void manyWritersRace() throws Exception {
    new WriterRace(directory, this::open).run(16, Integer.getInteger("reshard.rounds", 200));
  }

  @Override
  protected ObjectStore open() {
    if (location == null) {
      location = S3Server.get().newLocation();
    }
    return ObjectStores.open(
        location,
        S3Server.get().options(Map.of("staging", directory.resolve("staging").toString())));
  }
}
