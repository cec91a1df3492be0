package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.Limits;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.sst.IndexIterator.IndexFormat;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that lie behind right checksums: each check of the reader, one by one. */
class ForgedFileTest {
  private static final byte[] TAIL = Forge.ints(0, 1);
  private static final byte[] GOOD = Forge.put("b", 5, "v");
  private static final BlockHandle HUGE = new BlockHandle(1L << 62, 1L << 62);

  @Test
  void theForgeItselfIsSound() {
    byte[] file = Forge.file(2, GOOD, Forge.put("c", 5, "w"), TAIL);
    assertThat(Entry.readAll(SstSource.ofBytes("forged", file)))
        .containsExactly(Entry.put("b", 5, "v"), Entry.put("c", 5, "w"));
  }

  @Test
  void keysThatDescend() {
    assertCorrupt(Forge.file(2, GOOD, Forge.put("a", 9, "v"), TAIL), "not beyond");
    assertCorrupt(Forge.file(2, Forge.put("bb", 1, ""), GOOD, TAIL), "not beyond");
    assertCorrupt(Forge.file(2, GOOD, Forge.put("", 9, "v"), TAIL), "not beyond");
    byte[] shared = Forge.entry(1, 8, 0, Forge.internal("", 9, 1));
    assertCorrupt(Forge.file(2, Forge.put("bb", 1, ""), shared, TAIL), "not beyond");
  }

  @Test
  void sequencesThatDoNotDescend() {
    assertCorrupt(Forge.file(2, GOOD, GOOD, TAIL), "not beyond");
    assertCorrupt(Forge.file(2, GOOD, Forge.put("b", 6, "v"), TAIL), "not beyond");
    // The trailer is shared as well.
    byte[] same = Forge.entry(9, 0, 0);
    assertCorrupt(Forge.file(2, GOOD, same, TAIL), "not beyond");
  }

  @Test
  void keysThatShareBytesOfATrailer() {
    // The trailer of the first is 01 05 00 …, the second key goes on with the same bytes.
    byte[] longer = Forge.entry(4, 9, 1, Forge.internal("x", 7, 1), Entry.bytes("w"));
    // The same key, older: the type is shared, the sequence number is not.
    byte[] older = Forge.entry(6, 7, 1, new byte[] {6, 0, 0, 0, 0, 0, 0}, Entry.bytes("u"));
    // And one byte of the sequence number has to go for a key behind both.
    byte[] last = Forge.entry(0, 9, 0, Forge.internal("c", 0, 0));
    String key = "b\u0001\u0005\u0000x";
    byte[] file = Forge.file(4, GOOD, longer, older, last, TAIL);
    assertThat(Entry.readAll(SstSource.ofBytes("forged", file)))
        .containsExactly(
            Entry.put("b", 5, "v"),
            Entry.put(key, 7, "w"),
            Entry.put(key, 6, "u"),
            Entry.delete("c", 0));
    byte[] newer = Forge.entry(6, 7, 1, new byte[] {8, 0, 0, 0, 0, 0, 0}, Entry.bytes("u"));
    assertCorrupt(Forge.file(4, GOOD, longer, newer, last, TAIL), "not beyond");
  }

  @Test
  void keysThatDescendFromBlockToBlock() {
    Forge forge = new Forge().entries(2);
    BlockHandle first = forge.block(Forge.concat(Forge.put("m", 1, ""), TAIL), 0);
    BlockHandle second = forge.block(Forge.concat(GOOD, TAIL), 0);
    assertCorrupt(forge.index("n", first).index("z", second).finish(), "not beyond");
  }

  @Test
  void keysShorterThanTheirTrailer() {
    assertCorrupt(Forge.file(1, Forge.entry(0, 7, 0, new byte[7]), TAIL), "0 shared, 7 own");
    assertCorrupt(Forge.file(1, Forge.entry(0, 0, 0), TAIL), "0 shared, 0 own");
  }

