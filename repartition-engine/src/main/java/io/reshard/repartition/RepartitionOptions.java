package io.reshard.repartition;

import io.reshard.spi.StateStoreException;

/**
 * How a repartition runs.
 *
 * @param parallelism tasks at once, at least 1
 * @param memoryBytes heap that buffers of all tasks may take together; sets how many files are open
 *     at once
 */
public record RepartitionOptions(int parallelism, long memoryBytes) {
  /** Checks the figures. */
  public RepartitionOptions {
    if (parallelism < 1 || parallelism > 1024) {
      throw StateStoreException.invalid("parallelism " + parallelism + "; give 1 to 1024");
    }
    if (memoryBytes < 16 << 20) {
      throw StateStoreException.invalid(
          memoryBytes + " bytes of memory; give at least 16777216 (16 MiB)");
    }
  }

  /** One task per core, and a quarter of the heap. */
  public static RepartitionOptions defaults() {
    Runtime runtime = Runtime.getRuntime();
    return new RepartitionOptions(
        Math.min(1024, runtime.availableProcessors()), Math.max(16 << 20, runtime.maxMemory() / 4));
  }
}
