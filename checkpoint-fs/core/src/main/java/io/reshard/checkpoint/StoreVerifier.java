package io.reshard.checkpoint;

import io.reshard.checkpoint.KeyRouter.Family;
import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstReader;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Recomputes from the bytes everything a version claims: length and SHA-256 of every file, block
 * checksums, order, digest and key bounds of every file, sums of every shard, and that every row
 * hashes to the shard it lies in.
 */
public final class StoreVerifier {
  /**
   * One shard as found.
   *
   * @param shard its number
   * @param files number of files
   * @param bytes bytes of its files
   * @param entries digest of the entries as they lie in files
   * @param rows digest of the rows they mean, deletes and overwrites resolved
   */
  public record Shard(int shard, int files, long bytes, SetDigest entries, SetDigest rows) {}

  /**
   * A version as found.
   *
   * @param version the version
   * @param shards its shards
   * @param rows digest of all rows
   */
  public record Report(long version, List<Shard> shards, SetDigest rows) {}

  private final CheckpointStore store;
  private final Manifest manifest;
  private final Map<String, Family> families;

  private StoreVerifier(CheckpointStore store, Manifest manifest) {
    this.store = store;
    this.manifest = manifest;
    this.families = KeyRouter.families(manifest.layout(), manifest.columnFamilies());
  }

  /**
   * Verifies a version, several shards at once.
   *
   * @param threads how many shards at once, at least 1
   * @param progress is told of every shard when it is done, from several threads, one at a time
   * @throws StateStoreException CORRUPT at the first thing that is not as claimed
   */
  public static Report verify(
      CheckpointStore store, Manifest manifest, int threads, Consumer<Shard> progress) {
    if (threads < 1) {
      throw StateStoreException.invalid(threads + " threads; give at least 1");
    }
    StoreVerifier verifier = new StoreVerifier(store, manifest);
    @Nullable Shard[] found = new Shard[manifest.shards().size()];
    Object oneAtATime = new Object();
    Parallel.forEach(
        threads,
        found.length,
        number -> {
          Shard shard = verifier.verifyShard(number);
          found[number] = shard;
          synchronized (oneAtATime) {
            progress.accept(shard);
          }
        });
    SetDigest rows = new SetDigest();
    for (Shard shard : found) {
      rows.add(java.util.Objects.requireNonNull(shard).rows());
    }
    return new Report(manifest.version(), List.of(found), rows);
  }

  private Shard verifyShard(int number) {
    List<FileRef> files = store.files(manifest, number); // Compares the list with the manifest.
    new ShardRules(manifest.layout(), manifest.columnFamilies())
        .check(number, files, StateStoreException.Kind.CORRUPT);
    SetDigest entries = new SetDigest();
    long bytes = 0;
    for (FileRef file : files) {
      entries.add(verifyFile(number, file));
      bytes += file.length();
    }
    SetDigest rows = new SetDigest();
    for (Family family : families.values()) {
      addRows(files, family, rows);
    }
    return new Shard(number, files.size(), bytes, entries, rows);
  }

  private SetDigest verifyFile(int number, FileRef file) {
    store.verifyContent(file);
    Family family = java.util.Objects.requireNonNull(families.get(file.columnFamily()));
    try (SstReader reader = store.open(file)) {
      FileContents contents =
          FileContents.read(
              reader,
              file.object() + "[" + file.offset() + "]",
              file.columnFamily(),
              family.keyPrefix(),
              new Placement(number, file, family));
      if (!contents.matches(file)) {
        throw StateStoreException.corrupt(
            "object '"
                + file.object()
                + "' at offset "
                + file.offset()
                + ": the file holds "
                + contents
                + "; its reference says "
                + file);
      }
      return contents.digest();
    }
  }

  private void addRows(List<FileRef> files, Family family, SetDigest rows) {
    String name = family.columnFamily().name();
    try (StateIterator iterator = Cursors.rows(store.entries(files, name))) {
      while (iterator.next()) {
        rows.add(name, iterator.key(), family.keyPrefix(), iterator.value());
      }
    }
  }

  /** Checks that every key lies where the layout puts it. */
  private final class Placement implements EntryCheck {
    private final int shard;
    private final FileRef file;
    private final Family family;
    private final Layout.Placer placer = manifest.layout().placer();
    private final ByteView key = new ByteView();
    private final ByteView partitionKey = new ByteView();

    Placement(int shard, FileRef file, Family family) {
      this.shard = shard;
      this.file = file;
      this.family = family;
    }

    @Override
    public void check(ByteView stored, EntryType type, ByteView value) {
      int prefix = family.keyPrefix();
      key.set(stored.array(), stored.offset() + prefix, stored.length() - prefix);
      family.extractor().extract(key, partitionKey);
      int hash = placer.hash(partitionKey);
      int expected = manifest.layout().shardOfHash(hash);
      if (expected != shard) {
        throw misplaced("belongs to shard " + expected);
      }
      if (prefix > 0 && hash != ((stored.get(0) & 0xff) << 8 | (stored.get(1) & 0xff))) {
        throw misplaced("is stored under slot 0x" + hex(stored) + ", its slot is " + hash);
      }
    }

    private String hex(ByteView stored) {
      return java.util.HexFormat.of()
          .formatHex(stored.array(), stored.offset(), stored.offset() + Layout.SLOT_BYTES);
    }

    private StateStoreException misplaced(String what) {
      return StateStoreException.corrupt(
          "shard "
              + shard
              + ", object '"
              + file.object()
              + "' at offset "
              + file.offset()
              + ", column family '"
              + file.columnFamily()
              + "': key "
              + key
              + " "
              + what
              + "; the layout is "
              + manifest.layout()
              + ", the partition key '"
              + family.columnFamily().partitionKey()
              + "'");
    }
  }
}
