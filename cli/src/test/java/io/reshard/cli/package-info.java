/** Tests of the command. */
@NullMarked
package io.reshard.cli;

import org.jspecify.annotations.NullMarked;
