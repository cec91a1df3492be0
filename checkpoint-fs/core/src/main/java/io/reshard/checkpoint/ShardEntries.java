package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The entries of several files as one cursor. Files that do not overlap form a run, of which one
 * file is open at a time; only the runs are merged. The files of a level are dealt out to as few
 * runs as there are files that hold the same key: on a level above 0 that is one run, or two where
 * neighbours share a key.
 */
final class ShardEntries {
  private static final Comparator<FileRef> BY_KEY =
      Comparator.comparing(FileRef::smallestKey, Arrays::compareUnsigned);

  private ShardEntries() {}

  /**
   * All files are of one column family.
   *
   * @param range which of their entries are wanted
   */
  static EntryCursor open(CheckpointStore store, List<FileRef> files, KeyRange range) {
    List<List<FileRef>> runs = runs(files.stream().filter(range::overlaps).toList());
    if (runs.size() == 1) {
      return new Run(store, runs.get(0), range);
    }
    List<EntryCursor> cursors = new ArrayList<>();
    runs.forEach(run -> cursors.add(new Run(store, run, range)));
    return Cursors.merge(cursors);
  }

  /** Runs in order of level. */
  static List<List<FileRef>> runs(List<FileRef> files) {
    Map<Integer, List<FileRef>> levels = new TreeMap<>();
    for (FileRef file : files) {
      levels.computeIfAbsent(file.level(), level -> new ArrayList<>()).add(file);
    }
    List<List<FileRef>> runs = new ArrayList<>();
    for (List<FileRef> level : levels.values()) {
      level.sort(BY_KEY);
      runs.addAll(dealt(level));
    }
    return runs;
  }

  private static List<List<FileRef>> dealt(List<FileRef> sorted) {
    List<List<FileRef>> runs = new ArrayList<>();
    for (FileRef file : sorted) {
      runFor(runs, file).add(file);
    }
    return runs;
  }

  private static List<FileRef> runFor(List<List<FileRef>> runs, FileRef file) {
    for (List<FileRef> run : runs) {
      FileRef last = run.get(run.size() - 1);
      if (Arrays.compareUnsigned(last.largestKey(), file.smallestKey()) < 0) {
        return run;
      }
    }
    List<FileRef> run = new ArrayList<>();
    runs.add(run);
    return run;
  }

  /** Files that do not overlap, one after another, each opened when the one before has ended. */
  private static final class Run implements EntryCursor {
    private final CheckpointStore store;
    private final List<FileRef> files;
    private final KeyRange range;
    private int next;
    private @Nullable SstReader reader;
    private @Nullable EntryCursor cursor;
    private boolean closed;

    Run(CheckpointStore store, List<FileRef> files, KeyRange range) {
      this.store = store;
      this.files = files;
      this.range = range;
    }

    @Override
    public boolean next() {
      if (closed) {
        throw StateStoreException.closed("a cursor over a shard's files");
      }
      while (true) {
        if (cursor != null) {
          if (cursor.next()) {
            return true;
          }
          closeFile();
        }
        if (next == files.size()) {
          return false;
        }
        reader = store.open(files.get(next++));
        cursor = reader.cursor(range.from(), range.to());
      }
    }

    private EntryCursor current() {
      EntryCursor current = cursor;
      if (current == null) {
        throw StateStoreException.invalid("no current entry; call next() first");
      }
      return current;
    }

    @Override
    public ByteView key() {
      return current().key();
    }

    @Override
    public ByteView value() {
      return current().value();
    }

    @Override
    public long sequence() {
      return current().sequence();
    }

    @Override
    public EntryType type() {
      return current().type();
    }

    private void closeFile() {
      EntryCursor open = cursor;
      SstReader file = reader;
      cursor = null;
      reader = null;
      if (open != null) {
        open.close();
      }
      if (file != null) {
        file.close();
      }
    }

    @Override
    public void close() {
      closed = true;
      closeFile();
    }
  }
}
