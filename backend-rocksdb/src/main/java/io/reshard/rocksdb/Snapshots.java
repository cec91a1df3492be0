package io.reshard.rocksdb;

import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.RocksDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots out of and into a shard. Both move files, not rows: an export hands over the database's
 * own SST files, an import makes a database of a snapshot's ({@link RocksDirectory}) beside the
 * present one and points STATE at it when it is whole. Methods are called under the store's {@code
 * changing} lock.
 *
 * <p>Errors of RocksDB fail the store, except in an import before it is published, which leaves it
 * as it was.
 */
final class Snapshots {
  private static final Logger LOGGER = LoggerFactory.getLogger(Snapshots.class);

  /** Numbers of imported files count from here. */
  private static final long FIRST_FILE = 8;

  private final Natives natives;
  private final ShardDirectory directory;
  private final List<String> declared;
  private final Life life;
  private final WorkingState working;
  private final Versions versions;

  Snapshots(
      Natives natives,
      ShardDirectory directory,
      List<String> declared,
      Life life,
      WorkingState working,
      Versions versions) {
    this.natives = natives;
    this.directory = directory;
    this.declared = declared;
    this.life = life;
    this.working = working;
    this.versions = versions;
  }

  // Out.

  void exportTo(SnapshotWriter writer) {
    try {
      if (versions.isSpilled()) {
        exportCommitted(writer);
      } else if (versions.hasDatabase()) {
        exportLive(working.database(), writer);
      }
    } catch (RocksDBException e) {
      throw life.fail(Errors.of(e, "exporting version " + versions.version(), directory.path()));
    }
  }

  /** The database at work holds uncommitted rows; the last version lies in another. */
  private void exportCommitted(SnapshotWriter writer) throws RocksDBException {
    Database source = Database.openReadOnly(natives, versions.committedDatabase(), declared);
    try {
      export(source, writer);
    } finally {
      source.release();
    }
  }

  private void exportLive(Database database, SnapshotWriter writer) throws RocksDBException {
    database.flush();
    database.disableFileDeletions();
    try {
      export(database, writer);
    } finally {
      database.enableFileDeletions();
    }
    database.endAllowances();
  }

  private void export(Database source, SnapshotWriter writer) {
    FileIds ids = versions.ids();
    List<SnapshotFile> files = new ArrayList<>();
    Set<Long> numbers = new HashSet<>();
    for (LiveFileMetaData file : source.files()) {
      String columnFamily = new String(file.columnFamilyName(), StandardCharsets.US_ASCII);
      if (working.has(columnFamily)) {
        String name = file.fileName().substring(file.fileName().lastIndexOf('/') + 1);
        long number = Long.parseLong(name.substring(0, name.indexOf('.')));
        numbers.add(number);
        files.add(
            new SnapshotFile(
                ids.id(number),
                columnFamily,
                source.directory().resolve(name),
                file.size(),
                file.level(),
                file.smallestKey(),
                file.largestKey(),
                file.smallestSeqno(),
                file.largestSeqno()));
      }
    }
    ids.retain(numbers);
    ids.save(source.directory());
    for (SnapshotFile file : files) {
      if (!writer.reuse(file.id(), file.level())) {
        writer.addFile(file);
      }
    }
  }

  // In.

  void importFrom(SnapshotReader reader) {
    long imported = reader.version();
    if (imported < 0) {
      throw StateStoreException.invalid(
          "a snapshot of version " + imported + " for the store of " + directory.path());
    }
    long spilledFrom = versions.isSpilled() ? directory.generation() : 0;
    long next = directory.newGeneration();
    FileIds names = new FileIds();
    Database built = null;
    boolean published = false;
    try {
      built = build(directory.database(next), reader, names);
      built.checkFiles();
      Versions.writeVersion(built, imported, natives.forced());
      names.save(built.directory());
      versions.publish(next);
      published = true;
    } catch (RocksDBException e) {
      throw Errors.of(
          e, "importing version " + imported + " (the store is as before)", directory.path());
    } catch (IOException e) {
      throw Errors.io("importing version " + imported + " into", directory.path(), e);
    } finally {
      if (!published) {
        if (built != null) {
          built.release();
        }
        if (directory.generation() != next) {
          directory.discard(next);
        }
      }
    }
    versions.adopt(built, names, imported);
    if (spilledFrom > 0) {
      directory.discard(spilledFrom);
    }
  }

  /**
   * Makes a database of the snapshot's files; names them in {@code names}. Where they cannot stand
   * side by side in one, it is made of their rows.
   */
  private Database build(Path target, SnapshotReader reader, FileIds names)
      throws RocksDBException, IOException {
    Files.createDirectory(target);
    Path incoming = Files.createDirectory(target.resolve("incoming"));
    List<RocksDirectory.Member> members = new ArrayList<>();
    long number = FIRST_FILE;
    for (SnapshotFile file : reader.files(incoming)) {
      if (!incoming.equals(file.path().getParent())) {
        // It is moved, so it must not be a file the reader still needs.
        throw StateStoreException.internal(
            "file " + file.path() + " of the snapshot was not put into " + incoming, null);
      }
      members.add(member(file, number));
      Files.move(file.path(), target.resolve(RocksDirectory.fileName(number)));
      names.put(number, file.id());
      number++;
    }
    ShardDirectory.delete(incoming);
    if (!RocksDirectory.hasOrderOnLevelZero(members)) {
      LOGGER.info(
          "files of the snapshot for {} overlap on level 0 and none is the newer; merging them",
          directory.path());
      for (RocksDirectory.Member member : members) {
        Files.delete(target.resolve(RocksDirectory.fileName(member.number())));
        names.forget(member.number());
      }
      members = MergedFiles.write(target, reader, declared, number);
    }
    if (members.isEmpty()) {
      return Database.create(natives, target, declared);
    }
    RocksDirectory.write(target, Database.columnFamilies(declared), members);
    return Database.open(natives, target, declared, members);
  }

  private RocksDirectory.Member member(SnapshotFile file, long number) throws IOException {
    if (!working.has(file.columnFamily())) {
      throw StateStoreException.incompatible(
          "file "
              + file.id()
              + " of the snapshot belongs to column family '"
              + file.columnFamily()
              + "', which the store of "
              + directory.path()
              + " does not declare; it has "
              + working.columnFamilies());
    }
    long size = Files.size(file.path());
    if (size != file.size()) {
      throw StateStoreException.corrupt(
          "file "
              + file.id()
              + " of the snapshot has "
              + size
              + " bytes, expected "
              + file.size()
              + "; restore from another version");
    }
    return new RocksDirectory.Member(
        file.columnFamily(),
        number,
        size,
        file.level(),
        file.smallestKey(),
        file.largestKey(),
        file.smallestSequence(),
        file.largestSequence());
  }
}