  @Test
  void moreSharedThanThereIs() {
    assertCorrupt(
        Forge.file(2, GOOD, Forge.entry(10, 8, 0, new byte[8]), TAIL), "10 shared, 8 own");
    assertCorrupt(Forge.file(1, Forge.entry(1, 8, 0, new byte[8]), TAIL), "1 shared, 8 own");
    // Nor may the first entry of a block share with the last one of the block before.
    Forge forge = new Forge().entries(2);
    BlockHandle first = forge.block(Forge.concat(GOOD, TAIL), 0);
    BlockHandle second =
        forge.block(Forge.concat(Forge.entry(1, 9, 0, Forge.internal("x", 5, 1)), TAIL), 0);
    assertCorrupt(forge.index("b", first).index("z", second).finish(), "0 to share");
  }

  @ParameterizedTest
  @ValueSource(longs = {100, 128, 1 << 20, Integer.MAX_VALUE})
  void lengthsBeyondTheBlock(long length) {
    assertCorrupt(Forge.file(1, Forge.entry(0, length, 0, new byte[9]), TAIL), "bytes left");
    assertCorrupt(
        Forge.file(1, Forge.entry(0, 9, length, Forge.internal("b", 5, 1)), TAIL), "bytes left");
    assertCorrupt(Forge.file(1, Forge.entry(length, 9, 0, new byte[9]), TAIL), "bytes left");
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 31, 1L << 40, 1L << 62, -1})
  void lengthsBeyond32Bits(long length) {
    assertCorrupt(Forge.file(1, Forge.entry(0, length, 0, new byte[9]), TAIL), "beyond 2^");
    byte[] value = Forge.concat(new byte[] {0, 9}, Bytes.varint(length), new byte[9]);
    assertCorrupt(Forge.file(1, value, TAIL), "beyond 2^");
    assertCorrupt(Forge.file(1, Bytes.varint(length), new byte[9], TAIL), "beyond 2^");
  }

  @Test
  void varintsThatDoNotEnd() {
    byte[] endless = new byte[30];
    Arrays.fill(endless, (byte) 0xff);
    assertCorrupt(Forge.file(1, endless, TAIL), "more than 64 bits");
    assertCorrupt(Forge.file(1, new byte[] {(byte) 0xff}, TAIL), "runs beyond the end");
  }

  @Test
  void keysAndValuesBeyondTheLimits() {
    String key = "k".repeat(Limits.MAX_KEY_BYTES + 1);
    assertCorrupt(Forge.file(1, Forge.put(key, 1, ""), TAIL), "own");
    byte[] internal = Forge.internal("b", 1, 1);
    byte[] value = new byte[Limits.MAX_VALUE_BYTES + 1];
    assertCorrupt(
        Forge.file(1, Forge.entry(0, 9, value.length, internal, value), TAIL), "value bytes");
  }

  @Test
  void typesThatDoNotExistOrDoNotFit() {
    byte[] unknown = Forge.entry(0, 9, 0, Forge.internal("b", 1, 99));
    assertCorrupt(Forge.file(1, unknown, TAIL), "type 99");
    byte[] deleteWithValue = Forge.entry(0, 9, 1, Forge.internal("b", 1, 0), new byte[1]);
    assertCorrupt(Forge.file(1, deleteWithValue, TAIL), "type 0 with a value");
    byte[] blob = Forge.entry(0, 9, 1, Forge.internal("b", 1, 0x11), new byte[1]);
    assertFails(Kind.INCOMPATIBLE, Forge.file(1, blob, TAIL), "blob");
    byte[] wide = Forge.entry(0, 9, 1, Forge.internal("b", 1, 0x16), new byte[1]);
    assertFails(Kind.INCOMPATIBLE, Forge.file(1, wide, TAIL), "wide columns");
  }

  @Test
  void restartsOutOfBounds() {
    assertCorrupt(Forge.file(1, GOOD, Forge.ints(0, 2)), "restart");
    assertCorrupt(Forge.file(1, GOOD, Forge.ints(11, 2)), "restart");
    assertCorrupt(Forge.file(1, GOOD, Forge.ints(0, 0, 2)), "restart 1 of a block is 0");
    assertCorrupt(Forge.file(1, GOOD, Forge.ints(13, 1)), "restart 0 of a block is 13");
    assertCorrupt(Forge.file(1, GOOD, Forge.ints(-1, 1)), "restart 0 of a block is -1");
    assertCorrupt(Forge.file(1, GOOD, Forge.ints((1 << 28) - 1)), "restarts in a block");
    assertCorrupt(Forge.file(1, new byte[3]), "a block of 3 bytes");
    assertCorrupt(Forge.file(1, new byte[0]), "a block of 0 bytes");
  }

  @Test
  void bitsInTheTailOfABlock() {
    assertFails(Kind.INCOMPATIBLE, Forge.file(1, GOOD, Forge.ints(0, 1 | 1 << 30)), "reserved");
    assertCorrupt(Forge.file(1, GOOD, Forge.ints(0, 1 | 1 << 31)), "restart");
    assertCorrupt(
        Forge.file(1, GOOD, Forge.ints(0), new byte[] {-1, -1}, Forge.ints(1 | 1 << 31)),
        "65535 buckets");
    assertThat(
            Entry.readAll(
                SstSource.ofBytes("hint", Forge.file(1, GOOD, Forge.ints(0, 1 | 1 << 29)))))
        .hasSize(1);
  }

  @Test
  void blocksThatOverlapOrGoBack() {
    Forge forge = new Forge().entries(2);
    BlockHandle first = forge.block(Forge.concat(GOOD, TAIL), 0);
    assertCorrupt(forge.index("b", first).index("z", first).finish(), "block before");

    Forge back = new Forge().entries(2);
    BlockHandle later = back.block(Forge.concat(Forge.put("m", 1, ""), TAIL), 0);
    BlockHandle earlier = back.block(Forge.concat(GOOD, TAIL), 0);
    assertCorrupt(back.index("b", earlier).index("m", later).finish(), "block before");
  }

  @Test
  void partitionsThatLeadInCircles() {
    Forge forge = new Forge().entries(1);
    forge.properties.put("rocksdb.block.based.table.index.type", Forge.ints(2));
    BlockHandle data = forge.block(Forge.concat(GOOD, TAIL), 0);
    byte[] entry = Forge.concat(Forge.entry(0, 1, -1, Entry.bytes("b")), data.toBytes());
    BlockHandle partition = forge.block(Forge.concat(entry, TAIL), 0);
    assertCorrupt(forge.index("b", partition).index("c", partition).finish(), "block before");
  }

  @Test
  void indexKeysThatDescend() {
    Forge forge = new Forge().entries(2);
    BlockHandle first = forge.block(Forge.concat(GOOD, TAIL), 0);
    BlockHandle second = forge.block(Forge.concat(Forge.put("c", 1, ""), TAIL), 0);
    assertCorrupt(forge.index("d", first).index("c", second).finish(), "index keys do not ascend");
  }

  @Test
  void keysBeyondTheirSeparator() {
    Forge forge = new Forge();
    BlockHandle block = forge.block(Forge.concat(GOOD, TAIL), 0);
    assertCorrupt(forge.index("a", block).finish(), "beyond what the index says");
  }

  @Test
  void fewerOrMoreEntriesThanTheProperties() {
    assertCorrupt(Forge.file(2, GOOD, TAIL), "has 1 entries");
    assertCorrupt(Forge.file(0, GOOD, TAIL), "say 0");
    assertCorrupt(new Forge().finish(), "has 0 entries");
  }

  @Test
  void hugeHandles() {
    assertCorrupt(new Forge().index("z", HUGE).finish(), "points at a block");
    assertCorrupt(
        new Forge().index("z", new BlockHandle(0, Long.MAX_VALUE)).finish(), "points at a block");
    assertCorrupt(new Forge().finish(HUGE, HUGE), "metaindex block");
    Forge forge = new Forge();
    forge.metaindex.put("rocksdb.properties", HUGE.toBytes());
    assertCorrupt(forge.finish(), "properties block");
    // Sizes by delta that overflow.
    Forge delta = new Forge().entries(2);
    BlockHandle block = delta.block(Forge.concat(GOOD, TAIL), 0);
    byte[] overflow = Forge.concat(Forge.entry(1, 1, -1, Entry.bytes("c")), Bytes.varint(-2L));
    assertCorrupt(delta.index("b", block).rawIndex(overflow).finish(), "points at");
  }

  @Test
  void hugeIndexEntries() {
    for (long length : new long[] {1 << 21, Integer.MAX_VALUE, 1L << 62}) {
      assertCorrupt(
          new Forge().rawIndex(Forge.entry(0, length, -1, new byte[8])).finish(), "index key");
      assertCorrupt(
          new Forge().rawIndex(Forge.entry(length, 2, -1, new byte[8])).finish(), "index key");
    }
  }

  @Test
  void decompressedSizesThatCannotBe() {
    for (int type : new int[] {1, 2, 4, 5, 7}) {
      assertCorrupt(compressed(type, Bytes.varint(1L << 62), new byte[9]), "claims");
      assertCorrupt(compressed(type, Bytes.varint(2_000_000_000), new byte[9]), "claims");
      assertCorrupt(compressed(type, Bytes.varint(40), new byte[9]), "a block");
      assertCorrupt(compressed(type), "decompressed size");
    }
    assertCorrupt(compressed(4, Bytes.varint(100_000), new byte[9]), "claims to decompress");
    assertCorrupt(compressed(1, Bytes.varint(100_000), new byte[9]), "claims to decompress");
    assertCorrupt(compressed(2, Bytes.varint(100_000), new byte[9]), "claims to decompress");
  }

  /** A block that gives more than it claims, or less. */
  @Test
  void bombs() {
    byte[] zeros = new byte[1 << 20];
    for (Compression compression : List.of(Compression.LZ4, Compression.ZSTD, Compression.SNAPPY)) {
      try (Compressor compressor = new Compressor(compression)) {
        byte[] target = new byte[(int) compressor.maxBytes(zeros.length)];
        int length = compressor.compress(zeros, zeros.length, target, 0);
        byte[] honest = Arrays.copyOf(target, length);
        for (int claimed : new int[] {200_000, (1 << 20) - 1, (1 << 20) + 1}) {
          byte[] lying = honest.clone();
          Bytes.putVarint(lying, 0, claimed);
          assertCorrupt(compressed(compression.code(), lying), "a block");
        }
      }
    }
  }

  private static byte[] compressed(int type, byte[]... parts) {
    Forge forge = new Forge();
    BlockHandle handle = forge.block(Forge.concat(parts), type);
    return forge.index("z", handle).finish();
  }

  @Test
  void propertiesThatAreMissingOrMalformed() {
    Forge forge = new Forge();
    forge.properties.remove("rocksdb.num.entries");
    assertCorrupt(forge.finish(), "'rocksdb.num.entries' is missing");
    forge = new Forge();
    forge.properties.put("rocksdb.num.entries", new byte[] {1, 2});
    assertCorrupt(forge.finish(), "rocksdb.num.entries");
    forge = new Forge();
    forge.properties.put("rocksdb.block.based.table.index.type", new byte[3]);
    assertCorrupt(forge.finish(), "index.type");
    forge = new Forge();
    forge.properties.put("rocksdb.block.based.table.index.type", Forge.ints(4));
    assertFails(Kind.INCOMPATIBLE, forge.finish(), "index.type");
    forge = new Forge();
    forge.properties.put("rocksdb.external_sst_file.global_seqno", new byte[7]);
    assertCorrupt(forge.finish(), "global_seqno");
    forge = new Forge();
    forge.properties.remove("rocksdb.comparator");
    assertFails(Kind.INCOMPATIBLE, forge.finish(), "rocksdb.comparator");
    forge = new Forge();
    forge.metaindex.put("rocksdb.range_del", new BlockHandle(0, 0).toBytes());
    assertFails(Kind.INCOMPATIBLE, forge.finish(), "rocksdb.range_del");
  }

  private static byte[] rangeDeletions(long claimed, byte[]... entries) {
    Forge forge = new Forge().entries(claimed);
    forge.properties.put("rocksdb.num.range-deletions", Bytes.varint(claimed));
    byte[] block = Forge.concat(Forge.concat(entries), TAIL);
    forge.metaindex.put("rocksdb.range_del", forge.block(block, 0).toBytes());
    return forge.finish();
  }

  private static byte[] rangeDeletion(String begin, int type, String end) {
    byte[] key = Forge.internal(begin, 9, type);
    return Forge.entry(0, key.length, end.length(), key, Entry.bytes(end));
  }

  private static void assertRangesCorrupt(byte[] file, String... named) {
    assertThatThrownBy(
            () -> {
              try (SstReader reader = SstReader.open(SstSource.ofBytes("forged", file))) {
                List<RangeDeletion> unused = reader.rangeDeletions();
              }
            })
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT))
        .satisfies(e -> assertThat(e.getMessage()).contains(named));
  }

  @Test
  void rangeDeletionsThatAreSound() {
    byte[] file =
        rangeDeletions(
            3,
            rangeDeletion("c", RangeDeletion.CODE, "d"),
            // A shared prefix, as no RocksDB writes it, and an order of no kind.
            Forge.entry(1, 8, 1, Forge.internal("", 7, RangeDeletion.CODE), Entry.bytes("e")),
            rangeDeletion("a", RangeDeletion.CODE, "a"));
    try (SstReader reader = SstReader.open(SstSource.ofBytes("forged", file))) {
      assertThat(reader.rangeDeletions())
          .extracting(RangeDeletion::toString)
          .containsExactly("\"c\" to \"d\"@9", "\"c\" to \"e\"@7", "\"a\" to \"a\"@9");
      assertThat(Entry.readAll(reader.entries())).isEmpty();
    }
  }

  @Test
  void rangeDeletionsThatAreNot() {
    byte[] sound = rangeDeletion("a", RangeDeletion.CODE, "b");
    assertRangesCorrupt(rangeDeletions(2, sound), "1 range deletions", "says 2");
    assertRangesCorrupt(rangeDeletions(1, sound, sound), "2 range deletions", "says 1");
    assertRangesCorrupt(rangeDeletions(1), "0 range deletions", "says 1");
    assertRangesCorrupt(rangeDeletions(1, rangeDeletion("b", RangeDeletion.CODE, "a")), "down to");
    for (int type : new int[] {0, 1, 2, 7, 14, 255}) {
      assertRangesCorrupt(rangeDeletions(1, rangeDeletion("a", type, "b")), "of type " + type);
    }
    byte[] key = Forge.internal("a", 9, RangeDeletion.CODE);
    assertRangesCorrupt(
        rangeDeletions(1, Forge.entry(1, 9, 1, key, Entry.bytes("b"))), "shares 1 bytes");
    assertRangesCorrupt(
        rangeDeletions(1, Forge.entry(0, 7, 1, key, Entry.bytes("b"))), "begin of 7");
    assertRangesCorrupt(
        rangeDeletions(1, Forge.entry(0, 9, 2, key, Entry.bytes("b"))), "only 1 remain");
    assertRangesCorrupt(
        rangeDeletions(1, Forge.entry(0, 9, (1 << 20) + 1, key, Entry.bytes("b"))),
        "an end of 1048577");
    assertRangesCorrupt(rangeDeletions(1, Forge.entry(0, 1L << 31, 1, key)), "beyond 2^31 - 1");
    assertRangesCorrupt(rangeDeletions(1, new byte[] {(byte) 0x80}), "runs beyond");

    Forge forge = new Forge().entries(1);
    forge.properties.put("rocksdb.num.range-deletions", Bytes.varint(1));
    assertCorrupt(forge.finish(), "rocksdb.range_del");
    forge = new Forge().entries(1);
    forge.properties.put("rocksdb.num.range-deletions", Bytes.varint(2));
    assertCorrupt(forge.finish(), "beyond the number of all entries");
    forge = new Forge().entries(1);
    forge.properties.put("rocksdb.num.range-deletions", Bytes.varint(1));
    forge.metaindex.put("rocksdb.range_del", new BlockHandle(1L << 40, 100).toBytes());
    assertRangesCorrupt(forge.finish(), "goes beyond the end");
  }

  /** A type that belongs into a block of its own. */
  @Test
  void rangeDeletionsAmongEntries() {
    byte[] key = Forge.internal("a", 9, RangeDeletion.CODE);
    assertCorrupt(
        Forge.file(1, Forge.entry(0, key.length, 1, key, Entry.bytes("b")), TAIL), "type 15");
  }

  /** A block of 1 MB that would mean 64 GB. */
  @Test
  void rangeDeletionsThatShareMuch() {
    byte[] begin = new byte[(1 << 20) + 8];
    Bytes.putLong(begin, 1 << 20, 9L << 8 | RangeDeletion.CODE);
    byte[][] parts = new byte[60_000][];
    for (int i = 0; i < parts.length; i++) {
      parts[i] =
          Forge.entry(1 << 20, 8, 1, Forge.internal("", 9, RangeDeletion.CODE), new byte[] {9});
    }
    assertRangesCorrupt(
        rangeDeletions(
            60_001, Forge.entry(0, begin.length, 1, begin, new byte[] {9}), Forge.concat(parts)),
        "keys of more than");
  }

  @Test
  void propertiesAndBlocksThatAreRefused() {
    for (String property : List.of("rocksdb.udi.is.primary.index", "rocksdb.embedded.blob.stats")) {
      Forge forge = new Forge();
      forge.properties.put(property, Bytes.varint(1));
      assertFails(Kind.INCOMPATIBLE, forge.finish(), property);
    }
    Forge timestamps = new Forge();
    timestamps.properties.put("rocksdb.user.defined.timestamps.persisted", Bytes.varint(0));
    assertFails(
        Kind.INCOMPATIBLE, timestamps.finish(), "rocksdb.user.defined.timestamps.persisted");
    Forge manager = new Forge();
    manager.properties.put("rocksdb.compression", Entry.bytes("Mine;80;"));
    assertFails(Kind.INCOMPATIBLE, manager.finish(), "Mine;80;");
    Forge code = new Forge();
    code.properties.put("rocksdb.compression", Entry.bytes("BuiltinV2;0x;"));
    assertCorrupt(code.finish(), "rocksdb.compression");
    Forge unknown = new Forge();
    unknown.metaindex.put("rocksdb.novelty", new BlockHandle(0, 0).toBytes());
    assertFails(Kind.INCOMPATIBLE, unknown.finish(), "rocksdb.novelty");
    assertFails(Kind.INCOMPATIBLE, compressed(3, new byte[9]), "BZip2");
    assertFails(Kind.INCOMPATIBLE, compressed(6, new byte[9]), "Xpress");
    assertFails(Kind.INCOMPATIBLE, compressed(0x90, new byte[9]), "custom compression");
  }

  @Test
  void blocksThatMayBePassedOver() {
    Forge forge = new Forge().entries(1);
    BlockHandle block = forge.block(Forge.concat(GOOD, TAIL), 0);
    for (String name :
        List.of(
            "filter.any",
            "fullfilter.rocksdb.BuiltinBloomFilter",
            "partitionedfilter.any",
            "rocksdb.hashindex.prefixes",
            "rocksdb.hashindex.metadata",
            "rocksdb.user_defined_index.any")) {
      forge.metaindex.put(name, HUGE.toBytes());
    }
    byte[] file = forge.index("b", block).finish();
    assertThat(Entry.readAll(SstSource.ofBytes("forged", file)))
        .containsExactly(Entry.put("b", 5, "v"));
  }

  @Test
  void dictionaries() {
    Forge empty = new Forge();
    empty.metaindex.put("rocksdb.compression_dict", empty.block(new byte[0], 0).toBytes());
    assertCorrupt(empty.finish(), "empty compression dictionary");
    Forge huge = new Forge();
    huge.metaindex.put("rocksdb.compression_dict", HUGE.toBytes());
    assertCorrupt(huge.finish(), "compression dictionary");
    // A match of 20 bytes that starts 10 bytes before the dictionary, or within it.
    byte[] block = Forge.concat(GOOD, TAIL);
    for (int size : new int[] {1, 3, 4, 5, 14, 15, 16, 269, 270, 65_535, 65_536, 100_000}) {
      byte[] dictionary = new byte[size + block.length];
      System.arraycopy(block, 0, dictionary, size, block.length);
      // 1 literal, a match of the rest of the block out of the dictionary, which ends in the block;
      // then 5 literals, as the last sequence has to be.
      int match = block.length - 1 - 5;
      byte[] sequence = {(byte) (1 << 4 | (match - 4)), block[0], (byte) block.length, 0};
      byte[] last = Arrays.copyOfRange(block, block.length - 5, block.length);
      byte[] stored = Forge.concat(Bytes.varint(block.length), sequence, new byte[] {5 << 4}, last);
      for (int type : new int[] {4, 5}) {
        Forge forge = new Forge().entries(1);
        forge.metaindex.put("rocksdb.compression_dict", forge.block(dictionary, 0).toBytes());
        BlockHandle handle = forge.block(stored, type);
        assertThat(Entry.readAll(SstSource.ofBytes("forged", forge.index("b", handle).finish())))
            .as("dictionary of %s bytes", dictionary.length)
            .containsExactly(Entry.put("b", 5, "v"));
        byte[] before = stored.clone();
        before[3] = (byte) 0xff;
        before[4] = (byte) 0xff;
        Forge reaching = new Forge().entries(1);
        reaching.metaindex.put(
            "rocksdb.compression_dict", reaching.block(new byte[200], 0).toBytes());
        handle = reaching.block(before, type);
        assertCorrupt(reaching.index("b", handle).finish(), "does not decompress");
      }
    }
  }

  /** Values behind the entries, and what can be wrong about them. */
  @Test
  void valuesApart() {
    byte[] key = Forge.internal("b", 5, 1);
    byte[] next = Forge.internal("c", 4, 1);
    byte[] entries =
        Forge.concat(Forge.entry(0, 9, 2, Bytes.varint(0), key), Forge.entry(0, 9, 1, next));
    int values = entries.length;
    byte[] two = Entry.bytes("vwx");
    int word = 1 | 1 << 28;
    byte[] file = Forge.file(2, entries, two, Forge.ints(0, values, word));
    assertThat(Entry.readAll(SstSource.ofBytes("forged", file)))
        .containsExactly(Entry.put("b", 5, "vw"), Entry.put("c", 4, "x"));
    for (int wrong :
        new int[] {-1, 0, 1, values - 1, values + 1, values + 3, values + 4, 1 << 30}) {
      assertCorrupt(Forge.file(2, entries, two, Forge.ints(0, wrong, word)), "block");
    }
    assertCorrupt(Forge.file(2, entries, Forge.ints(0, values, word)), "remain");
    assertCorrupt(Forge.file(2, entries, two, two, Forge.ints(0, values, word)), "values that end");
    assertCorrupt(Forge.file(2, entries, two, Forge.ints(1, values, word)), "block");
    byte[] offset = Forge.concat(Forge.entry(0, 9, 3, Bytes.varint(1), key), two);
    assertCorrupt(Forge.file(1, offset, Forge.ints(0, 13, word)), "a value at 1");
    assertCorrupt(Forge.file(1, Forge.ints(word)), "no room");
    // Only data blocks have them.
    Forge index = new Forge();
    index.indexTail = Forge.ints(0, 0, 1 | 1 << 28);
    assertCorrupt(index.finish(), "other than a data block");
  }

  /** What no file with these properties can have takes no memory. */
  @Test
  void blocksLargerThanAllKeysAndValues() {
    byte[] zeros = new byte[1 << 20];
    for (boolean inIndex : new boolean[] {false, true}) {
      Forge forge = new Forge().entries(1);
      forge.properties.put("rocksdb.raw.key.size", Bytes.varint(9));
      forge.properties.put("rocksdb.raw.value.size", Bytes.varint(1));
      try (Compressor compressor = new Compressor(Compression.ZSTD)) {
        byte[] target = new byte[(int) compressor.maxBytes(zeros.length)];
        int length = compressor.compress(zeros, zeros.length, target, 0);
        BlockHandle bomb = forge.block(Arrays.copyOf(target, length), Compression.ZSTD.code());
        assertCorrupt(
            inIndex ? forge.finish(metaindex(forge), bomb) : forge.index("z", bomb).finish(),
            "claims 1048576 bytes");
      }
    }
  }

  private static BlockHandle metaindex(Forge forge) {
    forge.metaindex.put(
        "rocksdb.properties", forge.block(Forge.names(forge.properties), 0).toBytes());
    return forge.block(Forge.names(forge.metaindex), 0);
  }

  @Test
  void blocksWithoutEntries() {
    assertCorrupt(Forge.file(0, TAIL), "no entries");
    assertCorrupt(Forge.file(0, Forge.ints(0)), "no entries");
  }

  /** Shared prefixes must not make a small file mean a huge one, in memory or in time. */
  @Test
  void namesAndKeysThatShareMuch() {
    Forge forge = new Forge();
    byte[] name = new byte[1 << 20];
    byte[][] parts = new byte[20_000][];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = Forge.entry(name.length - 4, 4, 0, Forge.ints(i + 1));
    }
    byte[] block = Forge.concat(Forge.entry(0, name.length, 0, name), Forge.concat(parts), TAIL);
    BlockHandle handle = forge.block(block, 0);
    assertCorrupt(forge.finish(handle, handle), "names of more than");

    // Keys of 1 MiB that differ in four bytes: were they put together, 200 GB would be copied.
    int count = 200_000;
    byte[] key = new byte[name.length - 4];
    byte[][] entries = new byte[count][];
    for (int i = 0; i < count; i++) {
      byte[] suffix = new byte[4];
      Bytes.putInt(suffix, 0, Integer.reverseBytes(i + 1));
      entries[i] = Forge.concat(Forge.entry(key.length, 4, -1, suffix), Bytes.varint(0));
    }
    byte[] first =
        Forge.concat(Forge.entry(0, key.length, -1, key), Bytes.varint(0), Bytes.varint(9));
    byte[] index = Forge.concat(first, Forge.concat(entries), TAIL);
    IndexFormat format = new IndexFormat(true, true, false, false);
    IndexIterator iterator = new IndexIterator("forged", 0, format, index, 0, index.length);
    int seen = 0;
    while (iterator.next()) {
      seen++;
    }
    assertThat(seen).isEqualTo(count + 1);
    assertThat(iterator.offset()).isEqualTo(14L * count);
  }

  @Test
  void notAnSstFile() {
    assertCorrupt(new byte[0], "0 bytes");
    assertCorrupt(new byte[52], "52 bytes");
    assertCorrupt(new byte[5000], "magic number");
    byte[] newer = new Forge().finish();
    Bytes.putInt(newer, newer.length - 12, 8);
    assertFails(Kind.INCOMPATIBLE, newer, "format version 8");
  }

  private static void assertCorrupt(byte[] file, String named) {
    assertFails(Kind.CORRUPT, file, named);
  }

  private static void assertFails(Kind kind, byte[] file, String named) {
    assertThatThrownBy(() -> Entry.readAll(SstSource.ofBytes("forged.sst", file)))
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind))
        .hasMessageContaining("forged.sst")
        .hasMessageContaining(named);
  }
}
