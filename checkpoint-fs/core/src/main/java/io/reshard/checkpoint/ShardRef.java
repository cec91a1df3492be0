package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a manifest says of one shard: where its file list is, and the sums over its files.
 * Immutable.
 *
 * @param object object that holds the list (several lists lie in one object), empty for a shard
 *     without files
 * @param offset where the list starts in the object
 * @param length its length in bytes
 * @param sha256 SHA-256 of the list's bytes, or empty
 * @param files number of files
 * @param bytes bytes of all files
 * @param deletions entries that are not puts
 * @param digest sum of the files' digests; its count is the number of entries
 */
public record ShardRef(
    String object,
    int offset,
    int length,
    String sha256,
    int files,
    long bytes,
    long deletions,
    SetDigest digest) {
  /** Most files a shard may have. */
  static final int MAX_FILES = 1_000_000;

  /** Bytes and entries of a shard: so many that sums over a whole store cannot overflow. */
  static final long MAX_BYTES = 1L << 46;

  private static final ShardRef EMPTY = new ShardRef("", 0, 0, "", 0, 0, 0, new SetDigest());

  /** Checks every part; what was read from bytes went through here. */
  public ShardRef {
    boolean valid =
        files == 0
            ? object.isEmpty()
                && offset == 0
                && length == 0
                && sha256.isEmpty()
                && bytes == 0
                && deletions == 0
                && digest.equals(new SetDigest())
            : ObjectNames.isValid(object)
                && offset >= 0
                && length > 0
                && (long) offset + length <= Envelope.MAX_BYTES
                && Sha256.isHex(sha256)
                && files > 0
                && files <= MAX_FILES
                && bytes > 0
                && bytes <= MAX_BYTES
                && digest.count() <= MAX_BYTES
                && deletions >= 0
                && deletions <= digest.count();
    if (!valid) {
      throw StateStoreException.invalid(
          "a reference to a shard's file list is not consistent: object '"
              + object
              + "', offset "
              + offset
              + ", length "
              + length
              + ", files "
              + files
              + ", bytes "
              + bytes
              + ", deletions "
              + deletions
              + ", digest "
              + digest);
    }
  }

  /** What it says otherwise than {@code other}, of the same list: for a message. */
  String differences(ShardRef other) {
    List<String> differences = new ArrayList<>();
    differ(differences, "files", files, other.files);
    differ(differences, "bytes", bytes, other.bytes);
    differ(differences, "deletions", deletions, other.deletions);
    differ(differences, "digest", digest, other.digest);
    return String.join("; ", differences);
  }

  private static void differ(List<String> differences, String what, Object found, Object said) {
    if (!found.equals(said)) {
      differences.add(what + " " + found + ", the manifest says " + said);
    }
  }

  /** A shard without files. */
  static ShardRef empty() {
    return EMPTY;
  }
}
