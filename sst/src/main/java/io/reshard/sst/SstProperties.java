package io.reshard.sst;

/**
 * What a file says about itself.
 *
 * @param formatVersion format version of the footer
 * @param compression name as RocksDB writes it, such as "LZ4" or "NoCompression"
 * @param comparator name of the comparator
 * @param columnFamily name of the column family it was written for, or empty
 * @param entries number of entries, deletes and range deletes included
 * @param deletions number of delete, single-delete and range-delete entries
 * @param mergeOperands number of merge entries
 * @param rangeDeletions number of range deletes
 * @param mergeOperator name of the merge operator, "nullptr" or empty if there is none
 * @param rawKeyBytes bytes of all internal keys
 * @param rawValueBytes bytes of all values
 * @param dataBytes bytes of all data blocks as stored
 */
public record SstProperties(
    int formatVersion,
    String compression,
    String comparator,
    String columnFamily,
    long entries,
    long deletions,
    long mergeOperands,
    long rangeDeletions,
    String mergeOperator,
    long rawKeyBytes,
    long rawValueBytes,
    long dataBytes) {}
