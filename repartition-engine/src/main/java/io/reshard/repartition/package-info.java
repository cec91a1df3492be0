/**
 * The repartition engine: plan, stream, rehash, write, prove, publish. {@link
 * io.reshard.repartition.Repartitioner} is the way in.
 */
@NullMarked
package io.reshard.repartition;

import org.jspecify.annotations.NullMarked;
