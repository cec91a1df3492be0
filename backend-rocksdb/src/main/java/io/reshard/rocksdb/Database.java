package io.reshard.rocksdb;

import io.reshard.spi.ScanRange;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.RocksDirectory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * One open RocksDB database, or the absence of one: an empty shard has none until its first commit,
 * as making one costs a dozen forced writes, and a restore would throw it away at once.
 *
 * <p>It is counted: the store holds one reference, each open scan another, and the native side is
 * closed with the last, so that a scan may outlive a rollback or an import that puts another
 * database in its store's place. Whoever calls a method holds a reference.
 *
 * <p>Its column families are {@code default}, {@code reshard.meta} (no name a user may give; it
 * holds the version and is never exported) and the user's. Methods name one of the user's by its
 * place in the list that was declared.
 */
final class Database {
  /** The column family that holds the version. */
  static final String META = "reshard.meta";

  private static final String DEFAULT = "default";
  private static final byte[] VERSION_KEY = "version".getBytes(StandardCharsets.US_ASCII);

  private static final int MOST_MILLIS_OF_A_WAIT = 20;

  private final Path directory;
  private final @Nullable RocksDB db;

  /** In order of their ids; {@link #META} is the second. */
  private final List<ColumnFamilyHandle> handles;

  /** Those of the user, as declared. */
  private final List<ColumnFamilyHandle> declared;

  /** By declared column family: files of level 0 that are not counted, see {@link LevelZero}. */
  private final int[] allowances;

  private final AtomicInteger references = new AtomicInteger(1);
  private volatile Runnable afterClose = () -> {};

  private Database(
      Path directory,
      @Nullable RocksDB db,
      List<ColumnFamilyHandle> handles,
      List<ColumnFamilyHandle> declared,
      int[] allowances) {
    this.directory = directory;
    this.db = db;
    this.handles = handles;
    this.declared = declared;
    this.allowances = allowances;
  }

  /** No database: nothing can be read from it, and it must not be written to. */
  static Database absent(Path directory) {
    return new Database(directory, null, List.of(), List.of(), new int[0]);
  }

  /** RocksDB's column families for those of the user, in order of their ids. */
  static List<String> columnFamilies(List<String> declared) {
    List<String> names = new ArrayList<>();
    names.add(DEFAULT);
    names.add(META);
    for (String name : declared) {
      if (!name.equals(DEFAULT)) {
        names.add(name);
      }
    }
    return names;
  }

  /** Makes a database in a directory where there is none. */
  static Database create(Natives natives, Path directory, List<String> declared)
      throws RocksDBException {
    return open(natives, directory, declared, List.of(), Mode.CREATE);
  }

  /** Opens a database that is there. */
  static Database open(Natives natives, Path directory, List<String> declared)
      throws RocksDBException {
    return open(natives, directory, declared, List.of(), Mode.OPEN);
  }

  /** Opens a database that was made of these files, and is given the time they need. */
  static Database open(
      Natives natives, Path directory, List<String> declared, List<RocksDirectory.Member> members)
      throws RocksDBException {
    return open(natives, directory, declared, members, Mode.OPEN);
  }

  /** Opens a database without changing anything in its directory. */
  static Database openReadOnly(Natives natives, Path directory, List<String> declared)
      throws RocksDBException {
    return open(natives, directory, declared, List.of(), Mode.READ_ONLY);
  }

  private enum Mode {
    CREATE,
    OPEN,
    READ_ONLY
  }

