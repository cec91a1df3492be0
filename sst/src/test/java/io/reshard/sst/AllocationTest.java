package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hot loops allocate nothing per entry: what they allocate at all is far less than a byte each. */
class AllocationTest {
  private static final int ENTRIES = 300_000;

  /** Buffers, index and such of one pass; an object per entry would be 16 times as much or more. */
  private static final long MOST_BYTES = ENTRIES;

  @TempDir Path directory;

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  private long write(Path file, Compression compression, long sequence) throws Exception {
    SstWriterOptions options =
        new SstWriterOptions(
            "default", compression, 32_768, 16, 5, SstWriterOptions.Checksum.XXH3, false);
    byte[] key = new byte[16];
    byte[] value = new byte[30];
    new Random(1).nextBytes(value);
    ByteView keyView = new ByteView(key);
    ByteView valueView = new ByteView(value);
    try (OutputStream out = Files.newOutputStream(file);
        SstWriter writer = SstWriter.create("file", out, options)) {
      long before = allocated();
      for (int i = 0; i < ENTRIES; i++) {
        key[12] = (byte) (i >>> 16);
        key[13] = (byte) (i >>> 8);
        key[14] = (byte) i;
        writer.add(keyView, sequence, EntryType.PUT, valueView);
      }
      return allocated() - before;
    }
  }

  private void finish(Path file, Compression compression, long sequence) throws Exception {
    SstWriterOptions options =
        new SstWriterOptions(
            "default", compression, 16_384, 16, 5, SstWriterOptions.Checksum.XXH3, false);
    byte[] key = new byte[16];
    // Lengths above 127 take more than one byte.
    try (OutputStream out = Files.newOutputStream(file);
        SstWriter writer = SstWriter.create("file", out, options)) {
      for (int i = 0; i < ENTRIES; i++) {
        Bytes.putInt(key, 4, Integer.reverseBytes(i));
        writer.add(new ByteView(key), sequence, EntryType.PUT, new ByteView(new byte[200]));
      }
      writer.finish();
    }
  }

  @Test
  void writing() throws Exception {
    for (Compression compression : Compression.values()) {
      // Eight bytes a key are the filter's hashes.
      assertThat(write(directory.resolve("w.sst"), compression, 1) - 8L * ENTRIES)
          .as(compression.name())
          .isLessThan(MOST_BYTES);
    }
  }

  @Test
  void scanning() throws Exception {
    for (Compression compression : Compression.values()) {
      Path file = directory.resolve(compression + ".sst");
      finish(file, compression, 1);
      // The first pass takes a window that the second uses again.
      long unused = scan(file);
      assertThat(scan(file)).as(compression.name()).isLessThan(MOST_BYTES);
    }
  }

  private static long scan(Path file) {
    try (SstReader reader = SstReader.open(SstSource.ofFile(file))) {
      long before = allocated();
      int count = 0;
      try (EntryCursor cursor = reader.cursor()) {
        while (cursor.next()) {
          count += cursor.value().length() == 200 ? 1 : 0;
        }
      }
      assertThat(count).isEqualTo(ENTRIES);
      return allocated() - before;
    }
  }

  @Test
  void merging() throws Exception {
    Path older = directory.resolve("older.sst");
    Path newer = directory.resolve("newer.sst");
    finish(older, Compression.LZ4, 1);
    finish(newer, Compression.NONE, 2);
    long unused = merge(older, newer);
    assertThat(merge(older, newer)).isLessThan(MOST_BYTES);
  }

  private static long merge(Path older, Path newer) {
    try (SstReader left = SstReader.open(SstSource.ofFile(older));
        SstReader right = SstReader.open(SstSource.ofFile(newer))) {
      long before = allocated();
      int count = 0;
      try (StateIterator rows =
          Cursors.rows(Cursors.merge(List.of(left.cursor(), right.cursor())))) {
        while (rows.next()) {
          count++;
        }
      }
      assertThat(count).isEqualTo(ENTRIES);
      return allocated() - before;
    }
  }

  /** Range deletions, a sequence number, and a merge operator that is not needed. */
  @Test
  void resolving() throws Exception {
    Path older = directory.resolve("older.sst");
    Path newer = directory.resolve("newer.sst");
    finish(older, Compression.LZ4, 1);
    finish(newer, Compression.NONE, 2);
    long unused = resolve(older, newer);
    assertThat(resolve(older, newer)).isLessThan(MOST_BYTES);
  }

  private static long resolve(Path older, Path newer) {
    byte[] begin = new byte[16];
    byte[] end = {1};
    try (SstReader left = SstReader.open(SstSource.ofFile(older));
        SstReader right = SstReader.open(SstSource.ofFile(newer))) {
      long before = allocated();
      int count = 0;
      try (StateIterator rows =
          Cursors.rows(
              Cursors.merge(List.of(left.entries(), right.entries())),
              List.of(new RangeDeletion(begin, end, 2)),
              StringAppend.comma(),
              5)) {
        while (rows.next()) {
          count += rows.value().length() == 200 ? 1 : 0;
        }
      }
      assertThat(count).isEqualTo(ENTRIES);
      return allocated() - before;
    }
  }
}
