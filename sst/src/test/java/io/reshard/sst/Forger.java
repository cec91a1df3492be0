package io.reshard.sst;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Puts a file together by random: how its blocks are cut, coded and found, and mostly with one lie
 * in its structure. All checksums are right.
 */
final class Forger {
  /** What is not as it should be. */
  enum Lie {
    NONE,
    ENTRIES_SWAPPED,
    ENTRY_TWICE,
    ENTRY_LEFT_OUT,
    LENGTHS,
    RESTARTS,
    TAIL,
    VALUE_OFFSETS,
    HANDLE,
    HANDLE_TWICE,
    SEPARATORS,
    LOOP,
    BOMB,
    PROPERTY,
    META_HANDLE
  }

  private static final String[] NUMBERS = {
    "rocksdb.num.entries",
    "rocksdb.index.key.is.user.key",
    "rocksdb.index.value.is.delta.encoded",
    "rocksdb.num.range-deletions",
    "rocksdb.raw.key.size",
    "rocksdb.raw.value.size",
    "rocksdb.udi.is.primary.index",
    "rocksdb.user.defined.timestamps.persisted"
  };

  private final Random random;
  private final Forge forge = new Forge();
  private final Lie lie;
  private final boolean apart;
  private final boolean partitioned;
  private final boolean deltas;
  private final int compression;
  private final int restartInterval;
  private final List<byte[]> indexEntries = new ArrayList<>();
  private final List<String> separators = new ArrayList<>();
  private final List<Entry> entries;
  private final byte[] file;

  Forger(Random random, List<Entry> sound) {
    this.random = random;
    this.lie = Fuzzer.any(random, List.of(Lie.values()));
    this.apart = random.nextInt(4) == 0 || lie == Lie.VALUE_OFFSETS;
    this.partitioned = random.nextInt(3) == 0 || lie == Lie.LOOP;
    this.deltas = random.nextBoolean();
    int[] types = {0, 0, 1, 2, 4, 5, 7};
    this.compression = types[random.nextInt(types.length)];
    this.restartInterval = 1 + random.nextInt(16);
    this.entries = new ArrayList<>(sound);
    if (!sound.isEmpty()) {
      lieAboutOrder();
    }
    this.file = build(sound.size());
  }

  byte[] file() {
    return file;
  }

  /** Whether rows other than the sound ones may come out. */
  boolean lies() {
    return lie != Lie.NONE;
  }

  @Override
  public String toString() {
    return lie
        + (apart ? ", values apart" : "")
        + (partitioned ? ", partitioned" : "")
        + (deltas ? ", deltas" : "")
        + ", compression "
        + compression;
  }

  private void lieAboutOrder() {
    int at = random.nextInt(entries.size());
    switch (lie) {
      case ENTRIES_SWAPPED -> {
        Entry other = entries.set(at, entries.get(entries.size() - 1 - at));
        entries.set(entries.size() - 1 - at, other);
      }
      case ENTRY_TWICE -> entries.add(at, entries.get(at));
      case ENTRY_LEFT_OUT -> {
        Entry unused = entries.remove(at);
      }
      default -> {}
    }
  }

  private byte[] build(int count) {
    int blocks = 0;
    for (int from = 0; from < entries.size(); ) {
      int to = Math.min(entries.size(), from + 1 + random.nextInt(30));
      addBlock(from, to, blocks++);
      from = to;
    }
    forge.entries(count);
    forge.properties.put("rocksdb.index.value.is.delta.encoded", Bytes.varint(deltas ? 1 : 0));
    if (partitioned) {
      forge.properties.put("rocksdb.block.based.table.index.type", Forge.ints(2));
      partition();
    } else {
      indexEntries.forEach(forge::rawIndex);
    }
    if (lie == Lie.PROPERTY) {
      String name = NUMBERS[random.nextInt(NUMBERS.length)];
      forge.properties.put(name, Bytes.varint(random.nextLong() >>> random.nextInt(64)));
    }
    if (lie == Lie.META_HANDLE) {
      String[] names = {
        "rocksdb.properties", "rocksdb.compression_dict", "rocksdb.range_del", "anything"
      };
      forge.metaindex.put(names[random.nextInt(names.length)], randomHandle().toBytes());
    }
    forge.indexTail = Forge.ints(0, 1);
    return forge.finish();
  }

  private void addBlock(int from, int to, int number) {
    byte[] content = content(from, to);
    BlockHandle handle =
        lie == Lie.BOMB && random.nextInt(3) == 0
            ? forge.block(bomb(), compression)
            : store(content);
    if (lie == Lie.HANDLE && random.nextInt(3) == 0) {
      handle = randomHandle();
    }
    String separator = entries.get(to - 1).key();
    if (lie == Lie.SEPARATORS && random.nextInt(3) == 0) {
      separator = entries.get(random.nextInt(entries.size())).key();
    }
    byte[] entry = indexEntry(separator, handle);
    addIndexEntry(separator, entry);
    if (lie == Lie.HANDLE_TWICE && number % 2 == 0) {
      addIndexEntry(separator, entry);
    }
  }

  private void addIndexEntry(String separator, byte[] entry) {
    separators.add(separator);
    indexEntries.add(entry);
  }

