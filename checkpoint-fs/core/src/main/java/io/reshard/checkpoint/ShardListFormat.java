package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The file list of one shard in JSON. Its hash is in the {@link ShardRef} that names it, so it has
 * no envelope. Files stand in one fixed order, so the same set of files is the same bytes, and a
 * shard that has not changed is recognized by the hash of its list.
 */
final class ShardListFormat {
  private static final String FORMAT = "reshard-shard";
  private static final int VERSION = 1;

  /** No file takes less in a list. */
  private static final int MIN_FILE_BYTES = 300;

  private ShardListFormat() {}

  /** Writes a list, with a line feed behind it. */
  static void write(List<FileRef> files, OutputStream out) {
    JsonOutput.write(
        out,
        json -> {
          FileRefFormat format = new FileRefFormat();
          JsonOutput.format(json, FORMAT, VERSION);
          json.writeArrayFieldStart("files");
          for (FileRef file : inOrder(files)) {
            format.write(json, file);
          }
          json.writeEndArray();
          json.writeEndObject();
          json.writeRaw('\n');
        });
  }

  /** Files in the order of lists; {@code files} itself where they are. */
  static List<FileRef> inOrder(List<FileRef> files) {
    FileRef last = null;
    for (FileRef file : files) {
      if (last != null && FileRef.LIST_ORDER.compare(last, file) > 0) {
        List<FileRef> ordered = new ArrayList<>(files);
        ordered.sort(FileRef.LIST_ORDER);
        return ordered;
      }
      last = file;
    }
    return files;
  }

  /**
   * Reads a list and compares it with what the manifest says of it.
   *
   * @param bytes hold the list at {@code offset}
   * @throws StateStoreException CORRUPT, INCOMPATIBLE
   */
  static List<FileRef> read(ShardRef ref, byte[] bytes, int offset) {
    String sha256 = Sha256.of(bytes, offset, ref.length());
    if (!sha256.equals(ref.sha256())) {
      throw StateStoreException.corrupt(
          "object '"
              + ref.object()
              + "' at offset "
              + ref.offset()
              + ": the shard's file list of "
              + ref.length()
              + " bytes has SHA-256 "
              + sha256
              + ", expected "
              + ref.sha256()
              + "; it is damaged. Restore it from a copy, or use another version");
    }
    JsonInput json = JsonInput.ofList(ref.object(), ref.offset(), bytes, offset, ref.length());
    List<FileRef> files = json.read(() -> readFiles(ref, json));
    ShardRef sums = sums(ref, files);
    if (!sums.equals(ref)) {
      throw StateStoreException.corrupt(
          "object '"
              + ref.object()
              + "' at offset "
              + ref.offset()
              + ": the shard's file list adds up to "
              + sums.differences(ref)
              + "; the manifest and its lists do not belong together. Restore them from a copy, or"
              + " use another version");
    }
    return List.copyOf(files);
  }

  private static List<FileRef> readFiles(ShardRef ref, JsonInput json) {
    // Not more than the list has bytes for, whatever the manifest says.
    List<FileRef> files = new ArrayList<>(Math.min(ref.files(), ref.length() / MIN_FILE_BYTES));
    FileRefFormat format = new FileRefFormat();
    boolean[] found = new boolean[1];
    json.formatted(
        FORMAT,
        VERSION,
        field -> {
          if (!field.equals("files")) {
            throw json.unknown(field);
          }
          if (found[0]) {
            throw json.corrupt("field 'files' is there twice");
          }
          found[0] = true;
          json.array(ref.files(), () -> files.add(format.read(json)));
        });
    return files;
  }

  /** {@code ref} with the sums over {@code files} in place of its own. */
  private static ShardRef sums(ShardRef ref, List<FileRef> files) {
    return of(ref.object(), ref.offset(), ref.length(), ref.sha256(), files);
  }

  /** A reference to a list of these files. */
  static ShardRef of(String object, int offset, int length, String sha256, List<FileRef> files) {
    long bytes = 0;
    long deletions = 0;
    SetDigest digest = new SetDigest();
    for (FileRef file : files) {
      bytes += file.length(); // Cannot overflow: see the bounds in FileRef.
      deletions += file.deletions();
      file.addDigestTo(digest);
    }
    return new ShardRef(object, offset, length, sha256, files.size(), bytes, deletions, digest);
  }
}
