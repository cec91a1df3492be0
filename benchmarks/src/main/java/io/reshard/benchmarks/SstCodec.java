package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Rows;
import io.reshard.spi.ByteView;
import io.reshard.sst.Compression;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstReader;
import io.reshard.sst.SstSource;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.SstFileWriter;

/**
 * The SST codec beside RocksDB's own through JNI: nanoseconds for an entry. Both do the same work
 * on the same entries: format version 5, 4 KiB blocks, a Bloom filter of ten bits, XXH3, checksums
 * verified. Of RocksDB's Java methods those are used that cost it least: direct buffers, and
 * read-ahead where it reads one file.
 *
 * <p>Files lie in {@code java.io.tmpdir}. Opening and closing them is part of what is measured, on
 * both sides, spread over {@value #ENTRIES} entries.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class SstCodec {
  static final int ENTRIES = 200_000;
  private static final int RUNS = 2;
  private static final long READ_AHEAD_BYTES = 2 << 20;

  /** Compression of data blocks. */
  @Param({"NONE", "LZ4", "ZSTD", "SNAPPY"})
  public Compression compression = Compression.NONE;

  private final List<byte[]> keys = new ArrayList<>();
  private final List<byte[]> values = new ArrayList<>();
  private final ByteView key = new ByteView();
  private final ByteView value = new ByteView();
  private final ByteBuffer directKey = ByteBuffer.allocateDirect(64);
  private final ByteBuffer directValue = ByteBuffer.allocateDirect(256);
  private long bytes;
  private Path directory = Path.of(".");
  private Path whole = Path.of(".");
  private final List<Path> runs = new ArrayList<>();
  private Path database = Path.of(".");

  /** Writes what the scans read. */
  @Setup(Level.Trial)
  public void prepare() throws IOException, RocksDBException {
    RocksDB.loadLibrary();
    directory = Files.createTempDirectory("reshard-codec");
    makeRows();
    whole = directory.resolve("whole.sst");
    write(whole, 0, 1);
    for (int run = 0; run < RUNS; run++) {
      Path file = directory.resolve("run-" + run + ".sst");
      write(file, run, RUNS);
      runs.add(file);
    }
    database = directory.resolve("database");
    makeDatabase();
  }

  private void makeRows() {
    Rows rows = new Rows(Rows.SEED, Rows.VALUE_BYTES);
    List<Integer> order = new ArrayList<>();
    byte[][] unsorted = new byte[ENTRIES][];
    for (int i = 0; i < ENTRIES; i++) {
      unsorted[i] = rows.key(i);
      order.add(i);
    }
    order.sort(Comparator.comparing(i -> unsorted[i], Arrays::compareUnsigned));
    for (int i : order) {
      keys.add(unsorted[i]);
      values.add(rows.value(i));
      bytes += unsorted[i].length + Rows.VALUE_BYTES;
    }
  }

  private void makeDatabase() throws RocksDBException {
    try (Options options =
            RocksOptions.table(compression)
                .setCreateIfMissing(true)
                .setDisableAutoCompactions(true);
        RocksDB db = RocksDB.open(options, database.toString());
        IngestExternalFileOptions ingest = new IngestExternalFileOptions()) {
      for (int run = 0; run < RUNS; run++) {
        Path file = directory.resolve("ingest-" + run + ".sst");
        writeRocks(file, run, RUNS);
        db.ingestExternalFile(List.of(file.toString()), ingest);
      }
    }
  }

  /** Deletes them. */
  @TearDown(Level.Trial)
  public void delete() {
    Directories.delete(directory);
  }

  /** Reshard reads a file. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long scanReshard() {
    long sum = 0;
    try (SstReader reader = SstReader.open(SstSource.ofFile(whole));
        EntryCursor cursor = reader.cursor()) {
      while (cursor.next()) {
        sum += cursor.key().length() + cursor.value().length();
      }
    }
    return checked(sum);
  }

  /** RocksDB's SstFileReader reads a file. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long scanRocks() throws RocksDBException {
    long sum = 0;
    try (Options options = new Options();
        ReadOptions read =
            new ReadOptions().setVerifyChecksums(true).setReadaheadSize(READ_AHEAD_BYTES);
        SstFileReader reader = new SstFileReader(options)) {
      reader.open(whole.toString());
      try (SstFileReaderIterator iterator = reader.newIterator(read)) {
        for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
          directKey.clear();
          directValue.clear();
          sum += iterator.key(directKey) + iterator.value(directValue);
        }
        iterator.status();
      }
    }
    return checked(sum);
  }

  /** Reshard writes a file. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long writeReshard() throws IOException {
    Path file = directory.resolve("written.sst");
    Files.deleteIfExists(file);
    return write(file, 0, 1);
  }

  /** RocksDB's SstFileWriter writes a file. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long writeRocks() throws IOException, RocksDBException {
    Path file = directory.resolve("written-rocks.sst");
    Files.deleteIfExists(file);
    return writeRocks(file, 0, 1);
  }

  /** Reshard merges files that overlap. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long mergeReshard() {
    long sum = 0;
    List<SstReader> readers = new ArrayList<>();
    List<EntryCursor> cursors = new ArrayList<>();
    for (Path run : runs) {
      SstReader reader = SstReader.open(SstSource.ofFile(run));
      readers.add(reader);
      cursors.add(reader.cursor());
    }
    try (EntryCursor merged = Cursors.merge(cursors)) {
      while (merged.next()) {
        sum += merged.key().length() + merged.value().length();
      }
    }
    readers.forEach(SstReader::close);
    return checked(sum);
  }

  /** RocksDB's iterator merges the same files on level 0 of a database. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long mergeRocks() throws RocksDBException {
    long sum = 0;
    try (Options options = RocksOptions.source();
        ReadOptions read = new ReadOptions().setReadaheadSize(READ_AHEAD_BYTES);
        RocksDB db = RocksDB.openReadOnly(options, database.toString());
        RocksIterator iterator = db.newIterator(read)) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        directKey.clear();
        directValue.clear();
        sum += iterator.key(directKey) + iterator.value(directValue);
      }
      iterator.status();
    }
    return checked(sum);
  }

  /** Fails where a rival did not see every byte. */
  private long checked(long sum) {
    if (sum != bytes) {
      throw new IllegalStateException(
          sum + " bytes of keys and values were read, " + bytes + " expected");
    }
    return sum;
  }

  private long write(Path file, int first, int step) throws IOException {
    SstWriterOptions options =
        new SstWriterOptions(
            "default", compression, 4096, 16, 5, SstWriterOptions.Checksum.XXH3, true);
    try (OutputStream out = Files.newOutputStream(file);
        SstWriter writer = SstWriter.create(file.toString(), out, options)) {
      for (int i = first; i < ENTRIES; i += step) {
        key.set(keys.get(i), 0, keys.get(i).length);
        value.set(values.get(i), 0, values.get(i).length);
        writer.add(key, 0, EntryType.PUT, value);
      }
      return writer.finish();
    }
  }

  private long writeRocks(Path file, int first, int step) throws RocksDBException {
    try (Options options = RocksOptions.table(compression);
        EnvOptions environment = new EnvOptions();
        SstFileWriter writer = new SstFileWriter(environment, options)) {
      writer.open(file.toString());
      for (int i = first; i < ENTRIES; i += step) {
        directKey.clear().put(keys.get(i)).flip();
        directValue.clear().put(values.get(i)).flip();
        writer.put(directKey, directValue);
      }
      writer.finish();
      return writer.fileSize();
    }
  }
}
