/** Tests of the SST format, most of them against RocksDB itself. */
@NullMarked
package io.reshard.sst;

import org.jspecify.annotations.NullMarked;
