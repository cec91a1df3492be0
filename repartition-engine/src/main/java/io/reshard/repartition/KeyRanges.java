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

  /** Most keys of one file. */
  private static final int MOST_KEYS = 4096;

  /** Of so many files at most the indexes are read even where the files are small. */
  private static final int LOOKED_AT = 512;

  /** Shards that are looked at, if there are so many. */
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
    List<Sample> samples = new ArrayList<>();
    for (FileRef file : files) {
      addSamples(file, step, samples, files.size() <= LOOKED_AT);
    }
    samples.sort(Comparator.comparing(Sample::key, Arrays::compareUnsigned));
    List<byte[]> cuts = new ArrayList<>();
    long before = 0;
    for (Sample sample : samples) {
      // A key stands in the middle of its bytes.
      long here = before + sample.bytes / 2;
      while (cuts.size() < work.parts() - 1
          && here >= bytes * (cuts.size() + 1) / work.parts()) {
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
    int count = Math.min(SHARDS, sources.size());
    List<FileRef> files = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      files.addAll(sources.get((int) ((long) i * sources.size() / count)).files());
    }
    return files;
  }

  private void addSamples(FileRef file, long step, List<Sample> samples, boolean look) {
    long wanted = Math.min(MOST_KEYS, file.length() / step);
    List<byte[]> keys = List.of();
    if (look || wanted > 0) {
      try (SstReader reader = store.open(file)) {
        keys = reader.splitKeys((int) wanted + 2);
      }
    }
    if (keys.isEmpty()) {
      keys = List.of(file.smallestKey());
    }
    for (int i = 0; i < keys.size(); i++) {
      long until = file.length() * (i + 1) / keys.size();
      samples.add(new Sample(keys.get(i), until - file.length() * i / keys.size()));
    }
  }
}
