package io.reshard.cli;

import io.reshard.checkpoint.ObjectInfo;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A store that a run makes. If the run ends before it published a version, what it made is taken
 * away again, so that a load of the wrong file leaves nothing behind. A store that holds anything
 * else by then, or in which another process works, stays; so does one that is not on local disk.
 */
final class NewStore {
  private static final String STORE = "store.json";

  private final ObjectStore objects;
  private final boolean remote;
  private final Path directory;
  private final boolean directoryThere;
  private boolean created;

  /** To be called before the store is made. */
  NewStore(ObjectStore objects) {
    this.objects = objects;
    this.remote = ObjectStores.isRemote(objects.location());
    this.directory = remote ? objects.stagingDirectory() : Path.of(objects.location());
    this.directoryThere = Files.exists(directory);
  }

  /** The store was made, by this run. */
  void created() {
    created = true;
  }

  /** Removes the store if nothing but its mark is there. */
  void removeIfEmpty() {
    // Elsewhere nobody can tell whether another machine has begun to use the store.
    List<ObjectInfo> there = created && !remote ? objects.list("", "", 2) : List.of();
    // A directory that is not empty is not deleted: another process has its work there.
    if (there.size() == 1
        && there.get(0).name().equals(STORE)
        && deleted(objects.stagingDirectory())) {
      objects.delete(STORE);
      if (!directoryThere) {
        deleted(directory);
      }
    }
  }

  private static boolean deleted(Path directory) {
    try {
      Files.deleteIfExists(directory);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
