package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

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
 * Damaged files: bits flipped and lengths cut everywhere, and thousands of mutations with checksums
 * put right, which reach the checks behind them. The reader may say CORRUPT or INCOMPATIBLE, or
 * give the right rows; where checksums were put right, it may give any rows in order, but nothing
 * else.
 */
class HostileFileTest {
  private static final int MUTATIONS = 20_000;

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

  @Test
  void mutationsBehindRightChecksums() throws IOException, RocksDBException {
    long seed = Entry.seed();
    Random random = new Random(seed);
    List<Sample> samples = samples();
    List<List<BlockHandle>> blocks = new ArrayList<>();
    for (Sample sample : samples) {
      blocks.add(blocksOf(sample.file));
    }
    int refused = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      int chosen = random.nextInt(samples.size());
      Sample sample = samples.get(chosen);
      byte[] file = sample.file.clone();
      Footer footer = Footer.read(SstSource.ofBytes("sample", file));
      List<BlockHandle> handles = blocks.get(chosen);
      for (int n = random.nextInt(3); n >= 0; n--) {
        mutate(random, file, handles.get(random.nextInt(handles.size())), footer);
      }
      String what = "seed " + seed + ", mutation " + i + " of " + sample.name;
      try {
        checkOrder(Entry.readAll(SstSource.ofBytes("damaged", file)), what);
      } catch (StateStoreException e) {
        checkKind(e, sample, what);
        refused++;
      } catch (RuntimeException | Error e) {
        throw new AssertionError(what, e);
      }
    }
    assertThat(refused).isGreaterThan(MUTATIONS / 3);
  }

  private static void checkOrder(List<Entry> entries, String what) {
    for (int i = 1; i < entries.size(); i++) {
      Entry left = entries.get(i - 1);
      Entry right = entries.get(i);
      if (Entry.ORDER.compare(left, right) > 0) {
        fail("%s: %s before %s", what, left, right);
      }
    }
  }

  /** Changes a few bytes of a block, or its type, and puts its checksum right. */
  private static void mutate(Random random, byte[] file, BlockHandle block, Footer footer) {
    int start = (int) block.offset();
    int size = (int) block.size();
    if (size > 0) {
      int at = start + random.nextInt(size);
      int end = start + size;
      switch (random.nextInt(7)) {
        case 0 -> file[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> file[at] = (byte) random.nextInt(256);
        case 2 -> Arrays.fill(file, at, Math.min(end, at + 1 + random.nextInt(10)), (byte) 0xff);
        case 3 -> put(file, at, end, Bytes.varint(1L << (7 * random.nextInt(9) + 6)));
        case 4 -> put(file, at, end, Forge.ints(1 << random.nextInt(32)));
        case 5 -> put(file, Math.max(start, end - 4), end, Forge.ints(random.nextInt(300)));
        default -> file[end] = (byte) random.nextInt(9);
      }
    }
    Bytes.putInt(
        file,
        start + size + 1,
        new BlockChecksum(footer.checksum()).compute(file, start, size + 1)
            + BlockChecksum.context(footer.contextBase(), start));
  }

  private static void put(byte[] file, int at, int end, byte[] bytes) {
    System.arraycopy(bytes, 0, file, at, Math.min(bytes.length, end - at));
  }

  /** All blocks that the reader looks at: metaindex, properties, index, partitions, data. */
  private static List<BlockHandle> blocksOf(byte[] file) {
    List<BlockHandle> blocks = new ArrayList<>();
    SstSource recording =
        new SstSource() {
          @Override
          public String name() {
            return "recorded";
          }

          @Override
          public long size() {
            return file.length;
          }

          @Override
          public void read(long position, byte[] target, int offset, int length) {
            System.arraycopy(file, (int) position, target, offset, length);
          }

          @Override
          public void close() {}
        };
    Footer footer = Footer.read(recording);
    blocks.add(footer.metaindex());
    try (SstReader reader = SstReader.open(recording);
        BlockFetcher fetcher = new BlockFetcher(recording, footer)) {
      fetcher.fetch(footer.metaindex().offset(), footer.metaindex().size(), "m", 1 << 20);
      MetaBlock.read("m", 0, fetcher.array(), fetcher.start(), fetcher.limit())
          .forEach(
              (name, value) -> {
                if (name.equals("rocksdb.properties") || name.equals("rocksdb.index")) {
                  blocks.add(new ByteInput("m", 0, value, 0, value.length).handle(name));
                }
              });
      BlockHandle index = footer.index();
      if (index != null) {
        blocks.add(index);
      }
      IndexIterator upper = reader.index();
      while (upper.next()) {
        blocks.add(new BlockHandle(upper.offset(), upper.size()));
        if (reader.isPartitioned()) {
          IndexIterator lower = reader.partition(upper);
          while (lower.next()) {
            blocks.add(new BlockHandle(lower.offset(), lower.size()));
          }
        }
      }
    }
    return blocks;
  }
}
