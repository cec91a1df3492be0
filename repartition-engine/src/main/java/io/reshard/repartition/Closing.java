package io.reshard.repartition;

import io.reshard.spi.StateStoreException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes several things, each whatever the others do. */
final class Closing {
  private Closing() {}

  /** Closes all of them, and throws the first failure with the others suppressed. */
  static void all(List<? extends @Nullable AutoCloseable> things) {
    RuntimeException first = null;
    for (AutoCloseable thing : things) {
      try {
        if (thing != null) {
          thing.close();
        }
      } catch (RuntimeException e) {
        first = add(first, e);
      } catch (Exception e) {
        first = add(first, StateStoreException.internal("closing failed: " + e, e));
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private static RuntimeException add(@Nullable RuntimeException first, RuntimeException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }
}
