/**
 * The StateStore SPI: what a backend implements, and the values that cross the line.
 *
 * <p>A backend keeps <em>one sorted byte map with column families per shard</em>. Sharding,
 * hashing, slots, manifests, object stores and repartitioning are not its business. The pieces:
 *
 * <ul>
 *   <li>{@link io.reshard.spi.StateStoreProvider}: found by {@link java.util.ServiceLoader}; says
 *       its name, SPI version and capabilities, and starts a
 *   <li>{@link io.reshard.spi.Backend}: what all shards of a process share (caches, memory budget,
 *       threads); it opens
 *   <li>{@link io.reshard.spi.ShardStore}: the keyed state of one shard.
 * </ul>
 *
 * <p>The javadoc is the contract. Rules carry an id ({@code S-101}) that the conformance kit cites;
 * {@code docs/spi-rules.md} lists them all. This package depends on the JDK and JSpecify only.
 */
@NullMarked
package io.reshard.spi;

import org.jspecify.annotations.NullMarked;
