package io.reshard.rocksdb;

import io.reshard.spi.ByteView;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.StateIterator;
import io.reshard.sst.EntryType;
import io.reshard.sst.RocksDirectory;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a snapshot's rows into files of their own, for a snapshot whose files cannot stand side by
 * side in a database ({@link RocksDirectory#hasOrderOnLevelZero}). The files hold one entry for
 * each row, with sequence number 0, on the last level.
 */
final class MergedFiles {
  private static final int LAST_LEVEL = 6;

  /** Length from which on the next row begins another file. */
  private static final long FILE_BYTES = 64 << 20;

  private final Path target;
  private final List<RocksDirectory.Member> members = new ArrayList<>();
  private final ByteView last = new ByteView();
  private byte[] lastBytes = new byte[64];
  private long number;

  private MergedFiles(Path target, long firstNumber) {
    this.target = target;
    this.number = firstNumber;
  }

  /** Writes every declared column family's rows into {@code target}; numbers from the first on. */
  static List<RocksDirectory.Member> write(
      Path target, SnapshotReader reader, List<String> columnFamilies, long firstNumber)
      throws IOException {
    MergedFiles files = new MergedFiles(target, firstNumber);
    for (String columnFamily : columnFamilies) {
      try (StateIterator rows = reader.rows(columnFamily)) {
        boolean more = rows.next();
        while (more) {
          more = files.writeFile(columnFamily, rows);
        }
      }
    }
    return files.members;
  }

  /** Writes a file from the current row on; says whether there is a row behind it. */
  private boolean writeFile(String columnFamily, StateIterator rows) throws IOException {
    Path path = target.resolve(RocksDirectory.fileName(number));
    try (FileOutputStream file = new FileOutputStream(path.toFile());
        OutputStream out = new BufferedOutputStream(file, 1 << 16);
        SstWriter writer =
            SstWriter.create(path.toString(), out, SstWriterOptions.defaults(columnFamily))) {
      byte[] smallest = rows.key().toByteArray();
      boolean more;
      do {
        remember(rows.key());
        writer.add(rows.key(), 0, EntryType.PUT, rows.value());
        more = rows.next();
      } while (more && writer.estimatedBytes() < FILE_BYTES);
      long size = writer.finish();
      out.flush();
      file.getFD().sync();
      members.add(
          new RocksDirectory.Member(
              columnFamily, number++, size, LAST_LEVEL, smallest, last.toByteArray(), 0, 0));
      return more;
    }
  }

  /** Whether it is the last of its file shows only when the cursor has gone on. */
  private void remember(ByteView key) {
    if (lastBytes.length < key.length()) {
      lastBytes = new byte[Math.max(key.length(), lastBytes.length * 2)];
    }
    System.arraycopy(key.array(), key.offset(), lastBytes, 0, key.length());
    last.set(lastBytes, 0, key.length());
  }
}
