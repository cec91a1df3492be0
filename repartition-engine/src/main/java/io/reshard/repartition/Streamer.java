package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.SetDigest;
import io.reshard.repartition.Work.SourceShard;
import io.reshard.repartition.Work.StreamRows;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.EntryType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
 * <p>At most {@link OpenFiles#readers} files are read and {@link OpenFiles#writers} written at
 * once. With more sources, groups of them are merged to temporary runs first, and those again,
 * until few enough are left. With more targets, rows go to a temporary run for each of as many
 * parts of the targets as may be written, and each part is then treated the same way. Either costs
 * one more reading and writing for each factor of that bound, so 65,536 shards are two or three
 * away.
 *
 * <p>The proof: every entry of every source is digested exactly once, either where it is passed
 * over ({@link ShardRows}) or where it is given to its target's writer. Both together must be what
 * the manifest says of the source files; and for each target what was given to its writer must be
 * what was read back from its files. Temporary runs lie between, so they are proven with it.
 */
final class Streamer {
  /** The lowest LSM level. */
  static final int LEVEL = 6;

  /** Rows that can be read once. */
  interface RowSource {
    /** Files that are open while it is read. */
    int openFiles();

    /** Opens it. */
    RowCursor open();
  }

  private final CheckpointStore store;
  private final Layout source;
  private final Layout target;
  private final FileWriters writers;
  private final OpenFiles openFiles;
  private final Path directory;
  private final Meter meter;
  private final AtomicInteger runs = new AtomicInteger();

  /**
   * A streamer, for all tasks of a run.
   *
   * @param directory for temporary runs; whoever made it deletes it
   */
  Streamer(
      CheckpointStore store,
      Layout source,
      Layout target,
      FileWriters writers,
      OpenFiles openFiles,
      Path directory,
      Meter meter) {
    this.store = store;
    this.source = source;
    this.target = target;
    this.writers = writers;
    this.openFiles = openFiles;
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
    private final RowHash rowHash;
    private final int mostWriters;
    private final SetDigest accounted = new SetDigest();

    Stream(StreamRows work, TaskOutput output) {
      this.work = work;
      this.output = output;
      this.columnFamily = work.columnFamily();
      this.rowHash = new RowHash(source, columnFamily);
      this.mostWriters = openFiles.writers(work.bytes(), work.entries(), work.targets().count());
    }

    void run() {
      List<RowSource> sources = new ArrayList<>();
      work.sources().forEach(shard -> sources.add(new Shard(shard)));
      List<RowSource> few = narrow(sources);
      distribute(() -> merge(few), work.targets());
      SetDigest claimed = new SetDigest();
      work.sources().forEach(shard -> claimed.add(Proof.claimed(shard.files())));
      if (!claimed.equals(accounted)) {
        throw Proof.failed(store, columnFamily.name(), 0, work.sources(), accounted);
      }
    }

    /** Merges groups of sources to temporary runs until all can be open at once. */
    private List<RowSource> narrow(List<RowSource> sources) {
      List<RowSource> left = sources;
      while (left.size() > 1 && open(left) > openFiles.readers()) {
        List<RowSource> merged = new ArrayList<>();
        List<RowSource> group = new ArrayList<>();
        for (RowSource next : left) {
          if (group.size() > 1 && open(group) + next.openFiles() > openFiles.readers()) {
            merged.add(mergeToRun(group));
            group.clear();
          }
          group.add(next);
        }
        merged.add(group.size() == 1 ? group.get(0) : mergeToRun(group));
        left = merged;
      }
      return left;
    }

    private static int open(List<RowSource> sources) {
      return sources.stream().mapToInt(RowSource::openFiles).sum();
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

      Shard(SourceShard shard) {
        this.shard = shard;
      }

      @Override
      public int openFiles() {
        long level0 = shard.files().stream().filter(file -> file.level() == 0).count();
        long levels =
            shard.files().stream().mapToInt(FileRef::level).filter(l -> l > 0).distinct().count();
        return (int) (level0 + levels);
      }

      @Override
      public RowCursor open() {
        return new ShardRows(
            store.entries(shard.files(), columnFamily.name()),
            columnFamily,
            shard.shard(),
            source,
            target,
            work.targets(),
            accounted,
            meter.reading(shard.bytes(), shard.entries()));
      }
    }

    /** The open files of some targets; each is opened with its first row. */
    private final class TargetWriters implements AutoCloseable {
      private final Shards targets;
      private final FileWriters.@Nullable Writer[] open;
      private final @Nullable SetDigest[] given;

      TargetWriters(Shards targets) {
        this.targets = targets;
        this.open = new FileWriters.@Nullable Writer[targets.count()];
        this.given = new @Nullable SetDigest[targets.count()];
      }

      void write(RowCursor rows) {
        while (rows.next()) {
          int at = targets.indexOf(target.shardOfHash(rows.hash()));
          FileWriters.Writer writer = open[at];
          SetDigest digest = given[at];
          if (writer == null || digest == null) {
            writer = writers.open(targets.get(at), columnFamily, LEVEL);
            open[at] = writer;
            digest = new SetDigest();
            given[at] = digest;
          }
          writer.add(rows.key(), 0, EntryType.PUT, rows.value());
          digest.add(columnFamily.name(), rows.key(), 0, rows.value());
        }
        for (int at = 0; at < targets.count(); at++) {
          FileWriters.Writer writer = open[at];
          SetDigest digest = given[at];
          if (writer != null && digest != null) {
            finish(targets.get(at), writer, digest);
            open[at] = null;
            writer.close();
          }
        }
      }

      private void finish(int shard, FileWriters.Writer writer, SetDigest digest) {
        List<FileHandle> files = writer.finish();
        SetDigest readBack = Proof.sum(files);
        if (!readBack.equals(digest)) {
          throw StateStoreException.internal(
              "proof failed: column family '"
                  + columnFamily.name()
                  + "' of target shard "
                  + shard
                  + " was given rows of digest "
                  + digest
                  + ", its files read back as "
                  + readBack
                  + "; nothing is published, report this as a fault of Reshard",
              null);
        }
        accounted.add(digest);
        output.add(shard, columnFamily.name(), files, readBack);
        meter.addRows(readBack.count());
      }

      @Override
      public void close() {
        Closing.all(Arrays.asList(open));
      }
    }
  }
}
