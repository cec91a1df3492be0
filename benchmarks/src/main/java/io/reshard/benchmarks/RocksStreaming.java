package io.reshard.benchmarks;

import io.reshard.checkpoint.Layout;
import io.reshard.spi.ByteView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileWriter;

/**
 * The best that RocksJava's own means allow: the iterators of a residue class are merged in key
 * order, each row goes to the SST file of its shard, and each file is moved into a new database.
 * Direct buffers, so that no array is made for a row.
 */
final class RocksStreaming implements Rival {
  private static final int KEY_BYTES = 64;
  private static final long READ_AHEAD_BYTES = 2 << 20;

  @Override
  public void repartition(Job job) throws RocksDBException, IOException {
    try (Options options = RocksOptions.table(job.compression()).setCreateIfMissing(true);
        EnvOptions environment = new EnvOptions();
        Options sourceOptions = RocksOptions.source();
        ReadOptions read = new ReadOptions().setReadaheadSize(READ_AHEAD_BYTES)) {
      for (int residue = 0; residue < job.classes(); residue++) {
        Map<Integer, Target> targets = new LinkedHashMap<>();
        List<Run> runs = new ArrayList<>();
        try {
          for (int shard : job.ofClass(residue, job.to())) {
            targets.put(
                shard, new Target(options, environment, Source.database(job.target(), shard)));
          }
          for (int shard : job.ofClass(residue, job.from())) {
            runs.add(
                new Run(
                    sourceOptions,
                    read,
                    Source.database(job.source(), shard),
                    KEY_BYTES,
                    job.valueBytes()));
          }
          merge(runs, Layout.modulo(job.to()).placer(), targets);
          for (Target target : targets.values()) {
            target.ingest(options);
          }
        } finally {
          runs.forEach(Run::close);
          targets.values().forEach(Target::close);
        }
      }
    }
  }

  private static void merge(List<Run> runs, Layout.Placer placer, Map<Integer, Target> targets)
      throws RocksDBException {
    PriorityQueue<Run> queue = new PriorityQueue<>();
    for (Run run : runs) {
      if (run.isValid()) {
        queue.add(run);
      }
    }
    while (!queue.isEmpty()) {
      Run run = queue.remove();
      do {
        Target target = targets.get(placer.shard(run.view));
        if (target == null) {
          throw new IllegalStateException("a row of another residue class");
        }
        target.writer.put(run.key, run.value);
        target.rows++;
      } while (run.next() && isFirst(run, queue));
      if (run.isValid()) {
        queue.add(run);
      }
    }
  }

  private static boolean isFirst(Run run, PriorityQueue<Run> others) {
    Run other = others.peek();
    return other == null || run.compareTo(other) <= 0;
  }

  @Override
  public void visit(Job job, RowVisitor visitor) throws RocksDBException {
    RocksTargets.visit(job, visitor);
  }

  /** A source, at a row. */
  private static final class Run implements AutoCloseable, Comparable<Run> {
    private final RocksDB database;
    private final RocksIterator rows;
    private final ByteBuffer key;
    private final ByteBuffer value;
    private final byte[] keyBytes;
    private final ByteView view = new ByteView();

    Run(Options options, ReadOptions read, Path directory, int keyBytes, int valueBytes)
        throws RocksDBException {
      this.key = ByteBuffer.allocateDirect(keyBytes);
      this.value = ByteBuffer.allocateDirect(valueBytes);
      this.keyBytes = new byte[keyBytes];
      database = RocksDB.openReadOnly(options, directory.toString());
      rows = database.newIterator(read);
      rows.seekToFirst();
      load();
    }

    boolean isValid() {
      return rows.isValid();
    }

    boolean next() throws RocksDBException {
      rows.next();
      return load();
    }

    private boolean load() throws RocksDBException {
      if (!rows.isValid()) {
        rows.status();
        return false;
      }
      key.clear();
      value.clear();
      rows.key(key);
      rows.value(value);
      int length = key.remaining();
      key.get(0, keyBytes, 0, length);
      view.set(keyBytes, 0, length);
      return true;
    }

    @Override
    public int compareTo(Run other) {
      return Arrays.compareUnsigned(
          keyBytes, 0, view.length(), other.keyBytes, 0, other.view.length());
    }

    @Override
    public boolean equals(Object o) {
      return this == o;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }

    @Override
    public void close() {
      rows.close();
      database.close();
    }
  }

  /** A file that is written, and the database it goes to. */
  private static final class Target implements AutoCloseable {
    private final Path database;
    private final Path file;
    private final SstFileWriter writer;
    private long rows;

    Target(Options options, EnvOptions environment, Path database)
        throws RocksDBException, IOException {
      this.database = database;
      this.file = database.resolveSibling(database.getFileName() + ".sst");
      Files.createDirectories(database);
      writer = new SstFileWriter(environment, options);
      writer.open(file.toString());
    }

    void ingest(Options options) throws RocksDBException {
      if (rows > 0) {
        writer.finish();
      }
      try (RocksDB target = RocksDB.open(options, database.toString());
          IngestExternalFileOptions move = new IngestExternalFileOptions().setMoveFiles(true)) {
        if (rows > 0) {
          target.ingestExternalFile(List.of(file.toString()), move);
        }
      }
    }

    @Override
    public void close() {
      writer.close();
    }
  }
}
