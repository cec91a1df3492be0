package io.reshard.checkpoint.hdfs;

import io.reshard.checkpoint.ObjectStoreMetrics;
import java.util.concurrent.atomic.LongAdder;

/** Counts calls to the file system. */
final class HdfsCounter {
  private final LongAdder puts = new LongAdder();
  private final LongAdder gets = new LongAdder();
  private final LongAdder heads = new LongAdder();
  private final LongAdder lists = new LongAdder();
  private final LongAdder deletes = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final LongAdder received = new LongAdder();

  /** A call that creates or renames something. */
  void put() {
    puts.increment();
  }

  void sent(long bytes) {
    sent.add(bytes);
  }

  void get(long bytes) {
    gets.increment();
    received.add(bytes);
  }

  void head() {
    heads.increment();
  }

  void list() {
    lists.increment();
  }

  void delete() {
    deletes.increment();
  }

  ObjectStoreMetrics metrics() {
    return new ObjectStoreMetrics(
        puts.sum(),
        gets.sum(),
        heads.sum(),
        lists.sum(),
        deletes.sum(),
        0,
        sent.sum(),
        received.sum());
  }
}
