package io.reshard.checkpoint.s3;

import io.reshard.checkpoint.ObjectStoreMetrics;
import io.reshard.checkpoint.RequestCounts;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;

/** Counts requests as they are about to go over the wire. */
final class RequestCounter implements ExecutionInterceptor {
  private final RequestCounts counts = new RequestCounts();

  @Override
  public void beforeTransmission(
      Context.BeforeTransmission context, ExecutionAttributes attributes) {
    count(String.valueOf(attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME)));
  }

  private void count(String operation) {
    if (operation.startsWith("List")) {
      counts.list();
    } else if (operation.startsWith("Head")) {
      counts.head();
    } else if (operation.startsWith("Get")) {
      counts.get();
    } else if (operation.startsWith("Delete") || operation.startsWith("Abort")) {
      counts.delete();
    } else {
      counts.put();
    }
  }

  void retried() {
    counts.retried();
  }

  void sent(long bytes) {
    counts.sent(bytes);
  }

  void received(long bytes) {
    counts.received(bytes);
  }

  ObjectStoreMetrics metrics() {
    return counts.metrics();
  }
}
