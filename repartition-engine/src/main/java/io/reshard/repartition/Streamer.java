package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.EntryHasher;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.KeyRange;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.SetDigest;
import io.reshard.repartition.Work.SourceShard;
import io.reshard.repartition.Work.StreamRows;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Compression;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Merges source shards to rows, in order of keys, and hands each row to the target it hashes to.
 *
 * <p>Rows of a merge are sorted, so what any one target receives is sorted too: every target's
 * files are written front to back in the one pass over the sources, at sequence number 0 and the
 * lowest level, as if compaction had just been there. A source byte is read once, a row hashed once
 * on its way and once more when it is read back.
 *
 * <p>What is read and written at once is bounded by {@link OpenFiles}. With more sources, groups of
 * them are merged to temporary runs first, and those again, until few enough are left. With more
 * targets, rows go to a temporary run for each of as many parts of the targets as may be written,
 * and each part is then treated the same way. Either costs one more reading and writing for each
 * factor of that bound, so 65,536 shards are two or three away.
 *
 * <p>The proof: every entry of every source is digested exactly once, either where it is passed
 * over ({@link ShardRows}) or where it is given to its target's writer. Both together must be what
 * the manifest says of the source files; where a group is done in several ranges of keys, that
 * shows when all of them are done, and {@link Execution} looks at it. And for each target what was
 * given to its writer must be what was read back from its files. Temporary runs lie between, so
 * they are proven with it.
 */
final class Streamer {
  /** The lowest LSM level. */
  static final int LEVEL = 6;

  /** Rows that can be read once. */
  interface RowSource {
    /** What it takes to read it. */
    OpenFiles.Cost cost();

    /** Opens it. */
    RowCursor open();
  }

  private final CheckpointStore store;
  private final Layout source;
  private final Layout target;
  private final FileWriters writers;
  private final OpenFiles openFiles;
  private final KeyRanges ranges;
  private final Path directory;
  private final Meter meter;
  private final AtomicInteger runs = new AtomicInteger();

  /**
   * A streamer, for all tasks of a run.
   *
   * @param ranges divides groups of shards
   * @param directory for temporary runs; whoever made it deletes it
   */
  Streamer(
      CheckpointStore store,
      Layout source,
      Layout target,
      FileWriters writers,
      OpenFiles openFiles,
      KeyRanges ranges,
      Path directory,
      Meter meter) {
    this.store = store;
    this.source = source;
    this.target = target;
    this.writers = writers;
    this.openFiles = openFiles;
    this.ranges = ranges;
    this.directory = directory;
    this.meter = meter;
  }

  /** Which of the {@link Shards#split} parts the shard at {@code index} of {@code count} is in. */
  static int part(int index, int parts, int count) {
    return (int) (((index + 1L) * parts - 1) / count);
  }

  /** Writes the targets, and proves that they hold the rows of the sources. */
  void stream(StreamRows work, TaskOutput output) {
    new Stream(work, output).run();
  }

  private final class Stream {
    private final StreamRows work;
    private final TaskOutput output;
    private final ColumnFamily columnFamily;
    private final KeyRange range;
    private final RowHash rowHash;
    private final int mostWriters;
    private final SetDigest accounted = new SetDigest();
    private @Nullable Compression compression;

    Stream(StreamRows work, TaskOutput output) {
      this.work = work;
      this.output = output;
      this.columnFamily = work.columnFamily();
      this.range = ranges.of(work);
      this.rowHash = new RowHash(source, columnFamily);
      this.mostWriters = openFiles.writers(work.bytes(), work.entries(), work.targets().count());
    }

    void run() {
      List<RowSource> sources = new ArrayList<>();
      work.sources().forEach(shard -> sources.add(new Shard(shard)));
      List<RowSource> few = narrow(sources);
      distribute(() -> merge(few), work.targets());
      if (work.parts() == 1) {
        proveSources();
      }
      output.addRead(columnFamily.name(), accounted);
    }

    /** Every entry of the sources was seen once. */
    private void proveSources() {
      SetDigest claimed = new SetDigest();
      work.sources().forEach(shard -> claimed.add(Proof.claimed(shard.files())));
      if (!claimed.equals(accounted)) {
        throw Proof.failed(store, columnFamily.name(), 0, work.sources(), accounted);
      }
    }

