@NullMarked
package io.reshard.benchmarks;

import org.jspecify.annotations.NullMarked;
