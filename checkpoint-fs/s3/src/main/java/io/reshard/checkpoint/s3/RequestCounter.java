package io.reshard.checkpoint.s3;

import io.reshard.checkpoint.ObjectStoreMetrics;
import java.util.concurrent.atomic.LongAdder;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;

/** Counts requests as they are about to go over the wire. */
final class RequestCounter implements ExecutionInterceptor {
  private final LongAdder puts = new LongAdder();
  private final LongAdder gets = new LongAdder();
  private final LongAdder heads = new LongAdder();
  private final LongAdder lists = new LongAdder();
  private final LongAdder deletes = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final LongAdder received = new LongAdder();

  @Override
  public void beforeTransmission(
      Context.BeforeTransmission context, ExecutionAttributes attributes) {
    kind(String.valueOf(attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME))).increment();
  }

  private LongAdder kind(String operation) {
    if (operation.startsWith("List")) {
      return lists;
    }
    if (operation.startsWith("Head")) {
      return heads;
    }
    if (operation.startsWith("Get")) {
      return gets;
    }
    return operation.startsWith("Delete") || operation.startsWith("Abort") ? deletes : puts;
  }

  void retried() {
    retries.increment();
  }

  void sent(long bytes) {
    sent.add(bytes);
  }

  void received(long bytes) {
    received.add(bytes);
  }

  ObjectStoreMetrics metrics() {
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
