package io.reshard.repartition;

import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.Upload;
import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Compression;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * One column family of a shard as an LSM tree leaves it, without a database: flushes make files of
 * level 0; compactions take the oldest of those, or a file of another level, and merge them with
 * what they overlap further down; old versions are dropped or kept, deletes vanish at the bottom,
 * and sequence numbers there become 0. Files end where chance has it, so they straddle everything.
 */
final class SimulatedTree {
  private static final int LEVELS = 7;

  private static final Comparator<Version> ORDER =
      Comparator.comparing(Version::key, Arrays::compareUnsigned)
          .thenComparing(Comparator.comparingLong(Version::sequence).reversed());

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Version(byte[] key, long sequence, EntryType type, byte[] value) {}

  private final Random random;
  private final List<Version> memtable = new ArrayList<>();

  /** Level 0 oldest first, the others in order of keys. */
  private final List<List<List<Version>>> levels = new ArrayList<>();

  private long sequence;

  /** A tree whose first write has a sequence number above {@code sequence}. */
  SimulatedTree(Random random, long sequence) {
    this.random = random;
    this.sequence = sequence;
    for (int level = 0; level < LEVELS; level++) {
      levels.add(new ArrayList<>());
    }
  }

  void put(byte[] key, byte[] value) {
    memtable.add(new Version(key, ++sequence, EntryType.PUT, value));
  }

  void delete(byte[] key) {
    memtable.add(new Version(key, ++sequence, EntryType.DELETE, new byte[0]));
  }

  void flush() {
    if (!memtable.isEmpty()) {
      memtable.sort(ORDER);
      levels.get(0).add(List.copyOf(memtable));
      memtable.clear();
    }
  }

  /** Compacts something, if there is something. */
  void compact() {
    int level = random.nextInt(LEVELS - 1);
    List<List<Version>> files = levels.get(level);
    if (files.isEmpty()) {
      return;
    }
    List<List<Version>> inputs = new ArrayList<>();
    if (level == 0) {
      for (int i = 1 + random.nextInt(files.size()); i > 0; i--) {
        inputs.add(files.remove(0));
      }
    } else {
      inputs.add(files.remove(random.nextInt(files.size())));
    }
    int target = level + 1;
    while (target < LEVELS - 1 && overlapping(target, inputs).isEmpty() && random.nextInt(3) > 0) {
      target++;
    }
    List<List<Version>> below = overlapping(target, inputs);
    levels.get(target).removeAll(below);
    inputs.addAll(below);
    boolean bottom = true;
    for (int deeper = target + 1; deeper < LEVELS; deeper++) {
      bottom &= overlapping(deeper, inputs).isEmpty();
    }
    levels.get(target).addAll(cut(merged(inputs, bottom)));
    levels.get(target).sort(Comparator.comparing(file -> file.get(0), ORDER));
  }

  /** The files of a level between the least and the greatest key of some files. */
  private List<List<Version>> overlapping(int level, List<List<Version>> files) {
    byte[] least = files.get(0).get(0).key;
    byte[] greatest = least;
    for (List<Version> file : files) {
      byte[] first = file.get(0).key;
      byte[] last = file.get(file.size() - 1).key;
      least = Arrays.compareUnsigned(first, least) < 0 ? first : least;
      greatest = Arrays.compareUnsigned(last, greatest) > 0 ? last : greatest;
    }
    List<List<Version>> overlapping = new ArrayList<>();
    for (List<Version> file : levels.get(level)) {
      if (Arrays.compareUnsigned(file.get(0).key, greatest) <= 0
          && Arrays.compareUnsigned(least, file.get(file.size() - 1).key) <= 0) {
        overlapping.add(file);
      }
    }
    return overlapping;
  }

  private List<Version> merged(List<List<Version>> files, boolean bottom) {
    List<Version> all = new ArrayList<>();
    files.forEach(all::addAll);
    all.sort(ORDER);
    List<Version> kept = new ArrayList<>();
    for (int i = 0; i < all.size(); ) {
      int end = i + 1;
      while (end < all.size() && Arrays.equals(all.get(i).key, all.get(end).key)) {
        end++;
      }
      if (random.nextInt(3) == 0) {
        kept.addAll(all.subList(i, end));
      } else {
        Version newest = all.get(i);
        boolean settled = bottom && random.nextBoolean();
        if (!settled) {
          kept.add(newest);
        } else if (newest.type == EntryType.PUT) {
          kept.add(new Version(newest.key, 0, EntryType.PUT, newest.value));
        }
      }
      i = end;
    }
    return kept;
  }

  /** Pieces of chance length; a key's versions stay together. */
  private List<List<Version>> cut(List<Version> versions) {
    List<List<Version>> files = new ArrayList<>();
    int most = 1 + random.nextInt(30);
    int start = 0;
    for (int i = 1; i <= versions.size(); i++) {
      boolean newKey =
          i == versions.size() || !Arrays.equals(versions.get(i).key, versions.get(i - 1).key);
      if (newKey && (i - start >= most || i == versions.size())) {
        files.add(List.copyOf(versions.subList(start, i)));
        start = i;
      }
    }
    return files;
  }

  /** Writes every file; none is left in memory. */
  List<FileHandle> upload(Upload upload, String columnFamily, int keyPrefix) {
    flush();
    List<FileHandle> handles = new ArrayList<>();
    for (int level = 0; level < LEVELS; level++) {
      for (List<Version> file : levels.get(level)) {
        Path path = upload.directory().resolve(UUID.randomUUID() + ".sst");
        write(path, columnFamily, file);
        handles.add(upload.add(path, columnFamily, level, keyPrefix));
      }
    }
    return handles;
  }

  private void write(Path path, String columnFamily, List<Version> versions) {
    SstWriterOptions options =
        new SstWriterOptions(
            columnFamily,
            random.nextBoolean() ? Compression.NONE : Compression.LZ4,
            256 << random.nextInt(5),
            16,
            5,
            SstWriterOptions.Checksum.XXH3,
            false);
    try (OutputStream out = Files.newOutputStream(path);
        SstWriter writer = SstWriter.create(path.toString(), out, options)) {
      for (Version version : versions) {
        writer.add(
            new ByteView(version.key), version.sequence, version.type, new ByteView(version.value));
      }
      long unused = writer.finish();
    } catch (IOException e) {
      throw StateStoreException.unavailable("writing " + path, e);
    }
  }
}
