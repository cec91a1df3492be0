package io.reshard.tck;

/**
 * A part of the kit: an interface whose default methods are the tests, so that a backend's one test
 * class has them all as methods of its own, to be run and reported one by one.
 *
 * <p>A test is named {@code required_S101_what_it_says}, or {@code
 * optional_S311_what_it_says_REVERSE_SCAN} where it is about a declared capability. The rule is in
 * {@code docs/spi-rules.md}.
 */
interface Suite {
  /** What the running test works with. */
  Fixture fixture();
}
