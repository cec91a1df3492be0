package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.SetDigest;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Predicts, from the keys that are there, how large the shards would be with other counts, and
 * suggests counts. Rewrites nothing.
 */
public final class Advisor {
  /**
   * One candidate.
   *
   * @param shards number of shards
   * @param smallestBytes bytes of the smallest shard
   * @param medianBytes bytes of the median shard
   * @param largestBytes bytes of the largest shard
   * @param skew largest divided by mean
   * @param emptyShards shards without a row
   * @param bytesRewritten bytes a repartition to it would rewrite
   */
  public record Candidate(
      int shards,
      long smallestBytes,
      long medianBytes,
      long largestBytes,
      double skew,
      int emptyShards,
      long bytesRewritten) {}

  /**
   * What was found.
   *
   * @param rows rows read
   * @param bytes bytes of keys and values
   * @param heaviestKeyShare share of the bytes that the heaviest partition key has, 0 to 1: no
   *     count makes the largest shard smaller than that
   * @param candidates one per count asked for
   * @param suggestions sentences for a person
   */
  public record Advice(
      long rows,
      long bytes,
      double heaviestKeyShare,
      List<Candidate> candidates,
      List<String> suggestions) {}

  /** How many counts may be asked for at once. */
  private static final int MAX_CANDIDATES = 64;

  /** A largest shard this many times the mean is worth a word. */
  private static final double UNEVEN = 1.5;

  private final CheckpointStore store;
  private final Manifest manifest;
  private final List<Integer> counts;
  private final Histogram histogram;
  private final HeavyKeys heavyKeys = new HeavyKeys();
  private long rows;
  private long bytes;

  private Advisor(CheckpointStore store, Manifest manifest, List<Integer> counts) {
    this.store = store;
    this.manifest = manifest;
    this.counts = List.copyOf(counts);
    this.histogram = new Histogram(manifest.layout(), counts);
  }

  /**
   * Reads the rows of a version once and predicts every count asked for. The heaviest partition key
   * is exact where a shard has no more than 196,608 of them, else an upper bound; a suggestion says
   * which. Memory: 8 bytes for each slot, or in a modulo layout for each shard of each candidate.
   *
   * @param counts numbers of shards, 1 to 65,536 each; at most 64
   * @throws StateStoreException INVALID for a count out of range, or too many; CORRUPT
   */
  public static Advice advise(CheckpointStore store, Manifest manifest, List<Integer> counts) {
    if (counts.size() > MAX_CANDIDATES) {
      throw StateStoreException.invalid(
          counts.size() + " candidate counts; give at most " + MAX_CANDIDATES);
    }
    counts.forEach(Layout::checkShards);
    return new Advisor(store, manifest, counts).advise();
  }

  private Advice advise() {
    for (int shard = 0; shard < manifest.shards().size(); shard++) {
      if (manifest.shards().get(shard).files() > 0) {
        readShard(shard);
        heavyKeys.endShard();
      }
    }
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < counts.size(); i++) {
      candidates.add(histogram.candidate(i, bytesRewritten(counts.get(i))));
    }
    double share = bytes == 0 ? 0 : Math.min(1, (double) heavyKeys.heaviestBytes() / bytes);
    return new Advice(rows, bytes, share, List.copyOf(candidates), suggestions(candidates, share));
  }

  private long bytesRewritten(int shards) {
    return shards == manifest.layout().shards()
        ? 0
        : Planner.plan(manifest, () -> store.files(manifest), shards).bytesRewritten();
  }

  private void readShard(int shard) {
    Map<String, List<FileRef>> files = new TreeMap<>();
    for (FileRef file : store.files(manifest, shard)) {
      files.computeIfAbsent(file.columnFamily(), name -> new ArrayList<>()).add(file);
    }
    files.forEach((name, found) -> readColumnFamily(shard, manifest.columnFamily(name), found));
  }

  private void readColumnFamily(int shard, ColumnFamily columnFamily, List<FileRef> files) {
    Meter meter = new Meter(ProgressListener.NONE, () -> false, 1, 0);
    Layout layout = manifest.layout();
    int prefix = manifest.keyPrefix(columnFamily);
    try (ShardRows found =
        new ShardRows(
            store.entries(files, columnFamily.name()),
            columnFamily,
            shard,
            layout,
            new SetDigest(),
            meter.reading(0, 1))) {
      while (found.next()) {
        int size = found.key().length() - prefix + found.value().length();
        rows++;
        bytes += size;
        histogram.add(found.hash(), size);
        heavyKeys.add(found.partitionKey(), size);
      }
    }
  }

  private List<String> suggestions(List<Candidate> candidates, double share) {
    if (rows == 0) {
      return List.of("The store has no rows; any count will do.");
    }
    List<String> sentences = new ArrayList<>();
    sentences.add(
        String.format(
            Locale.ROOT,
            "The heaviest partition key, %s, has %s%.2f %% of the bytes%s: above %,d shards the"
                + " largest shard does not shrink with more of them.",
            heavyKeys.heaviestKey(),
            heavyKeys.isExact() ? "" : "at most ",
            100 * share,
            heavyKeys.isExact()
                ? ""
                : " (a sketch: a shard has more keys than are counted one by one)",
            share == 0 ? Layout.MAX_SHARDS : (long) Math.floor(1 / share)));
    List<Candidate> others =
        candidates.stream().filter(c -> c.shards() != manifest.layout().shards()).toList();
    String free =
        others.stream()
            .filter(c -> c.bytesRewritten() == 0)
            .map(c -> String.valueOf(c.shards()))
            .collect(Collectors.joining(", "));
    if (!free.isEmpty()) {
      sentences.add("Without moving a byte of state: " + free + " shards.");
    }
    others.stream()
        .min(Comparator.comparingDouble(Candidate::skew))
        .ifPresent(
            best ->
                sentences.add(
                    String.format(
                        Locale.ROOT,
                        "Most even of those asked for: %d shards, the largest %.2f times the mean.",
                        best.shards(),
                        best.skew())));
    for (Candidate candidate : others) {
      if (candidate.emptyShards() > 0) {
        sentences.add(
            candidate.emptyShards()
                + " of "
                + candidate.shards()
                + " shards would have no row: fewer would do.");
      } else if (candidate.skew() > UNEVEN) {
        sentences.add(
            String.format(
                Locale.ROOT,
                "With %d shards the largest would have %.2f times the mean.",
                candidate.shards(),
                candidate.skew()));
      }
    }
    return List.copyOf(sentences);
  }
}
