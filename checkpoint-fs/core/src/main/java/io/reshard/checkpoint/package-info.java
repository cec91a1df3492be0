/**
 * Versioned snapshots of a store: manifests, shard lists and content-addressed files in an {@link
 * io.reshard.checkpoint.ObjectStore}, published by one atomic create-if-absent; and the keyed store
 * that lives on top of them.
 */
@NullMarked
package io.reshard.checkpoint;

import org.jspecify.annotations.NullMarked;
