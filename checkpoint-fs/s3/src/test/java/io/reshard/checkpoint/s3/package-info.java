/** Tests of snapshots on S3, and the server they run against. */
@NullUnmarked
package io.reshard.checkpoint.s3;

import org.jspecify.annotations.NullUnmarked;
