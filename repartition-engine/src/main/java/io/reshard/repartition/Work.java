package io.reshard.repartition;

import io.reshard.checkpoint.FileRef;
import io.reshard.spi.ColumnFamily;
import java.util.List;

/** The least piece of a plan that is executed and proven on its own. */
sealed interface Work {
  /** The column family it is about. */
  ColumnFamily columnFamily();

  /** Bytes of source files it reads. */
  long bytes();

  /** Entries it reads. */
  long entries();

  /** Source files it reads. */
  int files();

  /**
   * Cuts one file of a HASHED column family in a slots layout at the boundaries of the target
   * shards, entry by entry as they are.
   *
   * @param shard the source shard
   */
  record SplitFile(ColumnFamily columnFamily, int shard, FileRef file) implements Work {
    @Override
    public long bytes() {
      return file.length();
    }

    @Override
    public long entries() {
      return file.entries();
    }

    @Override
    public int files() {
      return 1;
    }

    @Override
    public String toString() {
      return "cutting a file of shard " + shard + ", column family '" + columnFamily.name() + "'";
    }
  }

  /**
   * Merges source shards to rows and hands every row to the target it hashes to: all rows of a
   * group of shards, or those of one of several ranges of keys ({@link KeyRanges}).
   *
   * @param sources the source shards of the group
   * @param targets the target shards of the group, which all rows of the sources go to
   * @param part which of the ranges, from 0
   * @param parts how many ranges there are
   */
  record StreamRows(
      ColumnFamily columnFamily, List<SourceShard> sources, Shards targets, int part, int parts)
      implements Work {
    /** This range's share: ranges are about even. */
    @Override
    public long bytes() {
      return share(sources.stream().mapToLong(SourceShard::bytes).sum());
    }

    @Override
    public long entries() {
      return share(sources.stream().mapToLong(SourceShard::entries).sum());
    }

    /** The share of this range of something that is spread evenly; shares add up to all of it. */
    long share(long all) {
      return all * (part + 1) / parts - all * part / parts;
    }

    @Override
    public int files() {
      return sources.stream().mapToInt(source -> source.files().size()).sum();
    }

    @Override
    public String toString() {
      String more = sources.size() == 1 ? "" : " and " + (sources.size() - 1) + " more";
      String range = parts == 1 ? "" : ", range " + (part + 1) + " of " + parts + " of its keys";
      return "streaming column family '"
          + columnFamily.name()
          + "' of shard "
          + sources.get(0).shard()
          + more
          + " to "
          + targets
          + range;
    }
  }

  /**
   * The files of one column family of a source shard.
   *
   * @param shard its number
   */
  record SourceShard(int shard, List<FileRef> files) {
    long bytes() {
      return files.stream().mapToLong(FileRef::length).sum();
    }

    long entries() {
      return files.stream().mapToLong(FileRef::entries).sum();
    }
  }

  /**
   * What is executed at once, and what an interrupted run has done or not done: pieces small enough
   * to be repeated, large enough to be worth an object of their own.
   *
   * @param number from 0, in the order of the plan
   */
  record Task(int number, List<Work> work) {
    long bytes() {
      return work.stream().mapToLong(Work::bytes).sum();
    }
  }
}
