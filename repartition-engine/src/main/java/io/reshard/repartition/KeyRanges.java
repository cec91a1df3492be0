package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.KeyRange;
import io.reshard.repartition.Work.SourceShard;
import io.reshard.repartition.Work.StreamRows;
import io.reshard.sst.SstReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Divides the keys of a group of shards into ranges of about as many bytes each, so that several
 * tasks share the group and every source byte is still read once.
 *
 * <p>Keys are seldom spread evenly, so the ranges follow the files: an index has a key for every
 * few thousand bytes. Shards are samples of the keys at random, as their keys are hashed; some of
 * them, with all their files, tell of all. Where those files are very many, one smaller than the
 * sampling step counts as its first key, and its index is not read.
 *
 * <p>The same files give the same ranges: files never change, and nothing else decides. So tasks on
 * several machines, and a run that goes on from where another was interrupted, need not agree on
 * them; and were they ever to disagree, the proof of the whole column family would fail. Ranges of
 * a group are kept. Thread-safe.
 */
class KeyRanges {
  /** Keys looked at for each range. */
  private static final int SAMPLES = 32;

  /** Keys of one file for each range, where the indexes of all files are read. */
  private static final int KEYS_PER_RANGE = 4;

  /** Most keys of one file otherwise. */
  private static final int MOST_KEYS = 4096;

  /** Of so many files at most the indexes are read even where the files are small. */
  private static final long LOOKED_AT = 512;

  /** Shards that are looked at at least, if there are so many. */
  private static final int SHARDS = 8;

  private final CheckpointStore store;
  private final Map<List<Object>, List<byte[]>> known = new ConcurrentHashMap<>();

  KeyRanges(CheckpointStore store) {
    this.store = store;
  }

  /** A key, and how many bytes of sources it stands for. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Sample(byte[] key, long bytes) {}

  /** The range of a piece of work; empty ones there may be. */
  KeyRange of(StreamRows work) {
    if (work.parts() == 1) {
      return KeyRange.ALL;
    }
    List<Object> group = List.of(work.columnFamily().name(), work.targets(), work.parts());
    List<byte[]> cuts = known.computeIfAbsent(group, g -> cuts(work));
    return new KeyRange(cut(cuts, work.part() - 1), cut(cuts, work.part()));
  }

  /** The bound behind the range {@code part}; null for the first and last of all. */
  private static byte @Nullable [] cut(List<byte[]> cuts, int part) {
    return part < 0 || part >= cuts.size() ? null : cuts.get(part);
  }

  /** As many keys as there are ranges, but for one; where keys are few, some are the same. */
  private List<byte[]> cuts(StreamRows work) {
    List<FileRef> files = sampled(work.sources());
    long bytes = files.stream().mapToLong(FileRef::length).sum();
    long step = Math.max(1, bytes / ((long) SAMPLES * work.parts()));
    // A file may hold keys of all ranges.
    int least = files.size() <= LOOKED_AT ? KEYS_PER_RANGE * work.parts() : 0;
    List<Sample> samples = new ArrayList<>();
    for (FileRef file : files) {
      addSamples(file, (int) Math.max(least, Math.min(MOST_KEYS, file.length() / step)), samples);
    }
    samples.sort(Comparator.comparing(Sample::key, Arrays::compareUnsigned));
    List<byte[]> cuts = new ArrayList<>();
    long all = samples.stream().mapToLong(Sample::bytes).sum();
    long before = 0;
    for (Sample sample : samples) {
      // A key stands in the middle of its bytes.
      long here = before + sample.bytes / 2;
      while (cuts.size() < work.parts() - 1 && here >= all * (cuts.size() + 1) / work.parts()) {
        cuts.add(sample.key);
      }
      before += sample.bytes;
    }
    while (cuts.size() < work.parts() - 1) {
      cuts.add(samples.get(samples.size() - 1).key);
    }
    return cuts;
  }

  /** All files of some shards, from first to last. */
  private static List<FileRef> sampled(List<SourceShard> sources) {
    long all = sources.stream().mapToLong(source -> source.files().size()).sum();
    long enough = Math.max(SHARDS, LOOKED_AT * sources.size() / all);
    int count = (int) Math.min(enough, sources.size());
    List<FileRef> files = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      files.addAll(sources.get((int) ((long) i * sources.size() / count)).files());
    }
    return files;
  }

  private void addSamples(FileRef file, int wanted, List<Sample> samples) {
    List<byte[]> keys = List.of();
    if (wanted > 0) {
      try (SstReader reader = store.open(file)) {
        keys = reader.splitKeys(wanted + 1);
      }
    }
    // Each key stands for the bytes around it, the first and last for half as many.
    long segment = file.length() / (keys.size() + 1);
    samples.add(new Sample(file.smallestKey(), segment / 2));
    keys.forEach(key -> samples.add(new Sample(key, segment)));
    samples.add(new Sample(file.largestKey(), segment / 2));
  }
}
