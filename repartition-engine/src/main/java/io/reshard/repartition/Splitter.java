package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.SetDigest;
import io.reshard.repartition.Work.SplitFile;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Compression;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.SstReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cuts one file of a HASHED column family at the boundaries of the target shards.
 *
 * <p>The file's entries lie in order of slot, then key, and a target shard owns a range of slots:
 * so the entries of one target follow one another, and one pass with one open file cuts it. Entries
 * go over as they are, with sequence number, type and level; deletes and overwritten values too.
 * That is why a file can be cut without a look at the other files of its shard: between two targets
 * nothing that belongs together is parted (all entries of a key have one slot), and within a target
 * what hid a value before, in whichever file, hides it after.
 *
 * <p>Files of several source shards come to lie beside one another in a target. A database made of
 * files of several databases is sound only where none holds a key, or a delete, in the range of
 * another: here none ever does. A file handed over whole has all its keys within its target, which
 * its bounds prove; a file that has not is cut, never clipped in place or narrowed by a note in the
 * manifest. So files of one level above 0 do not overlap, entries of one key all come from one
 * source shard, in whose order of sequence numbers they stay ({@link Levels} says what becomes of
 * level 0), and the highest sequence number of all files is a sound last sequence for whoever
 * writes on.
 */
final class Splitter {
  private final CheckpointStore store;
  private final Layout source;
  private final Layout target;
  private final FileWriters writers;
  private final Meter meter;

  Splitter(CheckpointStore store, Layout source, Layout target, FileWriters writers, Meter meter) {
    this.store = store;
    this.source = source;
    this.target = target;
    this.writers = writers;
    this.meter = meter;
  }

  /** Cuts the file, and proves that the parts hold what it held. */
  void split(SplitFile work, TaskOutput output) {
    FileRef file = work.file();
    Cut cut;
    try (SstReader reader = store.open(file);
        EntryCursor entries = reader.cursor()) {
      cut = new Cut(work, FileWriters.compressionLike(reader.properties().compression()));
      try {
        cut.run(entries);
      } finally {
        cut.close();
      }
    }
    SetDigest written = new SetDigest();
    cut.parts.forEach(part -> written.add(part.digest()));
    if (!written.equals(file.digest())) {
      throw Proof.failed(
          store,
          work.columnFamily().name(),
          Layout.SLOT_BYTES,
          List.of(new Work.SourceShard(work.shard(), List.of(file))),
          written);
    }
    for (Part part : cut.parts) {
      output.add(part.shard(), work.columnFamily().name(), part.files(), part.digest());
      meter.addRows(part.digest().count());
    }
  }

  private record Part(int shard, List<FileHandle> files, SetDigest digest) {}

  private final class Cut {
    private final SplitFile work;
    private final Compression compression;
    private final List<Part> parts = new ArrayList<>();
    private FileWriters.@Nullable Writer writer;
    private int shard = -1;

    Cut(SplitFile work, Compression compression) {
      this.work = work;
      this.compression = compression;
    }

    void run(EntryCursor entries) {
      Meter.Reading reading = meter.reading(work.bytes(), work.entries());
      while (entries.next()) {
        reading.entry(entries.key().length() + entries.value().length());
        writerFor(Slots.of(entries.key()))
            .add(entries.key(), entries.sequence(), entries.type(), entries.value());
      }
      endPart();
      reading.end();
    }

    private FileWriters.Writer writerFor(int slot) {
      int next = target.shardOfSlot(slot);
      FileWriters.Writer current = writer;
      if (current != null && next == shard) {
        return current;
      }
      if (next < shard || source.shardOfSlot(slot) != work.shard()) {
        throw StateStoreException.corrupt(
            "file "
                + work.file().sha256()
                + " of shard "
                + work.shard()
                + " holds a key of slot "
                + slot
                + " out of order or of another shard; verify the store, and repartition from a"
                + " version that is sound");
      }
      endPart();
      shard = next;
      current = writers.open(shard, work.columnFamily(), work.file().level(), compression);
      writer = current;
      return current;
    }

    private void endPart() {
      if (writer != null) {
        List<FileHandle> files = writer.finish();
        close();
        parts.add(new Part(shard, files, Proof.sum(files)));
      }
    }

    void close() {
      if (writer != null) {
        writer.close();
        writer = null;
      }
    }
  }
}
