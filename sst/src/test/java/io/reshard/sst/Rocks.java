package io.reshard.sst;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.SstFileWriter;

/** What the tests do with RocksDB. */
final class Rocks {
  static {
    RocksDB.loadLibrary();
  }

  private Rocks() {}

  /** A table configuration with everything that matters set. */
  static BlockBasedTableConfig table(int formatVersion, ChecksumType checksum) {
    return new BlockBasedTableConfig()
        .setFormatVersion(formatVersion)
        .setChecksumType(checksum)
        .setBlockSize(1024)
        .setOptimizeFiltersForMemory(false)
        .setFilterPolicy(new BloomFilter(10));
  }

  static Options options(BlockBasedTableConfig table, CompressionType compression) {
    return new Options()
        .setCreateIfMissing(true)
        .setMaxFileOpeningThreads(1)
        .setMaxBackgroundJobs(1)
        .setDisableAutoCompactions(true)
        .setTableFormatConfig(table)
        .setCompressionType(compression);
  }

  /** Writes puts, deletes and merges of sequence number 0 as an external file. */
  static Path writeSst(Path file, Options options, List<Entry> entries) throws RocksDBException {
    try (EnvOptions env = new EnvOptions();
        SstFileWriter writer = new SstFileWriter(env, options)) {
      writer.open(file.toString());
      for (Entry entry : entries) {
        byte[] key = Entry.bytes(entry.key());
        switch (entry.type()) {
          case PUT -> writer.put(key, Entry.bytes(entry.value()));
          case MERGE -> writer.merge(key, Entry.bytes(entry.value()));
          default -> writer.delete(key);
        }
      }
      writer.finish();
    }
    return file;
  }

  /** Verifies checksums and reads the rows, as put entries of sequence number 0. */
  static List<Entry> readSst(Path file) throws RocksDBException {
    try (Options options = new Options();
        ReadOptions read = new ReadOptions().setVerifyChecksums(true);
        SstFileReader reader = new SstFileReader(options)) {
      reader.open(file.toString());
      reader.verifyChecksum();
      try (SstFileReaderIterator iterator = reader.newIterator(read)) {
        List<Entry> rows = new ArrayList<>();
        for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
          rows.add(Entry.put(Entry.text(iterator.key()), 0, Entry.text(iterator.value())));
        }
        iterator.status();
        return rows;
      }
    }
  }

  /** The rows of an iterator, which is closed, as put entries of sequence number 0. */
  static List<Entry> rows(RocksIterator iterator) throws RocksDBException {
    try (iterator) {
      List<Entry> rows = new ArrayList<>();
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        rows.add(Entry.put(Entry.text(iterator.key()), 0, Entry.text(iterator.value())));
      }
      iterator.status();
      return rows;
    }
  }

  /** The SST files of a database directory. */
  static List<Path> sstFiles(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(f -> f.toString().endsWith(".sst")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
