package io.reshard.checkpoint;

/**
 * What a manifest says of one shard: where its file list is, and the sums over its files.
 * Immutable.
 *
 * @param object object that holds the list (several lists lie in one object), empty for a shard
 *     without files
 * @param offset where the list starts in the object
 * @param length its length in bytes
 * @param sha256 SHA-256 of the list's bytes, or empty
 * @param files number of files
 * @param bytes bytes of all files
 * @param deletions entries that are not puts
 * @param digest sum of the files' digests; its count is the number of entries
 */
public record ShardRef(
    String object,
    int offset,
    int length,
    String sha256,
    int files,
    long bytes,
    long deletions,
    SetDigest digest) {}
