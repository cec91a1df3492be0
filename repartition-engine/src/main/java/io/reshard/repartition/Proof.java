package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.SetDigest;
import io.reshard.repartition.Work.SourceShard;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.EntryCursor;
import java.util.List;

/** What the proofs of a repartition have in common, and what is said where one fails. */
final class Proof {
  private Proof() {}

  /** Sum of the digests of files that were read back. */
  static SetDigest sum(List<FileHandle> files) {
    SetDigest sum = new SetDigest();
    files.forEach(file -> sum.add(file.digest()));
    return sum;
  }

  /** Sum of what the manifest says of files. */
  static SetDigest claimed(List<FileRef> files) {
    SetDigest sum = new SetDigest();
    files.forEach(file -> sum.add(file.digest()));
    return sum;
  }

  /**
   * The error where sources and what was made of them differ. The sources are read once more, to
   * tell a damaged source from a fault on the way.
   *
   * @param found digest of what was made of them
   */
  static StateStoreException failed(
      CheckpointStore store,
      String columnFamily,
      int keyPrefix,
      List<SourceShard> sources,
      SetDigest found) {
    SetDigest all = new SetDigest();
    for (SourceShard source : sources) {
      SetDigest claimed = claimed(source.files());
      SetDigest read = read(store, columnFamily, keyPrefix, source.files());
      if (!read.equals(claimed)) {
        return StateStoreException.corrupt(
            "proof failed: column family '"
                + columnFamily
                + "' of source shard "
                + source.shard()
                + " holds entries of digest "
                + read
                + "; its file list says "
                + claimed
                + "; nothing is published, verify the store and repartition from a version that is"
                + " sound");
      }
      all.add(claimed);
    }
    return StateStoreException.internal(
        "proof failed: column family '"
            + columnFamily
            + "' of source shard "
            + sources.get(0).shard()
            + (sources.size() > 1 ? " and " + (sources.size() - 1) + " more" : "")
            + " holds entries of digest "
            + all
            + ", what was made of them has "
            + found
            + "; nothing is published, report this as a fault of Reshard",
        null);
  }

  private static SetDigest read(
      CheckpointStore store, String columnFamily, int keyPrefix, List<FileRef> files) {
    SetDigest digest = new SetDigest();
    try (EntryCursor entries = store.entries(files, columnFamily)) {
      while (entries.next()) {
        digest.add(columnFamily, entries.type(), entries.key(), keyPrefix, entries.value());
      }
    }
    return digest;
  }
}
