package io.reshard.sst;

import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file read with positional reads: no state but the descriptor, so threads may share it. */
final class FileSource implements SstSource {
  private final String name;
  private final FileChannel channel;
  private final long size;

  private FileSource(String name, FileChannel channel, long size) {
    this.name = name;
    this.channel = channel;
    this.size = size;
  }

  static FileSource open(Path path) {
    FileChannel channel = null;
    try {
      channel = FileChannel.open(path, StandardOpenOption.READ);
      return new FileSource(path.toString(), channel, channel.size());
    } catch (IOException e) {
      StateStoreException failure =
          StateStoreException.unavailable(
              "SST file '" + path + "' cannot be opened: " + e + "; check that it is there", e);
      if (channel != null) {
        try {
          channel.close();
        } catch (IOException closing) {
          failure.addSuppressed(closing);
        }
      }
      throw failure;
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
    MemorySource.checkRange(name, size, position, length);
    ByteBuffer buffer = ByteBuffer.wrap(target, offset, length);
    try {
      while (buffer.hasRemaining()) {
        long at = position + length - buffer.remaining();
        if (channel.read(buffer, at) < 0) {
          throw Faults.corrupt(name, at, "it ends here, and had " + size + " bytes when opened");
        }
      }
    } catch (ClosedByInterruptException e) {
      throw StateStoreException.unavailable(
          "reading SST file '" + name + "' was interrupted, which closed it; open it again", e);
    } catch (ClosedChannelException e) {
      StateStoreException closed = StateStoreException.closed("SST file '" + name + "'");
      closed.initCause(e);
      throw closed;
    } catch (IOException e) {
      throw StateStoreException.unavailable(
          "SST file '" + name + "' cannot be read at offset " + position + ": " + e, e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw StateStoreException.unavailable("SST file '" + name + "' cannot be closed: " + e, e);
    }
  }
}
