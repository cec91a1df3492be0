package io.reshard.cli;

import io.reshard.checkpoint.ObjectInfo;
import io.reshard.checkpoint.ObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A store that a run makes. If the run ends before it published a version, what it made is taken
 * away again, so that a load of the wrong file leaves nothing behind. A store that holds anything
 * else by then, or in which another process works, stays.
 */
final class NewStore {
  private static final String STORE = "store.json";

  private final ObjectStore objects;
  private final Path directory;
  private final boolean directoryThere;
  private boolean created;

  /** To be called before the store is made. */
  NewStore(ObjectStore objects) {
    this.objects = objects;
    this.directory = Path.of(objects.location());
    this.directoryThere = Files.exists(directory);
  }

  /** The store was made, by this run. */
  void created() {
    created = true;
  }

  /** Removes the store if nothing but its mark is there. */
  void removeIfEmpty() {
    List<ObjectInfo> there = created ? objects.list("", "", 2) : List.of();
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
