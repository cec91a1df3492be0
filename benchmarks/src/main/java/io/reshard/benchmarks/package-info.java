/** Reshard beside its rivals: harnesses, and what makes a report of their figures. */
@NullMarked
package io.reshard.benchmarks;

import org.jspecify.annotations.NullMarked;
