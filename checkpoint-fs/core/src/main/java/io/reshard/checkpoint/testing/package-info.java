/**
 * Object stores for tests: one in memory, and one that fails as a real one may. For tests of object
 * stores, backends and whatever else is built on checkpoints.
 */
@NullMarked
package io.reshard.checkpoint.testing;

import org.jspecify.annotations.NullMarked;
