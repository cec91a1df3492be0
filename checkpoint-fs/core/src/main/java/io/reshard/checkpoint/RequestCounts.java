package io.reshard.checkpoint;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what a client asks of an object store, as {@link ObjectStoreMetrics} says. For whoever
 * implements an {@link ObjectStore}. Thread-safe.
 */
public final class RequestCounts {
  private final LongAdder puts = new LongAdder();
  private final LongAdder gets = new LongAdder();
  private final LongAdder heads = new LongAdder();
  private final LongAdder lists = new LongAdder();
  private final LongAdder deletes = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final LongAdder received = new LongAdder();

  /** A request that creates something. */
  public void put() {
    puts.increment();
  }

  /** A request that reads bytes. */
  public void get() {
    gets.increment();
  }

  /** A request for size and time of an object. */
  public void head() {
    heads.increment();
  }

  /** A request for names. */
  public void list() {
    lists.increment();
  }

  /** A request that deletes something. */
  public void delete() {
    deletes.increment();
  }

  /** One of the others repeats one that failed. */
  public void retried() {
    retries.increment();
  }

  /** Bytes of objects sent. */
  public void sent(long bytes) {
    sent.add(bytes);
  }

  /** Bytes of objects received. */
  public void received(long bytes) {
    received.add(bytes);
  }

  /** The counts so far. */
  public ObjectStoreMetrics metrics() {
    return new ObjectStoreMetrics(
        puts.sum(),
        gets.sum(),
        heads.sum(),
        lists.sum(),
        deletes.sum(),
        retries.sum(),
        sent.sum(),
        received.sum());
  }
}
