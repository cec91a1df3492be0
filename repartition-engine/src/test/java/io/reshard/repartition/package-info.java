/** Tests of the repartition engine. */
@NullMarked
package io.reshard.repartition;

import org.jspecify.annotations.NullMarked;