    /** What is written is compressed like what is read: like the first file of it. */
    private Compression compression() {
      Compression known = compression;
      if (known == null) {
        try (SstReader first = store.open(work.sources().get(0).files().get(0))) {
          known = FileWriters.compressionLike(first.properties().compression());
        }
        compression = known;
      }
      return known;
    }

    /** Merges groups of sources to temporary runs until all can be open at once. */
    private List<RowSource> narrow(List<RowSource> sources) {
      List<RowSource> left = sources;
      while (left.size() > 1 && !openFiles.canRead(total(left))) {
        List<RowSource> merged = new ArrayList<>();
        List<RowSource> group = new ArrayList<>();
        for (RowSource next : left) {
          if (!group.isEmpty() && !openFiles.canRead(total(group).plus(next.cost()))) {
            merged.add(united(group));
            group.clear();
          }
          group.add(next);
        }
        merged.add(united(group));
        left = merged;
      }
      return left;
    }

    private RowSource united(List<RowSource> group) {
      return group.size() == 1 && group.get(0) instanceof Run run ? run : mergeToRun(group);
    }

    private static OpenFiles.Cost total(List<? extends RowSource> sources) {
      OpenFiles.Cost cost = OpenFiles.Cost.NOTHING;
      for (RowSource next : sources) {
        cost = cost.plus(next.cost());
      }
      return cost;
    }

    private Run mergeToRun(List<RowSource> group) {
      try (RowCursor rows = merge(group);
          Run.Builder run = newRun()) {
        while (rows.next()) {
          run.add(rows);
        }
        return run.finish(meter);
      }
    }

    private Run.Builder newRun() {
      return new Run.Builder(
          directory, "run-" + runs.incrementAndGet(), rowHash, columnFamily.name());
    }

    private RowCursor merge(List<RowSource> sources) {
      List<RowCursor> cursors = new ArrayList<>();
      try {
        for (RowSource next : sources) {
          cursors.add(next.open());
        }
      } catch (RuntimeException | Error e) {
        Closing.all(cursors);
        throw e;
      }
      return cursors.size() == 1 ? cursors.get(0) : new RowMerge(cursors);
    }

    private void distribute(Supplier<RowCursor> rows, Shards targets) {
      if (targets.count() <= mostWriters) {
        try (RowCursor opened = rows.get();
            TargetWriters files = new TargetWriters(targets)) {
          files.write(opened);
        }
        return;
      }
      List<Shards> parts = targets.split(mostWriters);
      List<@Nullable Run> spilled = spill(rows, targets, parts.size());
      for (int i = 0; i < parts.size(); i++) {
        Run run = spilled.get(i);
        if (run != null) {
          distribute(run::open, parts.get(i));
        }
      }
    }

    /** Writes a run for each of the {@link Shards#split} parts of the targets that has rows. */
    private List<@Nullable Run> spill(Supplier<RowCursor> rows, Shards targets, int parts) {
      Run.@Nullable Builder[] builders = new Run.@Nullable Builder[parts];
      try (RowCursor opened = rows.get()) {
        while (opened.next()) {
          int at = targets.indexOf(target.shardOfHash(opened.hash()));
          int part = part(at, parts, targets.count());
          Run.Builder builder = builders[part];
          if (builder == null) {
            builder = newRun();
            builders[part] = builder;
          }
          builder.add(opened);
        }
        List<@Nullable Run> finished = new ArrayList<>();
        for (Run.Builder builder : builders) {
          finished.add(builder == null ? null : builder.finish(meter));
        }
        return finished;
      } finally {
        Closing.all(Arrays.asList(builders));
      }
    }

    /** One source shard. */
    private final class Shard implements RowSource {
      private final SourceShard shard;
      private final List<FileRef> files;

      Shard(SourceShard shard) {
        this.shard = shard;
        this.files = shard.files().stream().filter(range::overlaps).toList();
      }

      @Override
      public OpenFiles.Cost cost() {
        return OpenFiles.Cost.of(files);
      }

      @Override
      public RowCursor open() {
        return new ShardRows(
            entries(),
            columnFamily,
            shard.shard(),
            source,
            accounted,
            meter.reading(work.share(shard.bytes()), work.share(shard.entries())));
      }

