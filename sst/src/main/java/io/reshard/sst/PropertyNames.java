package io.reshard.sst;

import java.util.List;

/** Names of properties and meta blocks, as RocksDB has them (table/table_properties.cc et al.). */
final class PropertyNames {
  static final String PROPERTIES_BLOCK = "rocksdb.properties";
  static final String INDEX_BLOCK = "rocksdb.index";
  static final String COMPRESSION_DICTIONARY_BLOCK = "rocksdb.compression_dict";
  static final String RANGE_DELETION_BLOCK = "rocksdb.range_del";
  private static final List<String> FILTER_BLOCK_PREFIXES =
      List.of("fullfilter.", "partitionedfilter.", "filter.");
  private static final List<String> HASH_INDEX_BLOCKS =
      List.of("rocksdb.hashindex.prefixes", "rocksdb.hashindex.metadata");
  private static final String OTHER_INDEX_BLOCK_PREFIX = "rocksdb.user_defined_index.";
  static final String BLOOM_FILTER_BLOCK = "fullfilter.rocksdb.BuiltinBloomFilter";

  static final String COMPARATOR = "rocksdb.comparator";
  static final String COMPRESSION = "rocksdb.compression";
  static final String COLUMN_FAMILY_ID = "rocksdb.column.family.id";
  static final String COLUMN_FAMILY_NAME = "rocksdb.column.family.name";
  static final String CREATION_TIME = "rocksdb.creation.time";
  static final String DATA_SIZE = "rocksdb.data.size";
  static final String DELETED_KEYS = "rocksdb.deleted.keys";
  static final String FILTER_POLICY = "rocksdb.filter.policy";
  static final String FILTER_SIZE = "rocksdb.filter.size";
  static final String FIXED_KEY_LENGTH = "rocksdb.fixed.key.length";
  static final String FORMAT_VERSION = "rocksdb.format.version";
  static final String INDEX_KEY_IS_USER_KEY = "rocksdb.index.key.is.user.key";
  static final String INDEX_SIZE = "rocksdb.index.size";
  static final String INDEX_TYPE = "rocksdb.block.based.table.index.type";
  static final String INDEX_VALUE_IS_DELTA_ENCODED = "rocksdb.index.value.is.delta.encoded";
  static final String KEY_LARGEST_SEQUENCE = "rocksdb.key.largest.seqno";
  static final String KEY_SMALLEST_SEQUENCE = "rocksdb.key.smallest.seqno";
  static final String MERGE_OPERANDS = "rocksdb.merge.operands";
  static final String MERGE_OPERATOR = "rocksdb.merge.operator";
  static final String DATA_BLOCKS = "rocksdb.num.data.blocks";
  static final String ENTRIES = "rocksdb.num.entries";
  static final String FILTER_ENTRIES = "rocksdb.num.filter_entries";
  static final String RANGE_DELETIONS = "rocksdb.num.range-deletions";
  static final String OLDEST_KEY_TIME = "rocksdb.oldest.key.time";
  static final String ORIGINAL_FILE_NUMBER = "rocksdb.original.file.number";
  static final String PREFIX_EXTRACTOR = "rocksdb.prefix.extractor.name";
  static final String PREFIX_FILTERING = "rocksdb.block.based.table.prefix.filtering";
  static final String PROPERTY_COLLECTORS = "rocksdb.property.collectors";
  static final String RAW_KEY_SIZE = "rocksdb.raw.key.size";
  static final String RAW_VALUE_SIZE = "rocksdb.raw.value.size";
  static final String SEPARATE_VALUES = "rocksdb.separate.key.value.in.data.block";
  static final String TAIL_START = "rocksdb.tail.start.offset";
  static final String WHOLE_KEY_FILTERING = "rocksdb.block.based.table.whole.key.filtering";
  static final String TIMESTAMPS_PERSISTED = "rocksdb.user.defined.timestamps.persisted";
  static final String EMBEDDED_BLOBS = "rocksdb.embedded.blob.stats";
  static final String OTHER_INDEX_IS_PRIMARY = "rocksdb.udi.is.primary.index";
  static final String EXTERNAL_VERSION = "rocksdb.external_sst_file.version";
  static final String EXTERNAL_SEQUENCE = "rocksdb.external_sst_file.global_seqno";

  static final String BYTEWISE_COMPARATOR = "leveldb.BytewiseComparator";

  /** Name of RocksDB's own compressions, where a file names who compressed it. */
  static final String COMPRESSION_MANAGER = "BuiltinV2";

  static final String BLOOM_FILTER_POLICY = "rocksdb.BuiltinBloomFilter";

  private PropertyNames() {}

  /** Whether a meta block is one that is read, or one that may be passed over without harm. */
  static boolean isKnownBlock(String name) {
    return name.equals(PROPERTIES_BLOCK)
        || name.equals(INDEX_BLOCK)
        || name.equals(COMPRESSION_DICTIONARY_BLOCK)
        || name.equals(RANGE_DELETION_BLOCK)
        || HASH_INDEX_BLOCKS.contains(name)
        || name.startsWith(OTHER_INDEX_BLOCK_PREFIX)
        || FILTER_BLOCK_PREFIXES.stream().anyMatch(name::startsWith);
  }
}
