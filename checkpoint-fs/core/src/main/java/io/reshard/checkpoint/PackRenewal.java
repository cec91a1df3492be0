package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Keeps packs from wasting space. A pack lives as long as one of its members, and members die one
 * by one. When a commit finds a pack less than half of which it names, it sends the living members
 * again, in a new pack; the old one goes with the last version that names it. So the packs a store
 * needs are at most about twice as large as what lives in them.
 *
 * <p>A commit renews at most {@link #BUDGET} bytes, so that it never takes much longer for it; the
 * next one goes on. One instance for each keyed store; used by one thread.
 */
final class PackRenewal {
  /** Bytes a commit renews at most. */
  private static final long BUDGET = StoreUpload.PACK_BYTES;

  private final ObjectStore objects;
  private final Map<String, Long> sizes = new HashMap<>();

  PackRenewal(ObjectStore objects) {
    this.objects = objects;
  }

  /** A file of a shard, and where its handle stands. */
  private record Member(int shard, int position, FileRef file) {}

  /** A handle that takes the place of a file's. */
  record Renewed(int shard, FileHandle handle) {}

  /**
   * Renews members of packs in {@code files}, replacing their handles there.
   *
   * @param files files of every shard, which the upload has flushed
   */
  List<Renewed> renew(List<List<FileHandle>> files, StoreUpload upload) {
    Map<String, List<Member>> packs = packs(files, upload);
    forgetAllBut(packs);
    List<Renewed> renewed = new ArrayList<>();
    long budget = BUDGET;
    for (Map.Entry<String, List<Member>> pack : packs.entrySet()) {
      long living = pack.getValue().stream().mapToLong(m -> m.file.length()).sum();
      if (living <= budget && 2 * living < size(pack.getKey())) {
        budget -= living;
        for (Member member : pack.getValue()) {
          renewed.add(renew(files, member, upload));
        }
      }
    }
    return renewed;
  }

  /** Members of packs that were there before this upload, by pack. */
  private static Map<String, List<Member>> packs(List<List<FileHandle>> files, StoreUpload upload) {
    Map<String, List<Member>> packs = new TreeMap<>();
    for (int shard = 0; shard < files.size(); shard++) {
      for (int i = 0; i < files.get(shard).size(); i++) {
        FileRef file = files.get(shard).get(i).ref();
        if (StoreNames.isPack(file.object()) && !upload.created().contains(file.object())) {
          packs
              .computeIfAbsent(file.object(), name -> new ArrayList<>())
              .add(new Member(shard, i, file));
        }
      }
    }
    return packs;
  }

  private void forgetAllBut(Map<String, List<Member>> packs) {
    sizes.keySet().retainAll(packs.keySet());
  }

  private long size(String pack) {
    return sizes.computeIfAbsent(
        pack,
        name -> {
          ObjectInfo info = objects.info(name);
          if (info == null) {
            throw StateStoreException.corrupt(
                "object '"
                    + name
                    + "', which the newest version names, is missing in "
                    + objects.location()
                    + "; restore it from a copy, or roll back");
          }
          return info.size();
        });
  }

  private static Renewed renew(List<List<FileHandle>> files, Member member, StoreUpload upload) {
    FileHandle handle = upload.addAgain(member.file);
    List<FileHandle> shard = new ArrayList<>(files.get(member.shard));
    shard.set(member.position, handle);
    files.set(member.shard, shard);
    return new Renewed(member.shard, handle);
  }
}
