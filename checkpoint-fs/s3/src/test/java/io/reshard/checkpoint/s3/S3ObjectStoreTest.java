package io.reshard.checkpoint.s3;

import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreContract;
import io.reshard.checkpoint.ObjectStores;
import java.util.Map;

/** The contract, on small objects by one request and on larger ones in parts. */
class S3ObjectStoreTest extends ObjectStoreContract {
  private String location;

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
