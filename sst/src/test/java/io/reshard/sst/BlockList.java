package io.reshard.sst;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The blocks of a sound file, for those who want to harm them or to know what they use. */
final class BlockList {
  /** What a block is for. */
  enum Use {
    METAINDEX("metaindex block"),
    META("meta block"),
    INDEX("index block"),
    DATA("data block");

    final String name;

    Use(String name) {
      this.name = name;
    }
  }

  /**
   * A block.
   *
   * @param name that of a meta block, else empty
   */
  record Block(Use use, String name, int offset, int size) {}

  final Footer footer;
  final List<Block> blocks = new ArrayList<>();
  boolean partitioned;

  /** Lists the blocks of a file, those with sequence numbers of an ingestion as well. */
  BlockList(byte[] file) {
    SstSource source = SstSource.ofBytes("listed", file);
    this.footer = Footer.read(source);
    add(Use.METAINDEX, "", footer.metaindex());
    try (BlockFetcher fetcher = new BlockFetcher(source, footer)) {
      fetcher.fetch(footer.metaindex().offset(), footer.metaindex().size(), "m", 1 << 24);
      Map<String, byte[]> names =
          MetaBlock.read("listed", 0, fetcher.array(), fetcher.start(), fetcher.limit());
      names.forEach(
          (name, value) ->
              add(
                  name.equals(PropertyNames.INDEX_BLOCK) ? Use.INDEX : Use.META,
                  name,
                  new ByteInput("listed", 0, value, 0, value.length).handle(name)));
    }
    BlockHandle index = footer.index();
    if (index != null) {
      add(Use.INDEX, "", index);
    }
    SstReader reader = SstReader.open(source);
    partitioned = reader.isPartitioned();
    IndexIterator upper = reader.index();
    while (upper.next()) {
      if (!partitioned) {
        add(Use.DATA, "", new BlockHandle(upper.offset(), upper.size()));
        continue;
      }
      add(Use.INDEX, "", new BlockHandle(upper.offset(), upper.size()));
      IndexIterator lower = reader.partition(upper);
      while (lower.next()) {
        add(Use.DATA, "", new BlockHandle(lower.offset(), lower.size()));
      }
    }
    reader.close();
  }

  private void add(Use use, String name, BlockHandle handle) {
    blocks.add(new Block(use, name, (int) handle.offset(), (int) handle.size()));
  }

  /** What a file uses, in words. */
  static Set<String> features(byte[] file) {
    BlockList list = new BlockList(file);
    Set<String> features = new TreeSet<>();
    if (list.partitioned) {
      features.add("partitioned index");
    }
    SstSource source = SstSource.ofBytes("listed", file);
    int end = 0;
    for (Block block : list.blocks) {
      int type = file[block.offset + block.size] & 0xff;
      features.add(PropertyReader.compressionName(type) + " in " + block.use.name);
      if (!block.name.isEmpty()) {
        features.add(block.name);
      }
      if (block.name.equals(PropertyNames.COMPRESSION_DICTIONARY_BLOCK)) {
        features.add("dictionary");
      }
      if (block.use == Use.DATA) {
        if (end > 0 && block.offset > end) {
          features.add("gap between data blocks");
        }
        end = block.offset + block.size + BlockHandle.TRAILER;
      }
      if (type == 0 && (block.use == Use.DATA || block.use == Use.INDEX)) {
        int word = Bytes.getInt(file, block.offset + block.size - 4);
        features.addAll(bits(word, block.use.name));
      }
    }
    source.close();
    return features;
  }

  private static List<String> bits(int word, String name) {
    List<String> bits = new ArrayList<>();
    boolean hash = (word & 1 << 31) != 0;
    boolean apart = (word & 1 << 28) != 0;
    if (hash) {
      bits.add("hash index in " + name);
    }
    if (apart) {
      bits.add("values apart in " + name);
    }
    if (hash && apart) {
      bits.add("hash index and values apart in " + name);
    }
    if ((word & 1 << 29) != 0) {
      bits.add("hint in " + name);
    }
    return bits;
  }
}
