package io.reshard.checkpoint.s3;

import io.reshard.spi.StateStoreException;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Base64;
import software.amazon.awssdk.core.sync.RequestBody;

/**
 * A part of a file as the body of a request. It is read as it is sent, never held in memory.
 *
 * @param file the file
 * @param offset where the part begins
 * @param length its bytes
 */
record FileSlice(Path file, long offset, long length) {
  private static final String TYPE = "application/octet-stream";

  /** The part as a body; every attempt to send it reads it anew. */
  RequestBody body() {
    return RequestBody.fromContentProvider(
        () -> {
          try {
            return open();
          } catch (IOException e) {
            throw new UncheckedIOException("reading " + file, e);
          }
        },
        length,
        TYPE);
  }

  private InputStream open() throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    try {
      channel.position(offset);
      return new BufferedInputStream(
          new Limited(Channels.newInputStream(channel), length), 64 << 10);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Base64 of the SHA-256 of these bytes, as S3 wants it. */
  String sha256() {
    MessageDigest digest = Checksums.sha256();
    byte[] window = new byte[(int) Math.min(length, 256 << 10)];
    long done = 0;
    try (InputStream in = open()) {
      int read;
      while ((read = in.read(window)) > 0) {
        digest.update(window, 0, read);
        done += read;
      }
    } catch (IOException e) {
      throw failed(e);
    }
    if (done != length) {
      throw failed(new IOException("it ends " + (length - done) + " bytes before it should"));
    }
    return Base64.getEncoder().encodeToString(digest.digest());
  }

  private StateStoreException failed(IOException e) {
    return StateStoreException.unavailable(
        "reading " + file + " failed: " + e + "; check the disk, then call again", e);
  }

  /** The first bytes of a stream. */
  private static final class Limited extends FilterInputStream {
    private long left;

    Limited(InputStream in, long length) {
      super(in);
      this.left = length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 1 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int at, int length) throws IOException {
      if (left == 0) {
        return -1;
      }
      int read = in.read(target, at, (int) Math.min(length, left));
      left -= Math.max(0, read);
      return read;
    }

    @Override
    public long skip(long n) throws IOException {
      long skipped = in.skip(Math.min(n, left));
      left -= skipped;
      return skipped;
    }

    @Override
    public boolean markSupported() {
      return false;
    }
  }
}
