/**
 * The memory backend: a sorted byte map on the heap for each column family, with versions by
 * freezing it. The reference for what the SPI means; state ends with the process unless a snapshot
 * is exported.
 */
@NullMarked
package io.reshard.memory;

import org.jspecify.annotations.NullMarked;
