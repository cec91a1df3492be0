package io.reshard.sst;

import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Read windows that are used again: a cursor takes one when it first reads and gives it back when
 * it is closed. At most {@link #KEPT} idle ones are kept, whatever the number of cursors was.
 */
final class Windows {
  /**
   * Bytes of a window: large enough that the cost of a system call vanishes (1 MiB measured no
   * faster), small enough for a processor's cache and for a merge of hundreds of files.
   */
  static final int BYTES = 256 << 10;

  /** Idle windows kept: 16 MiB. */
  private static final int KEPT = 64;

  private static final ArrayBlockingQueue<byte[]> IDLE = new ArrayBlockingQueue<>(KEPT);

  private Windows() {}

  static byte[] take() {
    byte @Nullable [] idle = IDLE.poll();
    return idle != null ? idle : new byte[BYTES];
  }

  /** Takes a window back; one of another size is left to the garbage collector. */
  static void giveBack(byte[] window) {
    if (window.length == BYTES) {
      boolean unused = IDLE.offer(window);
    }
  }
}
