package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Manifest;
import io.reshard.spi.StateStoreException;
import java.io.IOException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A verb on a store that exists. */
abstract class StoreVerb extends Verb {
  @Option(
      names = "--store",
      order = 0,
      required = true,
      paramLabel = "LOCATION",
      description = "Where the store is: " + StorePlace.WHAT + ".")
  String location = "";

  @Mixin StorePlace place = new StorePlace();

  StoreVerb(Console console) {
    super(console);
  }

  @Override
  final ExitCode run() throws IOException {
    try (CheckpointStore store = CheckpointStore.open(place.open(location))) {
      ExitCode code = run(store);
      sayRequests(store);
      return code;
    }
  }

  private void sayRequests(CheckpointStore store) {
    String requests = StorePlace.describe(store.objects().metrics());
    if (!json && !requests.isEmpty()) {
      console().say(console().dim(requests));
    }
  }

  /** Does what the verb says on the open store. */
  abstract ExitCode run(CheckpointStore store) throws IOException;

  /** The manifest of a version; of the newest where {@code version} is 0. */
  final Manifest manifest(CheckpointStore store, long version) {
    if (version < 0) {
      throw StateStoreException.invalid("version " + version + "; versions count from 1");
    }
    if (version > 0) {
      return store.manifest(version);
    }
    long latest = store.latestVersion();
    if (latest == 0) {
      throw StateStoreException.invalid(
          "store " + location + " has no version yet; put something into it with reshard load");
    }
    return store.manifest(latest);
  }
}
