package io.reshard.benchmarks;

import io.reshard.checkpoint.Layout;
import io.reshard.spi.ByteView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * What one writes first with RocksJava: iterate over every source, put every row into the database
 * it now belongs to, in batches of {@value #BATCH}, without a log, flush in the end. A residue
 * class at a time, so that few databases are open.
 */
final class RocksPut implements Rival {
  private static final int BATCH = 256;

  @Override
  public void repartition(Job job) throws RocksDBException, IOException {
    try (Options options =
            RocksOptions.table(job.compression())
                .setCreateIfMissing(true)
                .setWriteBufferSize(64 << 20);
        Options sourceOptions = RocksOptions.source()) {
      for (int residue = 0; residue < job.classes(); residue++) {
        repartition(job, residue, options, sourceOptions);
      }
    }
  }

  private static void repartition(Job job, int residue, Options options, Options sourceOptions)
      throws RocksDBException, IOException {
    Map<Integer, Target> targets = new LinkedHashMap<>();
    try {
      for (int shard : job.ofClass(residue, job.to())) {
        targets.put(shard, new Target(options, Source.database(job.target(), shard)));
      }
      Layout.Placer placer = Layout.modulo(job.to()).placer();
      for (int shard : job.ofClass(residue, job.from())) {
        copy(sourceOptions, Source.database(job.source(), shard), placer, targets);
      }
      for (Target target : targets.values()) {
        target.flush();
      }
    } finally {
      targets.values().forEach(Target::close);
    }
  }

  private static void copy(
      Options options, Path source, Layout.Placer placer, Map<Integer, Target> targets)
      throws RocksDBException {
    ByteView view = new ByteView();
    try (ReadOptions read = new ReadOptions();
        RocksDB database = RocksDB.openReadOnly(options, source.toString());
        RocksIterator rows = database.newIterator(read)) {
      for (rows.seekToFirst(); rows.isValid(); rows.next()) {
        byte[] key = rows.key();
        view.set(key, 0, key.length);
        Target target = targets.get(placer.shard(view));
        if (target == null) {
          throw new IllegalStateException("a row of another residue class in " + source);
        }
        target.put(key, rows.value());
      }
      rows.status();
    }
  }

  @Override
  public void visit(Job job, RowVisitor visitor) throws RocksDBException {
    RocksTargets.visit(job, visitor);
  }

  /** A database that is filled. */
  private static final class Target implements AutoCloseable {
    private final RocksDB database;
    private final WriteOptions write = new WriteOptions().setDisableWAL(true);
    private final WriteBatch batch = new WriteBatch();

    Target(Options options, Path directory) throws RocksDBException, IOException {
      Files.createDirectories(directory);
      database = RocksDB.open(options, directory.toString());
    }

    void put(byte[] key, byte[] value) throws RocksDBException {
      batch.put(key, value);
      if (batch.count() == BATCH) {
        writeBatch();
      }
    }

    private void writeBatch() throws RocksDBException {
      database.write(write, batch);
      batch.clear();
    }

    void flush() throws RocksDBException {
      writeBatch();
      try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
        database.flush(flush);
      }
    }

    @Override
    public void close() {
      batch.close();
      write.close();
      database.close();
    }
  }
}
