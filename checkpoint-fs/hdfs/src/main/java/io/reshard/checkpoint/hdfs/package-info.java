/**
 * Snapshots on HDFS, and with a warning on other file systems of Hadoop. Put this module and
 * Hadoop's client on the class path, and {@link io.reshard.checkpoint.ObjectStores#open(String)}
 * opens {@code hdfs://host:port/path}.
 */
@NullMarked
package io.reshard.checkpoint.hdfs;

import org.jspecify.annotations.NullMarked;
