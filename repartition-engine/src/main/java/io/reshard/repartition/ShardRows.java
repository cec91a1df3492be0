package io.reshard.repartition;

import io.reshard.checkpoint.EntryHasher;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.SetDigest;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import java.util.Arrays;

/**
 * The rows of one column family of a source shard: of each key the newest entry, if that is a put.
 *
 * <p>Every row is checked to hash to the source shard it was found in, so rows of one key cannot
 * come from two shards, whatever the files hold. Entries that are passed over (deletes, and what
 * was overwritten) are digested: together with the rows handed out they must make up what the
 * manifest says of the files.
 */
final class ShardRows implements RowCursor {
  private final EntryCursor entries;
  private final ColumnFamily columnFamily;
  private final int shard;
  private final Layout source;
  private final SetDigest passedOver;
  private final Meter.Reading reading;
  private final RowHash rowHash;
  private final int keyPrefix;
  private final ByteView bare = new ByteView();
  private byte[] lastKey = new byte[64];
  private int lastLength = -1;
  private final EntryHasher hasher;
  private ByteView key = new ByteView();
  private ByteView value = key;
  private int hash;

  /**
   * Rows of {@code entries}, which are closed with this.
   *
   * @param passedOver receives the entries that are not handed out
   */
  ShardRows(
      EntryCursor entries,
      ColumnFamily columnFamily,
      int shard,
      Layout source,
      SetDigest passedOver,
      Meter.Reading reading) {
    this.entries = entries;
    this.columnFamily = columnFamily;
    this.shard = shard;
    this.source = source;
    this.passedOver = passedOver;
    this.reading = reading;
    this.rowHash = new RowHash(source, columnFamily);
    this.keyPrefix = source.keyPrefix(columnFamily);
    this.hasher = new EntryHasher(columnFamily.name(), keyPrefix);
  }

  @Override
  public boolean next() {
    while (entries.next()) {
      key = entries.key();
      value = entries.value();
      EntryType type = entries.type();
      reading.entry(key.length() + value.length());
      if (isNewKey(key) && isRow(key, type)) {
        return true;
      }
      hasher.hash(type, key, value);
      passedOver.add(hasher);
    }
    reading.end();
    return false;
  }

  /** Entries of a key come newest first. */
  private boolean isNewKey(ByteView key) {
    int length = key.length();
    if (length == lastLength
        && Arrays.equals(
            key.array(), key.offset(), key.offset() + length, lastKey, 0, lastLength)) {
      return false;
    }
    if (lastKey.length < length) {
      lastKey = new byte[Math.max(length, lastKey.length * 2)];
    }
    System.arraycopy(key.array(), key.offset(), lastKey, 0, length);
    lastLength = length;
    return true;
  }

  private boolean isRow(ByteView key, EntryType type) {
    if (type == EntryType.MERGE) {
      throw StateStoreException.incompatible(
          "key "
              + key
              + " of column family '"
              + columnFamily.name()
              + "' in shard "
              + shard
              + " holds a merge operand, which only its backend can resolve; write the row anew with"
              + " a put, commit, and repartition that version");
    }
    if (keyPrefix > 0) {
      Slots.of(key);
      bare.set(key.array(), key.offset() + keyPrefix, key.length() - keyPrefix);
      hash = rowHash.hash(bare);
    } else {
      hash = rowHash.hash(key);
    }
    int owner = source.shardOfHash(hash);
    if (owner != shard) {
      throw StateStoreException.corrupt(
          "key "
              + key
              + " of column family '"
              + columnFamily.name()
              + "' lies in shard "
              + shard
              + " and hashes to shard "
              + owner
              + " of "
              + source.shards()
              + "; verify the store, and repartition from a version that is sound");
    }
    return type == EntryType.PUT;
  }

  @Override
  public ByteView key() {
    return key;
  }

  @Override
  public ByteView value() {
    return value;
  }

  @Override
  public int hash() {
    return hash;
  }

  /** The partition key of the current row; valid as long as its key. */
  ByteView partitionKey() {
    return rowHash.partitionKey();
  }

  @Override
  public void close() {
    entries.close();
  }
}
