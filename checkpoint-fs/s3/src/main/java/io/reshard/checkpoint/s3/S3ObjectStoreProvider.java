package io.reshard.checkpoint.s3;

import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreProvider;
import io.reshard.checkpoint.StoreOptions;
import java.util.Set;

/**
 * Opens {@code s3://bucket/prefix}; {@code s3a:} and {@code s3n:} mean the same. The options are
 * listed in {@code docs/operations.md}. Credentials are found by the AWS SDK's default chain:
 * environment, profile, container, instance.
 */
public final class S3ObjectStoreProvider implements ObjectStoreProvider {
  /** For {@link java.util.ServiceLoader}. */
  public S3ObjectStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("s3", "s3a", "s3n");
  }

  @Override
  public ObjectStore open(String location, StoreOptions options) {
    return new S3ObjectStore(S3Location.parse(location), S3Options.of(options), options);
  }
}
