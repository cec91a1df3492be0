package io.reshard.tck;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/**
 * A test of the kit, found in the suites that {@link StateStoreTck} is made of: the one list that
 * JUnit, {@link Tck#run} and the documentation share.
 *
 * @param suite name of its suite
 * @param rule id of its rule
 * @param required whether every backend must pass it
 * @param method the test itself
 */
record KitTest(String suite, String rule, boolean required, Method method) {
  private static final int MAX_MESSAGE = 500;
  private static final Pattern NAME =
      Pattern.compile("(required|optional)_S([0-9]{3})_[A-Za-z0-9_]+");

  private static final List<KitTest> ALL = find();

  /** Every test, ordered by suite as {@link StateStoreTck} names them, then by name. */
  static List<KitTest> all() {
    return ALL;
  }

  private static List<KitTest> find() {
    List<KitTest> tests = new ArrayList<>();
    for (Class<?> suite : StateStoreTck.class.getInterfaces()) {
      List<KitTest> ofSuite = new ArrayList<>();
      for (Method method : suite.getDeclaredMethods()) {
        if (method.isAnnotationPresent(Test.class)) {
          ofSuite.add(of(suite, method));
        }
      }
      ofSuite.sort(Comparator.comparing(KitTest::name));
      tests.addAll(ofSuite);
    }
    return List.copyOf(tests);
  }

  private static KitTest of(Class<?> suite, Method method) {
    Matcher name = NAME.matcher(method.getName());
    if (!name.matches()) {
      throw new IllegalStateException(method + " is not named after a rule");
    }
    method.setAccessible(true);
    return new KitTest(
        suite.getSimpleName().replaceFirst("Suite$", ""),
        "S-" + name.group(2),
        name.group(1).equals("required"),
        method);
  }

  /** The name of its method. */
  String name() {
    return method.getName();
  }

  /** Runs it; throws what it throws. */
  void run(StateStoreTck kit) throws Throwable {
    try {
      method.invoke(kit);
    } catch (InvocationTargetException e) {
      throw Objects.requireNonNullElse(e.getCause(), e);
    }
  }

  /** What came of it; {@code cause} is why it failed or was skipped. */
  Tck.Result result(Tck.Outcome outcome, @Nullable Throwable cause) {
    return new Tck.Result(suite, rule, name(), outcome, cause == null ? "" : messageOf(cause));
  }

  /** The message of a failure on one line of bounded length. */
  private static String messageOf(Throwable e) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    if (!(e instanceof AssertionError || e instanceof TestAbortedException)) {
      message = e.getClass().getSimpleName() + ": " + message;
    }
    message = message.strip().replaceAll("\\s+", " ");
    return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…";
  }
}
