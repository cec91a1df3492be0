package io.reshard.checkpoint;

/**
 * A file of a version that is being made: it exists already, or is on its way in a {@link Upload}.
 */
public interface FileHandle {
  /** The reference; for a file on its way, only after {@link Upload#flush()}. */
  FileRef ref();

  /** Digest of its entries; known at once. */
  SetDigest digest();

  /** Length in bytes; known at once. */
  long length();

  /** A file that exists already. */
  static FileHandle existing(FileRef ref) {
    return ref;
  }
}
