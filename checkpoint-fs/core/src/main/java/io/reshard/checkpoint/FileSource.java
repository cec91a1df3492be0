package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Positional reads of a file on local disk.
 *
 * <p>A {@link FileChannel} is closed under every thread that uses it as soon as one of them is
 * interrupted. Handles are shared here, so the interrupted thread alone gets an error; the others
 * open the channel again. The file cannot have changed meanwhile: objects never do.
 */
final class FileSource implements SstSource {
  private final String name;
  private final Path path;
  private final long size;
  private volatile FileChannel channel;
  private volatile boolean closed;

  FileSource(String name, Path path) throws IOException {
    this.name = name;
    this.path = path;
    this.channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      this.size = channel.size();
    } catch (IOException e) {
      channel.close();
      throw e;
    }
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
    Ranges.check(name, size, position, length);
    while (true) {
      if (closed) {
        throw StateStoreException.closed("object '" + name + "'");
      }
      FileChannel current = channel;
      try {
        readFully(current, position, ByteBuffer.wrap(target, offset, length));
        return;
      } catch (ClosedByInterruptException e) {
        reopen(current);
        throw LocalFiles.failed("reading " + path, e);
      } catch (ClosedChannelException e) {
        reopen(current);
      } catch (IOException e) {
        throw LocalFiles.failed("reading " + path, e);
      }
    }
  }

  private void readFully(FileChannel from, long position, ByteBuffer into) throws IOException {
    long at = position;
    while (into.hasRemaining()) {
      int read = from.read(into, at);
      if (read < 0) {
        throw StateStoreException.corrupt(
            "object '" + name + "' ends at " + at + ", it had " + size + " bytes when opened");
      }
      at += read;
    }
  }

  private synchronized void reopen(FileChannel broken) {
    if (closed || channel != broken) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      channel = FileChannel.open(path, StandardOpenOption.READ);
    } catch (IOException e) {
      throw LocalFiles.failed("opening " + path, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    try {
      channel.close();
    } catch (IOException e) {
      throw LocalFiles.failed("closing " + path, e);
    }
  }
}