  private static Database open(
      Natives natives,
      Path directory,
      List<String> declared,
      List<RocksDirectory.Member> members,
      Mode mode)
      throws RocksDBException {
    List<String> names = columnFamilies(declared);
    int[] allowances =
        declared.stream().mapToInt(name -> LevelZero.allowance(members, name)).toArray();
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    List<ColumnFamilyOptions> own = new ArrayList<>();
    try {
      for (String name : names) {
        int place = declared.indexOf(name);
        ColumnFamilyOptions options = natives.columnFamilyOptions();
        if (place >= 0 && allowances[place] > 0) {
          options = natives.columnFamilyOptions(allowances[place]);
          own.add(options);
        }
        descriptors.add(
            new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.US_ASCII), options));
      }
      List<ColumnFamilyHandle> handles = new ArrayList<>();
      String path = directory.toString();
      RocksDB db =
          switch (mode) {
            case CREATE -> RocksDB.open(natives.createOptions(), path, descriptors, handles);
            case OPEN -> RocksDB.open(natives.openOptions(), path, descriptors, handles);
            case READ_ONLY ->
                RocksDB.openReadOnly(natives.openOptions(), path, descriptors, handles);
          };
      List<ColumnFamilyHandle> ofUser = new ArrayList<>();
      declared.forEach(name -> ofUser.add(handles.get(names.indexOf(name))));
      return new Database(directory, db, handles, ofUser, allowances);
    } finally {
      own.forEach(ColumnFamilyOptions::close);
    }
  }

  Path directory() {
    return directory;
  }

  /** RocksDB's id of a column family. */
  int id(int columnFamily) {
    return declared.get(columnFamily).getID();
  }

  /** RocksDB's id of {@link #META}. */
  int metaId() {
    return handles.get(1).getID();
  }

  // Reading.

  byte @Nullable [] get(int columnFamily, byte[] key) throws RocksDBException {
    return db == null ? null : db.get(declared.get(columnFamily), key);
  }

  /**
   * The values of several keys. RocksJava's call for it gives null both for a key that is not there
   * and for one that could not be read, so each null is asked for again alone, which tells.
   */
  List<byte @Nullable []> multiGet(int columnFamily, List<byte[]> keys) throws RocksDBException {
    if (db == null) {
      return Collections.nCopies(keys.size(), null);
    }
    ColumnFamilyHandle handle = declared.get(columnFamily);
    List<byte @Nullable []> values =
        db.multiGetAsList(Collections.nCopies(keys.size(), handle), keys);
    for (int i = 0; i < keys.size(); i++) {
      if (values.get(i) == null) {
        values.set(i, db.get(handle, keys.get(i)));
      }
    }
    return values;
  }

  /** Rows of a range as of now; the caller closes it before it gives up its reference. */
  @Nullable NativeRows rows(int columnFamily, ScanRange range) {
    return db == null ? null : new NativeRows(db, declared.get(columnFamily), range);
  }

  /** The last committed version; 0 if none was. */
  long version() throws RocksDBException {
    byte[] value = db == null ? null : db.get(handles.get(1), VERSION_KEY);
    if (value == null) {
      return 0;
    }
    long version = 0;
    for (byte b : value) {
      version = version << 8 | (b & 0xff);
    }
    if (value.length != 8 || version < 0) {
      throw StateStoreException.corrupt(
          "the version in "
              + directory
              + " has "
              + value.length
              + " bytes and reads as "
              + version
              + "; restore the shard from a snapshot");
    }
    return version;
  }

  // Writing.

  /** Key of the row that holds the version, in {@link #META}. */
  static byte[] versionKey() {
    return VERSION_KEY;
  }

  /** Value of the row that holds the version: 8 bytes, big-endian. */
  static byte[] versionValue(long version) {
    byte[] value = new byte[8];
    for (int i = 0; i < 8; i++) {
      value[i] = (byte) (version >>> (56 - 8 * i));
    }
    return value;
  }

  /**
   * Applies a batch made by {@link BatchBytes}, wholly or not at all. Waits while RocksDB has to
   * catch up with flushes and compactions.
   *
   * <p>It waits here and not in RocksDB, which on a full disk goes on waiting until there is room,
   * for ever if need be, and nothing could end it.
   *
   * @throws RocksDBException also if flushes or compactions fail
   */
  void write(WriteOptions options, byte[] batch) throws RocksDBException {
    try (WriteBatch whole = new WriteBatch(batch)) {
      for (int waited = 0; !tryWrite(options, whole); waited++) {
        long failed = present().getLongProperty("rocksdb.background-errors");
        if (failed > 0) {
          String reason = "flushes or compactions fail, most likely for want of room";
          throw new RocksDBException(
              reason, new Status(Status.Code.IOError, Status.SubCode.NoSpace, reason));
        }
        LockSupport.parkNanos(Math.min(waited + 1, MOST_MILLIS_OF_A_WAIT) * 1_000_000L);
      }
    }
  }

  /** Returns false if RocksDB takes no writes at the moment. */
  private boolean tryWrite(WriteOptions options, WriteBatch batch) throws RocksDBException {
    try {
      present().write(options, batch);
      return true;
    } catch (RocksDBException e) {
      Status status = e.getStatus();
      if (status != null && status.getCode() == Status.Code.Incomplete) {
        return false;
      }
      throw e;
    }
  }

  /** Writes every memtable out into files, forced to disk. */
  void flush() throws RocksDBException {
    try (FlushOptions options = new FlushOptions().setWaitForFlush(true)) {
      present().flush(options, handles);
    }
  }

  /** Links the whole content, as of now, into a database of its own at a path that is not there. */
  void checkpoint(Path target) throws RocksDBException {
    try (Checkpoint checkpoint = Checkpoint.create(present())) {
      checkpoint.createCheckpoint(target.toString());
    }
  }

  // Files.

  /** The SST files of now. They stay as long as deletions are disabled. */
  List<LiveFileMetaData> files() {
    return present().getLiveFilesMetaData();
  }

  /** Ends each allowance on level 0 whose files a compaction has taken. */
  void endAllowances() throws RocksDBException {
    for (int i = 0; i < allowances.length; i++) {
      if (allowances[i] > 0 && filesOnLevelZero(i) <= allowances[i]) {
        present()
            .setOptions(
                declared.get(i),
                MutableColumnFamilyOptions.builder()
                    .setLevel0FileNumCompactionTrigger(LevelZero.COMPACT_AT)
                    .setLevel0SlowdownWritesTrigger(LevelZero.SLOW_AT)
                    .setLevel0StopWritesTrigger(LevelZero.STOP_AT)
                    .build());
        allowances[i] = 0;
      }
    }
  }

  private int filesOnLevelZero(int columnFamily) throws RocksDBException {
    // RocksDB gives this one as text only.
    return Integer.parseInt(
        present().getProperty(declared.get(columnFamily), "rocksdb.num-files-at-level0"));
  }

  /** Keeps RocksDB from deleting files until {@link #enableFileDeletions}. */
  void disableFileDeletions() throws RocksDBException {
    present().disableFileDeletions();
  }

  void enableFileDeletions() throws RocksDBException {
    present().enableFileDeletions();
  }

  /** Opens every SST file and reads its properties. */
  void checkFiles() throws RocksDBException {
    for (ColumnFamilyHandle handle : handles) {
      present().getPropertiesOfAllTables(handle);
    }
  }

  /** A figure RocksDB keeps for a column family. */
  long figure(int columnFamily, String name) throws RocksDBException {
    return db == null ? 0 : db.getLongProperty(declared.get(columnFamily), name);
  }

  /** A figure RocksDB keeps, over all column families. */
  long figure(String name) throws RocksDBException {
    return db == null ? 0 : db.getAggregatedLongProperty(name);
  }

  private RocksDB present() {
    if (db == null) {
      throw StateStoreException.internal("there is no database in " + directory + " yet", null);
    }
    return db;
  }

  // Lifetime.

  void retain() {
    references.incrementAndGet();
  }

  void release() {
    if (references.decrementAndGet() == 0) {
      handles.forEach(ColumnFamilyHandle::close);
      if (db != null) {
        db.close();
      }
      afterClose.run();
    }
  }

  /** Gives up the store's reference; {@code then} runs when the native side is closed. */
  void release(Runnable then) {
    afterClose = then;
    release();
  }
}
