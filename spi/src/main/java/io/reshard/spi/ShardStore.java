package io.reshard.spi;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keyed state of one shard: a sorted byte map for each column family, with versions.
 *
 * <p><b>Bytes.</b> S-101: arguments are borrowed until the method returns; the store keeps no
 * reference to them and does not change them. S-102: a returned array belongs to the caller. S-103:
 * order is unsigned lexicographic. S-104: the empty key, the empty value and every byte value are
 * allowed. S-105: lengths above {@link Limits} are INVALID. S-106: an undeclared column family is
 * INVALID, and the message lists those there are.
 *
 * <p><b>Working state and versions.</b> {@link #write} changes the working state, which every read
 * of this object sees at once (S-201). {@link #commit} makes the working state a version; {@link
 * #rollback} returns to the last version. A batch is applied wholly or not at all (S-202), its
 * operations in order (S-203).
 *
 * <p><b>Lifecycle.</b> {@code OPEN → CLOSED | FAILED | FENCED}. S-401: {@link #close()} is
 * idempotent, drops uncommitted writes and closes open iterators; any other call after it is
 * CLOSED. S-402: a store whose files fail is FAILED: every call but {@code close()} then fails with
 * the first error's kind; nothing uncommitted becomes a version. S-403: an INVALID call changes
 * nothing, state included.
 *
 * <p><b>Threads.</b> S-501: every method may be called from any thread. Reads run beside each other
 * and beside one writer; {@code write}, {@code commit}, {@code rollback}, {@code exportSnapshot}
 * and {@code importSnapshot} exclude one another. S-502: a scan shows the working state of the
 * moment it was opened, whatever is written later, until it is closed. An iterator itself is used
 * by one thread at a time.
 */
public interface ShardStore extends AutoCloseable {
  /** States of a store's life. */
  enum State {
    /** In use. */
    OPEN,
    /** Closed by its user. */
    CLOSED,
    /** Broken; close it and restore from a snapshot. */
    FAILED,
    /** Another writer has taken over; close it and open the newest version. */
    FENCED
  }

  /** The state of its life; never throws. */
  State state();

  /** The last committed version; 0 before the first commit. Versions count up and may skip. */
  long version();

  /**
   * S-111: the value of a key, or null if there is no such row. The array belongs to the caller.
   *
   * @throws StateStoreException INVALID for an unknown column family; CLOSED; CORRUPT
   */
  byte @Nullable [] get(String columnFamily, byte[] key);

  /**
   * S-112: the values of several keys of one moment: element i is what {@link #get} gives for key
   * i. Keys may repeat and come in any order.
   */
  byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys);

  /**
   * S-311: the rows of a range in order of their keys. Close what it returns.
   *
   * @throws StateStoreException INVALID for a reverse scan where {@link Capability#REVERSE_SCAN} is
   *     not declared
   */
  StateIterator scan(String columnFamily, ScanRange range);

  /**
   * Applies a batch to the working state. The batch is borrowed and not changed.
   *
   * @throws StateStoreException INVALID for an unknown column family or an undeclared {@link
   *     Capability#DELETE_RANGE}, with nothing applied; UNAVAILABLE if there is no room
   */
  void write(WriteBatch batch);

  /**
   * Makes the working state version {@code version}. S-211: it must be greater than {@link
   * #version()}, else INVALID. S-212: a commit without writes is a version like any other. S-213:
   * where PERSISTENT is declared, the version survives the death of the process once this returns.
   */
  void commit(long version);

  /** S-221: drops every write since the last commit; the working state is that version again. */
  void rollback();

  /**
   * Hands the last committed version to {@code writer}. S-231: uncommitted writes are not part of
   * it and stay as they are. S-232: with {@link Capability#INCREMENTAL_EXPORT} every file is
   * offered by {@link SnapshotWriter#reuse} first. S-233: an error leaves the store as it was.
   */
  void exportSnapshot(SnapshotWriter writer);

  /**
   * Replaces everything by what {@code reader} gives: rows of every declared column family, and the
   * version. S-241: uncommitted writes are dropped, the version is the reader's, even a lower one.
   * S-242: if it fails, the store is FAILED or as it was, never a mixture. S-251: a snapshot is
   * portable: it restores in every backend, whichever wrote it, before and after a repartition,
   * with every row there, none doubled and none changed.
   */
  void importSnapshot(SnapshotReader reader);

  /**
   * Figures by name. S-601: at least {@code memory.bytes} (bytes of memory this shard holds,
   * uncommitted writes included), {@code uncommitted.bytes}, {@code rows.estimate} and counters
   * since open {@code gets}, {@code scans}, {@code writes} (operations). Backends add their own.
   */
  Map<String, Long> metrics();

  @Override
  void close();
}
