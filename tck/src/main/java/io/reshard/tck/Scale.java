package io.reshard.tck;

import java.util.Locale;

/** How much the kit does; set with {@code -Dreshard.tck.scale=large}. */
enum Scale {
  /** Every rule, in about a minute. */
  DEFAULT,
  /** The same, and the round trip of a million rows. */
  LARGE;

  /** The property that chooses it. */
  static final String PROPERTY = "reshard.tck.scale";

  static Scale ofProperty() {
    String name = System.getProperty(PROPERTY, "default");
    for (Scale scale : values()) {
      if (scale.name().toLowerCase(Locale.ROOT).equals(name)) {
        return scale;
      }
    }
    throw new IllegalArgumentException(
        "-D" + PROPERTY + "=" + name + "; give 'default' or 'large'");
  }
}
