/**
 * The conformance kit of the StateStore SPI. A backend's author extends {@link
 * io.reshard.tck.StateStoreTck} in a test class of about ten lines.
 */
@NullMarked
package io.reshard.tck;

import org.jspecify.annotations.NullMarked;
