package io.reshard.benchmarks;

import io.reshard.sst.EntryCursor;
import io.reshard.sst.SstReader;
import io.reshard.sst.SstSource;
import java.nio.file.Path;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Reads the databases that a rival has made. */
final class RocksTargets {
  private RocksTargets() {}

  /** Every entry of every live file: each is a row, since the rows have different keys. */
  static void visit(Job job, Rival.RowVisitor visitor) throws RocksDBException {
    try (Options options = RocksOptions.source()) {
      for (int shard = 0; shard < job.to(); shard++) {
        Path directory = Source.database(job.target(), shard);
        try (RocksDB database = RocksDB.openReadOnly(options, directory.toString())) {
          for (LiveFileMetaData file : database.getLiveFilesMetaData()) {
            visit(directory.resolve(file.fileName().substring(1)), file, shard, visitor);
          }
        }
      }
    }
  }

  private static void visit(Path path, LiveFileMetaData file, int shard, Rival.RowVisitor visitor) {
    try (SstReader reader = SstReader.open(SstSource.ofFile(path), file.largestSeqno());
        EntryCursor cursor = reader.cursor()) {
      while (cursor.next()) {
        visitor.row(shard, cursor.key(), cursor.value());
      }
    }
  }
}
