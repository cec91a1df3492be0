package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.ShardStore;
import io.reshard.spi.WriteBatch;
import java.util.List;
import java.util.function.Supplier;

/**
 * One shard of a {@link KeyedStore}: its backend store, the writes gathered for it, and how far it
 * is from the last published version. Reads and writes of different threads meet here.
 */
final class OpenShard {
  private final ShardStore store;
  private final ShardSnapshots snapshots;
  private final int bufferBytes;
  private WriteBatch buffer = new WriteBatch();
  private volatile boolean buffered;

  /** Writes ever made, those of them in the last export, and those in the published version. */
  private long writes;

  private long exportedWrites;
  private long publishedWrites;

  /** The backend has committed what no published version has. */
  private boolean ahead;

  OpenShard(ShardStore store, ShardSnapshots snapshots, int bufferBytes) {
    this.store = store;
    this.snapshots = snapshots;
    this.bufferBytes = bufferBytes;
  }

  ShardStore store() {
    return store;
  }

  /** What a read must see is in the backend after this. */
  void flushForRead() {
    if (buffered) {
      flush();
    }
  }

  synchronized void put(String columnFamily, ByteView key, ByteView value) {
    flushIfFull();
    buffer.put(columnFamily, key, value);
    buffered = true;
    writes++;
  }

  synchronized void delete(String columnFamily, ByteView key) {
    flushIfFull();
    buffer.delete(columnFamily, key);
    buffered = true;
    writes++;
  }

  /** Before the write that is to come, so that a failure means it was not made. */
  private void flushIfFull() {
    if (buffer.byteSize() >= bufferBytes) {
      flush();
    }
  }

  synchronized void flush() {
    if (buffer.isEmpty()) {
      return;
    }
    store.write(buffer);
    clearBuffer();
  }

  private void clearBuffer() {
    if (buffer.byteSize() > 4 * bufferBytes) {
      buffer = new WriteBatch(); // A huge row must not keep its room for ever.
    } else {
      buffer.clear();
    }
    buffered = false;
  }

  /** Whether it was written to since the last published version. */
  synchronized boolean isChanged() {
    return writes != publishedWrites;
  }

  /** Commits in the backend and exports. A version number may be used up by a commit that fails. */
  synchronized List<FileHandle> commit(long version, Upload upload) {
    flush();
    store.commit(Math.max(version, store.version() + 1));
    ahead = true;
    exportedWrites = writes;
    return snapshots.export(store, upload);
  }

  /** The last export was published. */
  synchronized void published() {
    if (ahead) {
      snapshots.published();
      ahead = false;
      publishedWrites = exportedWrites;
    }
  }

  /** A file of the published version now lies elsewhere. */
  synchronized void moved(FileRef to) {
    snapshots.moved(to);
  }

  synchronized void rollback(Supplier<List<FileRef>> published, long version) {
    if (!isChanged()) {
      return;
    }
    if (ahead) {
      snapshots.restore(store, published.get(), version);
    } else {
      store.rollback();
    }
    clearBuffer(); // Not before: a shard that could not be rolled back must not look as if it were.
    ahead = false;
    writes = publishedWrites;
  }

  void restore(List<FileRef> files, long version) {
    snapshots.restore(store, files, version);
  }
}
