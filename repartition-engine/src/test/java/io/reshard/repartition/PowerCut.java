package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.spi.StateStoreException;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs a plan, one task at a time, that is cut off. */
final class PowerCut {
  private PowerCut() {}

  /** Runs a plan until so many tasks are done, which ends UNAVAILABLE with "power cut". */
  static RepartitionResult run(CheckpointStore store, RepartitionPlan plan, int tasks) {
    AtomicInteger done = new AtomicInteger();
    Meter meter =
        new Meter(ProgressListener.NONE, () -> false, plan.tasks(), 1) {
          @Override
          void taskDone() {
            super.taskDone();
            if (done.incrementAndGet() == tasks) {
              throw StateStoreException.unavailable("power cut", null);
            }
          }
        };
    OpenFiles openFiles = OpenFiles.of(new RepartitionOptions(1, 16 << 20));
    return new Execution(store, plan, openFiles, meter, FileWriters::into).run();
  }
}
