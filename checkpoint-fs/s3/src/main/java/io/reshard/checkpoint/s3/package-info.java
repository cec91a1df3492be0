/**
 * Snapshots on S3 and on whatever speaks its protocol. Put this module on the class path, and
 * {@link io.reshard.checkpoint.ObjectStores#open(String)} opens {@code s3://bucket/prefix}.
 */
@NullMarked
package io.reshard.checkpoint.s3;

import org.jspecify.annotations.NullMarked;
