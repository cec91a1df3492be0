/**
 * RocksDB's block-based table format ("SST"), read and written in pure Java, and what goes with it:
 * merging several files into the rows they mean, and making a RocksDB directory of a bag of files.
 *
 * <p>Rows pass as byte ranges ({@link io.reshard.spi.ByteView}), never as objects of their own.
 */
@NullMarked
package io.reshard.sst;

import org.jspecify.annotations.NullMarked;
