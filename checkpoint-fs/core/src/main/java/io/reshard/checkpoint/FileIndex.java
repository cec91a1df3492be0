package io.reshard.checkpoint;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of a version by content, and the objects they lie in. Small for millions of files: a
 * table of references that somebody else holds anyway, open addressing by their SHA-256. Names are
 * kept only of objects that do not follow from a hash, of which there are few: packs. Immutable.
 */
final class FileIndex {
  private final @Nullable FileRef[] table;
  private final int mask;
  private final Set<String> otherObjects = new HashSet<>();

  FileIndex(List<List<FileRef>> shards) {
    long files = shards.stream().mapToLong(List::size).sum();
    this.table = new FileRef[capacity(files)];
    this.mask = table.length - 1;
    for (List<FileRef> shard : shards) {
      shard.forEach(this::add);
    }
  }

  /** A power of two that is less than half full, as far as an array goes. */
  private static int capacity(long files) {
    return Integer.highestOneBit((int) Math.min(1 << 28, Math.max(4, files))) << 2;
  }

  private void add(FileRef file) {
    if (!file.isAlone()) {
      otherObjects.add(file.object());
    }
    int at = Spread.of(file.hash(0), file.hash(1)) & mask;
    while (true) {
      FileRef there = table[at];
      if (there == null) {
        table[at] = file;
        return;
      }
      // Of the same content it is enough to know one, and one in an object of its own is the best.
      if (there.sameContent(file)) {
        if (file.isAlone()) {
          table[at] = file;
        }
        return;
      }
      at = (at + 1) & mask;
    }
  }

  /** Whether a file of the version lies in the object that {@code file} lies in. */
  boolean hasObjectOf(FileRef file) {
    if (!file.isAlone()) {
      return otherObjects.contains(file.object());
    }
    FileRef same = find(file.hash(0), file.hash(1), file.hash(2), file.hash(3));
    return same != null && same.isAlone();
  }

  /** A file of that SHA-256. */
  @Nullable FileRef find(String sha256) {
    long[] bits = new long[Sha256.LONGS];
    Sha256.parse(sha256, bits);
    return find(bits[0], bits[1], bits[2], bits[3]);
  }

  private @Nullable FileRef find(long hash0, long hash1, long hash2, long hash3) {
    for (int at = Spread.of(hash0, hash1) & mask; ; at = (at + 1) & mask) {
      FileRef there = table[at];
      if (there == null) {
        return null;
      }
      if (there.hash(0) == hash0
          && there.hash(1) == hash1
          && there.hash(2) == hash2
          && there.hash(3) == hash3) {
        return there;
      }
    }
  }
}
