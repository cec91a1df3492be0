/** What every harness shares, also those that have Spark's or Flink's class path: JDK only. */
@NullMarked
package io.reshard.benchmarks.shared;

import org.jspecify.annotations.NullMarked;
