package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The file list of one shard in JSON. Its hash is in the {@link ShardRef} that names it, so it has
 * no envelope. Files stand in one fixed order, so the same set of files is the same bytes, and a
 * shard that has not changed is recognized by the hash of its list.
 */
final class ShardListFormat {
  private static final String FORMAT = "reshard-shard";
  private static final int VERSION = 1;

  private static final Comparator<FileRef> ORDER =
      Comparator.comparing(FileRef::columnFamily)
          .thenComparingInt(FileRef::level)
          .thenComparing(FileRef::smallestKey, Arrays::compareUnsigned)
          .thenComparingLong(FileRef::smallestSequence)
          .thenComparing(FileRef::sha256)
          .thenComparing(FileRef::object)
          .thenComparingLong(FileRef::offset);

  private ShardListFormat() {}

  static byte[] write(List<FileRef> files) {
    List<FileRef> ordered = new ArrayList<>(files);
    ordered.sort(ORDER);
    byte[] line =
        JsonOutput.bytes(
            json -> {
              JsonOutput.format(json, FORMAT, VERSION);
              json.writeArrayFieldStart("files");
              for (FileRef file : ordered) {
                FileRefFormat.write(json, file);
              }
              json.writeEndArray();
              json.writeEndObject();
            });
    byte[] list = Arrays.copyOf(line, line.length + 1);
    list[line.length] = '\n';
    return list;
  }

  /**
   * Reads a list and compares it with what the manifest says of it.
   *
   * @throws StateStoreException CORRUPT, INCOMPATIBLE
   */
  static List<FileRef> read(ShardRef ref, byte[] bytes) {
    String sha256 = Sha256.of(bytes, 0, bytes.length);
    if (!sha256.equals(ref.sha256())) {
      throw StateStoreException.corrupt(
          "object '"
              + ref.object()
              + "' at offset "
              + ref.offset()
              + ": the shard's file list of "
              + bytes.length
              + " bytes has SHA-256 "
              + sha256
              + ", expected "
              + ref.sha256()
              + "; it is damaged. Restore it from a copy, or use another version");
    }
    JsonInput json = new JsonInput(ref.object(), bytes, 0, bytes.length);
    List<FileRef> files = new ArrayList<>();
    json.read(
        () -> {
          json.formatted(
              FORMAT,
              VERSION,
              field -> {
                if (!field.equals("files")) {
                  throw json.unknown(field);
                }
                json.array(ref.files(), () -> files.add(FileRefFormat.read(json)));
              });
          return files;
        });
    ShardRef sums = sums(ref, files);
    if (!sums.equals(ref)) {
      throw StateStoreException.corrupt(
          "object '"
              + ref.object()
              + "' at offset "
              + ref.offset()
              + ": the shard's file list adds up to "
              + sums
              + ", its manifest says "
              + ref);
    }
    return List.copyOf(files);
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
      digest.add(file.digest());
    }
    return new ShardRef(object, offset, length, sha256, files.size(), bytes, deletions, digest);
  }
}
