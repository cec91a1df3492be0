package io.reshard.checkpoint;

import io.reshard.sst.ForwardingSource;
import io.reshard.sst.SstSource;
import java.security.MessageDigest;

/**
 * A file that is hashed while it is read: whoever reads it front to back has the SHA-256 of the
 * bytes he saw, and no second pass is needed. What was left out on the way, {@link #sha256} reads.
 * Used by one thread.
 */
final class HashingSource extends ForwardingSource {
  private final MessageDigest digest = Sha256.newDigest();
  private long hashed;

  /** Closing this closes {@code source}. */
  HashingSource(SstSource source) {
    super(source);
  }

  @Override
  public void read(long position, byte[] target, int offset, int length) {
    super.read(position, target, offset, length);
    long end = position + length;
    if (position <= hashed && hashed < end) {
      int seen = (int) (hashed - position);
      digest.update(target, offset + seen, length - seen);
      hashed = end;
    }
  }

  /** The hash of the whole file, whose rest is read. Call it once. */
  String sha256() {
    byte[] window = new byte[(int) Math.min(Sha256.WINDOW, size() - hashed)];
    while (hashed < size()) {
      read(hashed, window, 0, (int) Math.min(window.length, size() - hashed));
    }
    return Sha256.hex(digest);
  }
}
