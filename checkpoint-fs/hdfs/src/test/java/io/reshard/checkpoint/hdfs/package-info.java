/** Tests of snapshots on HDFS, and the cluster they run against. */
@NullUnmarked
package io.reshard.checkpoint.hdfs;

import org.jspecify.annotations.NullUnmarked;
