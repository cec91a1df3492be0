package io.reshard.tck;

import io.reshard.tck.Tck.Outcome;
import io.reshard.tck.Tck.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;
import org.junit.jupiter.api.extension.TestWatcher;

/** Prints the conformance table when all tests of a backend's class have run. */
final class ConformanceTable implements TestWatcher, TestInstancePostProcessor, AfterAllCallback {
  private final Map<String, Result> results = new ConcurrentHashMap<>();
  private volatile String backend = "";

  @Override
  public void postProcessTestInstance(Object instance, ExtensionContext context) {
    if (instance instanceof StateStoreTck kit) {
      backend = kit.provider().name();
    }
  }

  @Override
  public void testSuccessful(ExtensionContext context) {
    note(context, Outcome.PASSED, null);
  }

  @Override
  public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
    note(context, Outcome.SKIPPED, cause);
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    note(context, Outcome.FAILED, cause);
  }

  @Override
  public void testDisabled(ExtensionContext context, Optional<String> reason) {
    note(context, Outcome.SKIPPED, null);
  }

  private void note(ExtensionContext context, Outcome outcome, @Nullable Throwable cause) {
    String name = context.getRequiredTestMethod().getName();
    for (KitTest test : KitTest.all()) {
      if (test.name().equals(name)) {
        results.put(name, test.result(outcome, cause));
      }
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    List<Result> inOrder = new ArrayList<>();
    for (KitTest test : KitTest.all()) {
      Result result = results.get(test.name());
      if (result != null) {
        inOrder.add(result);
      }
    }
    results.clear();
    System.out.print(new Tck.Report(backend, StateStoreTck.RUN_SEED, inOrder).table());
  }
}
