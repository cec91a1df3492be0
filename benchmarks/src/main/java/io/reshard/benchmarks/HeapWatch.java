package io.reshard.benchmarks;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Map;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * What a process makes of its heap: the most that was in use before a collection, the most that was
 * left after one, and what was allocated in all. By the notifications of the collector.
 */
final class HeapWatch {
  private long peak;
  private long live;
  private long allocated;
  private long last = used();

  HeapWatch() {
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (collector instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener(
            (notification, handback) ->
                collected(
                    GarbageCollectionNotificationInfo.from(
                        (CompositeData) notification.getUserData())),
            null,
            null);
      }
    }
  }

  private synchronized void collected(GarbageCollectionNotificationInfo info) {
    long before = sum(info.getGcInfo().getMemoryUsageBeforeGc());
    long after = sum(info.getGcInfo().getMemoryUsageAfterGc());
    peak = Math.max(peak, before);
    live = Math.max(live, after);
    allocated += Math.max(0, before - last);
    last = after;
  }

  private static long sum(Map<String, MemoryUsage> pools) {
    long sum = 0;
    for (Map.Entry<String, MemoryUsage> pool : pools.entrySet()) {
      if (pool.getKey().startsWith("G1") || pool.getKey().startsWith("PS")) {
        sum += pool.getValue().getUsed();
      }
    }
    return sum;
  }

  private static long used() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Most bytes in use at once, garbage included. */
  synchronized long peakBytes() {
    return Math.max(peak, used());
  }

  /** Most bytes left after a collection; 0 if there was none. */
  synchronized long liveBytes() {
    return live;
  }

  /** Bytes allocated so far. */
  synchronized long allocatedBytes() {
    return allocated + Math.max(0, used() - last);
  }
}
