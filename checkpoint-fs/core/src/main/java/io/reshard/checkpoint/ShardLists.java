package io.reshard.checkpoint;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the file lists of shards, and remembers them. Thread-safe.
 *
 * <p>Lists lie one behind another in few objects, so many are read by one request, and several
 * requests are on their way at once. Lists are remembered in two ways: some megabytes of them
 * whatever happens, and all that somebody still holds, for nothing. So whoever plans with a
 * version, and holds its lists, finds them again when he publishes, whatever their size.
 */
final class ShardLists {
  private static final long CACHE_BYTES = 64 << 20;

  /** Bytes read by one request, if one list is not larger. */
  static final int READ_BYTES = 8 << 20;

  /** Bytes between two lists that are read and thrown away rather than asked for separately. */
  private static final int GAP_BYTES = 64 << 10;

  private static final int THREADS = Math.min(4, Runtime.getRuntime().availableProcessors());

  private final ObjectHandles handles;
  private final Cache<String, List<FileRef>> recent =
      Caffeine.newBuilder()
          .maximumWeight(CACHE_BYTES)
          .executor(Runnable::run)
          .<String, List<FileRef>>weigher((key, files) -> weight(files))
          .build();
  private final Cache<String, List<FileRef>> held =
      Caffeine.newBuilder().weakValues().executor(Runnable::run).build();

  ShardLists(ObjectHandles handles) {
    this.handles = handles;
  }

  /** Bytes on the heap: object, name of a pack, and two keys of which one looks like all. */
  private static int weight(List<FileRef> files) {
    long keys = files.isEmpty() ? 0 : 2L * files.get(0).largestKey().length;
    return (int) Math.min(Integer.MAX_VALUE, 256 + files.size() * (200 + keys));
  }

  /** The files of a shard, checked against what the manifest says of it. */
  List<FileRef> get(Manifest manifest, int shard) {
    ShardRef ref = manifest.shards().get(shard);
    if (ref.files() == 0) {
      return List.of();
    }
    String key = key(manifest, shard);
    List<FileRef> known = known(key);
    return known == null ? read(rules(manifest), key, shard, ref) : known;
  }

  /** The files of a shard; null if they had to be read. */
  @Nullable List<FileRef> getIfKnown(Manifest manifest, int shard) {
    return manifest.shards().get(shard).files() == 0 ? List.of() : known(key(manifest, shard));
  }

  /**
   * Gives the files of every shard that has some, in any order and from several threads at once.
   *
   * @param wanted whether a list is wanted; asked by the caller's thread
   */
  void forEach(
      Manifest manifest, Predicate<ShardRef> wanted, ObjIntConsumer<List<FileRef>> consumer) {
    List<Integer> unknown = new ArrayList<>();
    for (int shard = 0; shard < manifest.shards().size(); shard++) {
      ShardRef ref = manifest.shards().get(shard);
      if (ref.files() > 0 && wanted.test(ref)) {
        List<FileRef> known = known(key(manifest, shard));
        if (known == null) {
          unknown.add(shard);
        } else {
          consumer.accept(known, shard);
        }
      }
    }
    ShardRules rules = rules(manifest);
    List<List<Integer>> reads = reads(manifest, unknown);
    Parallel.forEach(THREADS, reads.size(), i -> read(manifest, rules, reads.get(i), consumer));
  }

  /** Remembers a list that was just written. */
  void put(Manifest manifest, int shard, List<FileRef> files) {
    remember(key(manifest, shard), files);
  }

  private static ShardRules rules(Manifest manifest) {
    return new ShardRules(manifest.layout(), manifest.columnFamilies());
  }

  /** With shard and number of shards, since a list is checked for one shard of one layout. */
  private static String key(Manifest manifest, int shard) {
    ShardRef ref = manifest.shards().get(shard);
    return ref.sha256() + ref.object() + "/" + shard + "/" + manifest.shards().size();
  }

  private @Nullable List<FileRef> known(String key) {
    List<FileRef> known = recent.getIfPresent(key);
    return known == null ? held.getIfPresent(key) : known;
  }

  private void remember(String key, List<FileRef> files) {
    recent.put(key, files);
    held.put(key, files);
  }

  private List<FileRef> read(ShardRules rules, String key, int shard, ShardRef ref) {
    byte[] bytes = new byte[ref.length()];
    try (SstSource source = handles.open(ref.object(), ref.offset(), ref.length())) {
      source.read(0, bytes, 0, bytes.length);
    }
    return parse(rules, key, shard, ref, bytes, 0);
  }

  private List<FileRef> parse(
      ShardRules rules, String key, int shard, ShardRef ref, byte[] bytes, int offset) {
    List<FileRef> files = ShardListFormat.read(ref, bytes, offset);
    rules.check(shard, files, StateStoreException.Kind.CORRUPT);
    remember(key, files);
    return files;
  }

  /** Shards whose lists are read together, by object and offset. */
  private static List<List<Integer>> reads(Manifest manifest, List<Integer> shards) {
    List<Integer> ordered = new ArrayList<>(shards);
    ordered.sort(
        Comparator.comparing((Integer shard) -> manifest.shards().get(shard).object())
            .thenComparingInt(shard -> manifest.shards().get(shard).offset()));
    List<List<Integer>> reads = new ArrayList<>();
    List<Integer> current = new ArrayList<>();
    for (int shard : ordered) {
      if (!current.isEmpty() && !isNear(manifest, current, shard)) {
        reads.add(current);
        current = new ArrayList<>();
      }
      current.add(shard);
    }
    if (!current.isEmpty()) {
      reads.add(current);
    }
    return reads;
  }

  private static boolean isNear(Manifest manifest, List<Integer> read, int shard) {
    ShardRef first = manifest.shards().get(read.get(0));
    ShardRef last = manifest.shards().get(read.get(read.size() - 1));
    ShardRef next = manifest.shards().get(shard);
    return next.object().equals(first.object())
        && next.offset() - (last.offset() + last.length()) <= GAP_BYTES
        && (long) next.offset() + next.length() - first.offset() <= READ_BYTES;
  }

  private void read(
      Manifest manifest,
      ShardRules rules,
      List<Integer> shards,
      ObjIntConsumer<List<FileRef>> consumer) {
    ShardRef first = manifest.shards().get(shards.get(0));
    int end = 0;
    for (int shard : shards) {
      ShardRef ref = manifest.shards().get(shard);
      end = Math.max(end, ref.offset() + ref.length());
    }
    byte[] bytes = new byte[end - first.offset()];
    try (SstSource source = handles.open(first.object(), first.offset(), bytes.length)) {
      source.read(0, bytes, 0, bytes.length);
    }
    for (int shard : shards) {
      ShardRef ref = manifest.shards().get(shard);
      consumer.accept(
          parse(rules, key(manifest, shard), shard, ref, bytes, ref.offset() - first.offset()),
          shard);
    }
  }
}
