package io.reshard.benchmarks.shared;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Wall time and the CPU time of the whole process: of every thread, native ones and those of the
 * JVM too. So work that a rival does in the background counts, as does the compiler.
 */
public final class Clock {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final long startNanos = System.nanoTime();
  private final long startCpu = SYSTEM.getProcessCpuTime();

  private Clock() {}

  /** Starts it, after a garbage collection: what was made before is not this work's to clean. */
  public static Clock start() {
    System.gc();
    return new Clock();
  }

  /** Adds {@code seconds} and {@code cpuSeconds} up to now. */
  public Figure stop(Figure figure) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    double cpuSeconds = (SYSTEM.getProcessCpuTime() - startCpu) / 1e9;
    return figure.with("seconds", seconds).with("cpuSeconds", cpuSeconds);
  }
}
