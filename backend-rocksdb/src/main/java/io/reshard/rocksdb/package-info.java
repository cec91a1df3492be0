/**
 * The RocksDB backend: one database for each shard, uncommitted writes on the heap until they are
 * committed in one write, snapshots that are the database's own files.
 */
@NullMarked
package io.reshard.rocksdb;

import org.jspecify.annotations.NullMarked;
