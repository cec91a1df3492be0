package io.reshard.checkpoint.hdfs;

import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;

/** Positional reads of one file, which Hadoop's streams serve to many threads at once. */
final class HdfsSource implements SstSource {
  private final String name;
  private final String where;
  private final long size;
  private final FSDataInputStream in;
  private final HdfsCounter counter;
  private volatile boolean closed;

  HdfsSource(String name, String where, long size, FSDataInputStream in, HdfsCounter counter) {
    this.name = name;
    this.where = where;
    this.size = size;
    this.in = in;
    this.counter = counter;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void read(long position, byte[] target, int offset, int length) {
    if (closed) {
      throw StateStoreException.closed("object '" + name + "'");
    }
    HdfsObjectStore.checkRange(name, size, position, length);
    try {
      counter.get(length);
      in.readFully(position, target, offset, length);
    } catch (EOFException e) {
      throw new StateStoreException(
          StateStoreException.Kind.CORRUPT,
          "object '" + name + "' ends before its " + size + " bytes; restore it from a copy",
          e);
    } catch (IOException e) {
      throw HdfsErrors.of("reading " + where, e);
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      try {
        in.close();
      } catch (IOException e) {
        throw HdfsErrors.of("closing " + where, e);
      }
    }
  }
}