  private byte[] indexEntry(String separator, BlockHandle handle) {
    byte[] value = handle.toBytes();
    int valueLength = deltas ? -1 : value.length;
    byte[] key = Entry.bytes(separator);
    return Forge.entry(0, key.length, valueLength, key, value);
  }

  private byte[] content(int from, int to) {
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    List<Integer> restarts = new ArrayList<>();
    int keyBytes = 0;
    int valueBytes = 0;
    byte[] previous = new byte[0];
    int liar = from + random.nextInt(to - from);
    for (int i = from; i < to; i++) {
      Entry entry = entries.get(i);
      byte[] key = Forge.internal(entry.key(), entry.sequence(), entry.type().code());
      byte[] value = Entry.bytes(entry.value());
      boolean restart = (i - from) % restartInterval == 0;
      int shared = 0;
      if (restart) {
        restarts.add(keyBytes);
      } else {
        int most = Math.min(previous.length, key.length);
        while (shared < most && previous[shared] == key[shared]) {
          shared++;
        }
      }
      long[] lengths = {shared, key.length - shared, value.length, valueBytes};
      if (i == liar && (lie == Lie.LENGTHS || lie == Lie.VALUE_OFFSETS)) {
        int which = lie == Lie.LENGTHS ? random.nextInt(3) : 3;
        lengths[which] =
            random.nextBoolean()
                ? Math.max(0, lengths[which] + random.nextInt(9) - 4)
                : random.nextLong() >>> random.nextInt(64);
      }
      byte[] coded =
          Forge.concat(
              Bytes.varint(lengths[0]),
              Bytes.varint(lengths[1]),
              Bytes.varint(lengths[2]),
              apart && restart ? Bytes.varint(lengths[3]) : new byte[0],
              Arrays.copyOfRange(key, shared, key.length),
              apart ? new byte[0] : value);
      keys.add(coded);
      values.add(value);
      keyBytes += coded.length;
      valueBytes += value.length;
      previous = key;
    }
    return finish(keys, values, restarts, keyBytes);
  }

  private byte[] finish(
      List<byte[]> keys, List<byte[]> values, List<Integer> restarts, int keyBytes) {
    int[] tail = new int[restarts.size()];
    for (int i = 0; i < tail.length; i++) {
      tail[i] = restarts.get(i);
    }
    if (lie == Lie.RESTARTS) {
      tail[random.nextInt(tail.length)] = random.nextInt() >>> random.nextInt(32);
    }
    int word = tail.length | (apart ? 1 << 28 : 0);
    if (lie == Lie.TAIL) {
      word ^= 1 << random.nextInt(32);
    }
    int valuesAt = keyBytes;
    if (lie == Lie.VALUE_OFFSETS && random.nextInt(3) == 0) {
      valuesAt = random.nextInt() >>> random.nextInt(32);
    }
    return Forge.concat(
        Forge.concat(keys.toArray(new byte[0][])),
        apart ? Forge.concat(values.toArray(new byte[0][])) : new byte[0],
        Forge.ints(tail),
        apart ? Forge.ints(valuesAt, word) : Forge.ints(word));
  }

  private BlockHandle store(byte[] content) {
    for (Compression one : Compression.values()) {
      if (one.code() != compression || one == Compression.NONE) {
        continue;
      }
      byte[] stored = compress(one, content);
      if (stored.length > 0) {
        return forge.block(stored, compression);
      }
    }
    return forge.block(content, 0);
  }

  /** Empty where it does not get smaller. */
  private static byte[] compress(Compression compression, byte[] content) {
    try (Compressor compressor = new Compressor(compression)) {
      byte[] target = new byte[(int) compressor.maxBytes(content.length)];
      int length = compressor.compress(content, content.length, target, 0);
      return Arrays.copyOf(target, Math.max(0, length));
    }
  }

  /** A block that is large when decompressed, or says so. */
  private byte[] bomb() {
    byte[] stored = new byte[0];
    for (Compression one : Compression.values()) {
      if (one.code() == compression && one != Compression.NONE) {
        stored = compress(one, new byte[1 << (10 + random.nextInt(11))]);
      }
    }
    if (stored.length == 0) {
      stored = new byte[64];
    }
    if (random.nextBoolean()) {
      byte[] claim = Bytes.varint(random.nextLong() >>> random.nextInt(64));
      System.arraycopy(claim, 0, stored, 0, Math.min(claim.length, stored.length));
    }
    return stored;
  }

  private BlockHandle randomHandle() {
    return new BlockHandle(
        random.nextLong() >>> (32 + random.nextInt(32)) >>> random.nextInt(20),
        random.nextLong() >>> random.nextInt(64));
  }

  /** Two levels of index, the lower of a few entries each. */
  private void partition() {
    for (int from = 0; from < indexEntries.size(); ) {
      int to = Math.min(indexEntries.size(), from + 1 + random.nextInt(3));
      byte[] block =
          Forge.concat(
              Forge.concat(indexEntries.subList(from, to).toArray(new byte[0][])),
              Forge.ints(0, 1));
      BlockHandle handle = forge.block(block, 0);
      String separator = separators.get(to - 1);
      if (lie == Lie.LOOP && random.nextBoolean()) {
        handle = random.nextBoolean() ? handle : new BlockHandle(0, random.nextInt(1000));
        forge.rawIndex(indexEntry(separator, handle));
      }
      forge.rawIndex(indexEntry(separator, handle));
      from = to;
    }
  }
}
