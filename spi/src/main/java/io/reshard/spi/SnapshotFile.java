package io.reshard.spi;

import java.nio.file.Path;

/**
 * An SST file (RocksDB's block-based table format) of a snapshot, on local disk.
 *
 * <p>Rows of a shard are what all its files say together: of several entries of a key the one with
 * the highest sequence number counts.
 *
 * @param id S-234: the file's name for life: the same id always means the same bytes. A file that
 *     came in by {@link SnapshotReader#files} and is still in use goes out under the id it came
 *     with
 * @param columnFamily the column family it belongs to
 * @param path where it lies; whoever receives it may link or copy it, never change it
 * @param size its length in bytes
 * @param level LSM level: files of a level above 0 share at most a boundary key; level 0 files may
 *     overlap
 * @param smallestKey least user key of an entry
 * @param largestKey greatest user key of an entry
 * @param smallestSequence least sequence number of an entry
 * @param largestSequence greatest sequence number of an entry
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, not compared.
public record SnapshotFile(
    String id,
    String columnFamily,
    Path path,
    long size,
    int level,
    byte[] smallestKey,
    byte[] largestKey,
    long smallestSequence,
    long largestSequence) {}
