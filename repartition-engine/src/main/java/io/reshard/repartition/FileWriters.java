package io.reshard.repartition;

import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.ShardFileWriter;
import io.reshard.checkpoint.Upload;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.sst.Compression;
import io.reshard.sst.EntryType;
import java.util.List;

/** Opens writers for the files of target shards. A seam: tests put in writers that go wrong. */
@FunctionalInterface
interface FileWriters {
  /** Writes the files of one column family of one shard. */
  interface Writer extends AutoCloseable {
    /** Adds an entry, in order. */
    void add(ByteView key, long sequence, EntryType type, ByteView value);

    /** Ends the last file; every file was read back. */
    List<FileHandle> finish();

    @Override
    void close();
  }

  /** A writer of files of {@code shard} at an LSM level. */
  Writer open(int shard, ColumnFamily columnFamily, int level, Compression compression);

  /** Writers into {@code upload} whose every entry is checked to hash to its shard. */
  static FileWriters into(Upload upload, Layout target) {
    return (shard, columnFamily, level, compression) ->
        new Checked(
            new ShardFileWriter(
                upload,
                target,
                columnFamily,
                level,
                new ShardCheck(target, columnFamily, shard),
                compression));
  }

  /**
   * The compression to write where a file had {@code name} in its properties: the same, or LZ4 in
   * place of one that is not written.
   */
  static Compression compressionLike(String name) {
    for (Compression known : Compression.values()) {
      if (known.rocksName().equals(name)) {
        return known;
      }
    }
    return Compression.LZ4;
  }

  /** The writer of {@link #into}. */
  record Checked(ShardFileWriter files) implements Writer {
    @Override
    public void add(ByteView key, long sequence, EntryType type, ByteView value) {
      files.add(key, sequence, type, value);
    }

    @Override
    public List<FileHandle> finish() {
      return files.finish();
    }

    @Override
    public void close() {
      files.close();
    }
  }
}
