package io.reshard.spi;

import java.util.Map;

/**
 * How a backend is started.
 *
 * @param memoryBudget bytes of memory all shards of the process may hold together: caches, write
 *     buffers, uncommitted writes. A backend that keeps its state in memory counts it but cannot
 *     keep it below this
 * @param options the backend's own options by name; an unknown one is INVALID
 */
public record BackendOptions(long memoryBudget, Map<String, String> options) {
  /** The memory budget where none is given: 256 MiB. */
  public static final long DEFAULT_MEMORY_BUDGET = 256L << 20;

  /** Checks the budget and copies the options. */
  public BackendOptions {
    if (memoryBudget < 1 << 20) {
      throw StateStoreException.invalid(
          "memory budget of " + memoryBudget + " bytes; give at least 1048576 (1 MiB)");
    }
    options = Map.copyOf(options);
  }

  /** The default memory budget and no options. */
  public static BackendOptions defaults() {
    return new BackendOptions(DEFAULT_MEMORY_BUDGET, Map.of());
  }

  /** The same with another memory budget. */
  public BackendOptions withMemoryBudget(long bytes) {
    return new BackendOptions(bytes, options);
  }
}
