package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.sst.SstWriterOptions.Checksum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompressionType;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.IndexType;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;

/**
 * Damaged files: bits flipped and lengths cut everywhere. The reader may say CORRUPT or
 * INCOMPATIBLE, or give the right rows.
 */
class HostileFileTest {
  @TempDir Path directory;

  @SuppressWarnings("ArrayRecordComponent") // Handed over, not compared.
  private record Sample(String name, byte[] file, List<Entry> entries) {}

  private List<Sample> samples() throws IOException, RocksDBException {
    List<Entry> rows = Entry.randomRows(new Random(7), 60);
    List<Entry> history = Entry.randomEntries(new Random(8), 40, EntryType.values());
    List<Sample> samples = new ArrayList<>();
    for (Compression compression : Compression.values()) {
      for (int version : new int[] {5, 6}) {
        Checksum checksum = version == 5 ? Checksum.XXH3 : Checksum.CRC32C;
        SstWriterOptions options =
            new SstWriterOptions("default", compression, 512, 4, version, checksum, false);
        samples.add(
            new Sample("ours " + compression + version, Entry.write(options, history), history));
      }
    }
    BlockBasedTableConfig partitions =
        Rocks.table(7, ChecksumType.kxxHash64)
            .setIndexType(IndexType.kTwoLevelIndexSearch)
            .setMetadataBlockSize(64);
    samples.add(rocks("partitions", partitions, CompressionType.LZ4_COMPRESSION, rows));
    BlockBasedTableConfig hashed =
        Rocks.table(4, ChecksumType.kCRC32c)
            .setDataBlockIndexType(DataBlockIndexType.kDataBlockBinaryAndHash)
            .setDataBlockHashTableUtilRatio(0.75)
            .setIndexBlockRestartInterval(4);
    samples.add(rocks("hashed", hashed, CompressionType.NO_COMPRESSION, rows));
    BlockBasedTableConfig firstKeys =
        Rocks.table(2, ChecksumType.kxxHash).setIndexType(IndexType.kBinarySearchWithFirstKey);
    samples.add(rocks("first keys", firstKeys, CompressionType.ZLIB_COMPRESSION, rows));
    return samples;
  }

  private Sample rocks(
      String name, BlockBasedTableConfig table, CompressionType compression, List<Entry> rows)
      throws IOException, RocksDBException {
    try (Options options = Rocks.options(table.setBlockSize(512), compression)) {
      Path file = Rocks.writeSst(directory.resolve(name), options, rows);
      return new Sample(name, Files.readAllBytes(file), rows);
    }
  }

  @Test
  void flippedBits() throws IOException, RocksDBException {
    int errors = 0;
    int right = 0;
    for (Sample sample : samples()) {
      byte[] file = sample.file.clone();
      for (int bit = 0; bit < file.length * 8; bit += step(sample)) {
        file[bit / 8] ^= (byte) (1 << (bit % 8));
        if (isRightOrRefused(file, sample, "bit " + bit)) {
          right++;
        } else {
          errors++;
        }
        file[bit / 8] ^= (byte) (1 << (bit % 8));
      }
    }
    // Only filters, paddings and the like may change unseen.
    assertThat(errors).isGreaterThan(10 * right);
  }

  /** Much of one sample, part of the others; no factor in common with the 8 bits of a byte. */
  private static int step(Sample sample) {
    return sample.name.equals("ours LZ46") ? 3 : 17;
  }

  @Test
  void cutLengths() throws IOException, RocksDBException {
    for (Sample sample : samples()) {
      for (int length = 0; length < sample.file.length; length++) {
        byte[] file = Arrays.copyOf(sample.file, length);
        assertThat(isRightOrRefused(file, sample, "length " + length))
            .as("%s cut to %s bytes", sample.name, length)
            .isFalse();
      }
    }
  }

  /** True if it gives the right rows, false if it is refused. */
  private static boolean isRightOrRefused(byte[] file, Sample sample, String what) {
    try {
      List<Entry> entries = Entry.readAll(SstSource.ofBytes("damaged", file));
      assertThat(entries).as("%s, %s", sample.name, what).isEqualTo(sample.entries);
      return true;
    } catch (StateStoreException e) {
      checkKind(e, sample, what);
      return false;
    }
  }

  private static void checkKind(StateStoreException e, Sample sample, String what) {
    if (e.kind() != Kind.CORRUPT && e.kind() != Kind.INCOMPATIBLE) {
      throw new AssertionError(sample.name + ", " + what + ": " + e.kind(), e);
    }
    assertThat(e.getMessage()).contains("damaged");
  }
}
