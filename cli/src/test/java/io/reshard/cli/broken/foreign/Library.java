package io.reshard.cli.broken.foreign;

/** Stands for a foreign library. */
public final class Library {
  /** Not a constant, so that the use of it is a dependency. */
  public static final String NAME = String.valueOf("library");

  private Library() {}
}
