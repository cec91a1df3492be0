package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the file lists of a version that are new; the others are its parent's.
 *
 * <p>New lists lie one behind another in one object, and in a further one after every {@link
 * #OBJECT_BYTES} or so: enough that requests do not count, little enough to be made in memory, by
 * several threads at once. Which list comes into which object follows from the numbers of files
 * alone, so the same version is the same objects.
 */
final class ShardListWriter {
  /** About how many bytes of lists an object gets. */
  static final int OBJECT_BYTES = 16 << 20;

  /** About how many bytes a file takes in a list; only to deal out lists to objects. */
  private static final int FILE_BYTES = 480;

  private static final int THREADS = Math.min(4, Runtime.getRuntime().availableProcessors());

  private final StoreUpload upload;
  private final List<List<FileRef>> shards;
  private final Map<String, ShardRef> known = new HashMap<>();
  private final @Nullable ShardRef[] refs;

  /**
   * @param shards the files of every shard, in the order of lists
   */
  ShardListWriter(StoreUpload upload, List<List<FileRef>> shards) {
    this.upload = upload;
    this.shards = shards;
    this.refs = new ShardRef[shards.size()];
    upload.parent().shards().forEach(shard -> known.put(shard.sha256(), shard));
  }

  /** Says that a shard's list is one that exists. */
  void same(int shard, ShardRef ref) {
    refs[shard] = ref;
  }

  /** Writes what is new; returns the references to all lists. */
  List<ShardRef> write() {
    List<int[]> objects = objects();
    Parallel.forEach(THREADS, objects.size(), i -> write(objects.get(i)));
    List<ShardRef> written = new ArrayList<>();
    for (ShardRef ref : refs) {
      written.add(java.util.Objects.requireNonNull(ref));
    }
    return Collections.unmodifiableList(written);
  }

  /** Shards dealt out to objects: the first of each, and the one after the last. */
  private List<int[]> objects() {
    List<int[]> objects = new ArrayList<>();
    int first = 0;
    long bytes = 0;
    for (int shard = 0; shard < shards.size(); shard++) {
      long list = (long) shards.get(shard).size() * FILE_BYTES;
      if (bytes > 0 && bytes + list > OBJECT_BYTES) {
        objects.add(new int[] {first, shard});
        first = shard;
        bytes = 0;
      }
      bytes += list;
    }
    objects.add(new int[] {first, shards.size()});
    return objects;
  }

  private void write(int[] range) {
    Lists lists = new Lists();
    int[] ends = new int[range[1] - range[0]];
    String[] hashes = new String[ends.length];
    for (int shard = range[0]; shard < range[1]; shard++) {
      int start = lists.size();
      int i = shard - range[0];
      if (shards.get(shard).isEmpty()) {
        refs[shard] = ShardRef.empty();
      } else if (refs[shard] == null) {
        hashes[i] = append(shard, lists);
        ShardRef same = known.get(hashes[i]);
        if (same != null) {
          refs[shard] = same;
          lists.truncate(start);
        }
      }
      ends[i] = lists.size();
    }
    if (lists.size() == 0) {
      return;
    }
    String object = upload.createLists(lists.toByteArray());
    for (int i = 0; i < ends.length; i++) {
      int start = i == 0 ? 0 : ends[i - 1];
      if (ends[i] > start) {
        int shard = range[0] + i;
        refs[shard] =
            ShardListFormat.of(object, start, ends[i] - start, hashes[i], shards.get(shard));
      }
    }
  }

  /** Returns the hash of a list. */
  private String append(int shard, Lists lists) {
    int start = lists.size();
    try {
      ShardListFormat.write(shards.get(shard), lists);
    } catch (TooLargeException e) {
      throw StateStoreException.invalid(
          "the list of the "
              + shards.get(shard).size()
              + " files of shard "
              + shard
              + ", or with those of its neighbours, takes more than "
              + Envelope.MAX_BYTES
              + " bytes; compact the shard, so that it has fewer files");
    }
    return lists.sha256(start);
  }

  private static final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Lists in memory. */
  private static final class Lists extends ByteArrayOutputStream {
    Lists() {
      super(1 << 16);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
      if (length > Envelope.MAX_BYTES - count) {
        throw new TooLargeException();
      }
      super.write(bytes, offset, length);
    }

    synchronized void truncate(int length) {
      count = length;
    }

    synchronized String sha256(int start) {
      return Sha256.of(buf, start, count - start);
    }
  }
}
