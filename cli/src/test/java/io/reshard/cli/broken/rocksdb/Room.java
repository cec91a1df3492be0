package io.reshard.cli.broken.rocksdb;

/** Breaks the rules of its floor: uses what is above it, and a foreign library. */
public final class Room {
  private Room() {}

  /** Looks where it must not. */
  public static String look() {
    return io.reshard.cli.broken.cli.Room.look()
        + io.reshard.cli.broken.foreign.Library.NAME.length();
  }
}