      /** A shard that alone has too many files goes through temporary runs of entries. */
      private EntryCursor entries() {
        if (openFiles.canRead(cost())) {
          return store.entries(files, columnFamily.name(), range);
        }
        List<Run> runs = new ArrayList<>();
        List<FileRef> group = new ArrayList<>();
        for (List<FileRef> next : byLevel()) {
          List<FileRef> with = new ArrayList<>(group);
          with.addAll(next);
          if (!group.isEmpty() && !openFiles.canRead(OpenFiles.Cost.of(with))) {
            runs.add(entriesToRun(store.entries(group, columnFamily.name(), range)));
            group.clear();
          }
          group.addAll(next);
        }
        runs.add(entriesToRun(store.entries(group, columnFamily.name(), range)));
        return narrowed(runs);
      }

      /** Files that are read in turn, newest first. */
      private List<List<FileRef>> byLevel() {
        List<List<FileRef>> groups = new ArrayList<>();
        Map<Integer, List<FileRef>> levels = new TreeMap<>();
        for (FileRef file : files) {
          if (file.level() == 0) {
            groups.add(List.of(file));
          } else {
            levels.computeIfAbsent(file.level(), level -> new ArrayList<>()).add(file);
          }
        }
        groups.addAll(levels.values());
        return groups;
      }

      private EntryCursor narrowed(List<Run> runs) {
        List<Run> left = runs;
        while (left.size() > 2 && !openFiles.canRead(total(left))) {
          List<Run> merged = new ArrayList<>();
          for (int i = 0; i < left.size(); i += 2) {
            merged.add(
                i + 1 == left.size()
                    ? left.get(i)
                    : entriesToRun(
                        Cursors.merge(List.of(left.get(i).entries(), left.get(i + 1).entries()))));
          }
          left = merged;
        }
        return Cursors.merge(left.stream().map(Run::entries).toList());
      }

      private Run entriesToRun(EntryCursor entries) {
        try (entries;
            Run.Builder run = newRun()) {
          while (entries.next()) {
            run.add(entries.key(), entries.sequence(), entries.type(), entries.value());
          }
          return run.finish(meter);
        }
      }
    }

    /** The open files of some targets; each is opened with its first row. */
    private final class TargetWriters implements AutoCloseable {
      private final Shards targets;
      private final @Nullable TargetWriter[] open;

      TargetWriters(Shards targets) {
        this.targets = targets;
        this.open = new @Nullable TargetWriter[targets.count()];
      }

      void write(RowCursor rows) {
        EntryHasher hasher = new EntryHasher(columnFamily.name(), 0);
        while (rows.next()) {
          TargetWriter to = writerFor(target.shardOfHash(rows.hash()));
          ByteView key = rows.key();
          ByteView value = rows.value();
          to.files.add(key, 0, EntryType.PUT, value);
          hasher.hash(EntryType.PUT, key, value);
          to.given.add(hasher);
        }
        for (int at = 0; at < open.length; at++) {
          TargetWriter written = open[at];
          if (written != null) {
            written.finish();
            open[at] = null;
            written.close();
          }
        }
      }

      private TargetWriter writerFor(int shard) {
        int at = targets.indexOf(shard);
        if (at < 0) {
          throw StateStoreException.internal(
              "a row for shard " + shard + " in a merge for " + targets, null);
        }
        TargetWriter writer = open[at];
        if (writer == null) {
          writer = new TargetWriter(shard, writers.open(shard, columnFamily, LEVEL, compression()));
          open[at] = writer;
        }
        return writer;
      }

      @Override
      public void close() {
        Closing.all(Arrays.asList(open));
      }
    }

    /** The files of a target, and what was put into them. */
    private final class TargetWriter implements AutoCloseable {
      private final int shard;
      private final FileWriters.Writer files;
      private final SetDigest given = new SetDigest();

      TargetWriter(int shard, FileWriters.Writer files) {
        this.shard = shard;
        this.files = files;
      }

      void finish() {
        List<FileHandle> written = files.finish();
        SetDigest readBack = Proof.sum(written);
        if (!readBack.equals(given)) {
          throw StateStoreException.internal(
              "proof failed: column family '"
                  + columnFamily.name()
                  + "' of target shard "
                  + shard
                  + " was given rows of digest "
                  + given
                  + ", its files read back as "
                  + readBack
                  + "; nothing is published, report this as a fault of Reshard",
              null);
        }
        accounted.add(given);
        output.add(shard, columnFamily.name(), written, readBack);
        meter.addRows(readBack.count());
      }

      @Override
      public void close() {
        files.close();
      }
    }
  }
}
