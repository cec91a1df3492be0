package io.reshard.checkpoint.testing;

import io.reshard.checkpoint.ObjectInfo;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreMetrics;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.ForwardingSource;
import io.reshard.sst.SstSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An object store that fails as a real one may, in the order a seed decides. Around any other one;
 * perfect until told otherwise.
 *
 * <ul>
 *   <li>An error before: UNAVAILABLE, and nothing happened.
 *   <li>A lost answer: UNAVAILABLE, and it did happen.
 *   <li>A crash: from some operation on every call fails, as if the machine were gone. The
 *       operation at which it happens is done or not, as the seed has it; a file on its way may be
 *       left behind in part, an object never.
 *   <li>A full disk: nothing can be created.
 *   <li>Delays, which let threads overtake each other.
 * </ul>
 *
 * A test that needs one certain order of events has something done just {@linkplain #before before}
 * or {@linkplain #after after} a call. Thread-safe.
 */
public final class FaultyObjectStore implements ObjectStore {
  /** What is called. */
  public enum Operation {
    /** {@link ObjectStore#open}, and every read of what it gives. */
    READ,
    /** {@link ObjectStore#info}. */
    INFO,
    /** {@link ObjectStore#list}. */
    LIST,
    /** {@link ObjectStore#putIfAbsent}. */
    PUT,
    /** {@link ObjectStore#delete}. */
    DELETE
  }

  private record Hook(Operation operation, String prefix, boolean before, Runnable action) {}

  private final ObjectStore delegate;
  private final Random random;
  private final List<Hook> hooks = new ArrayList<>();
  private int errorPermille;
  private int lostAnswerPermille;
  private int delayPermille;
  private long crashAt = Long.MAX_VALUE;
  private long operations;
  private boolean crashed;
  private boolean full;

  /** Around {@code delegate}, which is closed with this one. */
  public FaultyObjectStore(ObjectStore delegate, long seed) {
    this.delegate = delegate;
    this.random = new Random(seed);
  }

  /** From now on this many of 1,000 calls fail before anything has happened. */
  public synchronized FaultyObjectStore errors(int permille) {
    errorPermille = permille;
    return this;
  }

  /** From now on the answers to this many of 1,000 calls get lost. */
  public synchronized FaultyObjectStore lostAnswers(int permille) {
    lostAnswerPermille = permille;
    return this;
  }

  /** From now on this many of 1,000 calls are delayed, by up to a millisecond. */
  public synchronized FaultyObjectStore delays(int permille) {
    delayPermille = permille;
    return this;
  }

  /** Crashes at the {@code n}th call from now, the next being the first. */
  public synchronized FaultyObjectStore crashAfter(long n) {
    crashAt = operations + n;
    return this;
  }

  /** Whether the disk is full. */
  public synchronized FaultyObjectStore full(boolean isFull) {
    full = isFull;
    return this;
  }

  /** From now on nothing fails any more; a crash stays one. */
  public synchronized FaultyObjectStore calm() {
    errorPermille = 0;
    lostAnswerPermille = 0;
    delayPermille = 0;
    crashAt = Long.MAX_VALUE;
    full = false;
    return this;
  }

  /** Does something once, just before the next call of that kind for such a name. */
  public synchronized FaultyObjectStore before(
      Operation operation, String prefix, Runnable action) {
    hooks.add(new Hook(operation, prefix, true, action));
    return this;
  }

  /** Does something once, just after the next call of that kind for such a name. */
  public synchronized FaultyObjectStore after(Operation operation, String prefix, Runnable action) {
    hooks.add(new Hook(operation, prefix, false, action));
    return this;
  }

  /** Calls so far. */
  public synchronized long operations() {
    return operations;
  }

  /** Whether the crash has happened. */
  public synchronized boolean isCrashed() {
    return crashed;
  }

  /** What becomes of a call. */
  private enum Fate {
    DONE,
    ERROR,
    ANSWER_LOST
  }

  private <T extends @Nullable Object> T call(Operation operation, String name, Supplier<T> call) {
    run(operation, name, true);
    Fate fate = decide(operation, name);
    if (fate == Fate.ERROR) {
      throw unavailable(operation, name, "nothing was done");
    }
    T result = call.get();
    if (fate == Fate.ANSWER_LOST) {
      throw unavailable(operation, name, "the answer was lost");
    }
    run(operation, name, false);
    return result;
  }

  private static StateStoreException unavailable(Operation operation, String name, String what) {
    return StateStoreException.unavailable(
        "injected fault: " + operation + " of '" + name + "': " + what, null);
  }

  private void run(Operation operation, String name, boolean before) {
    List<Runnable> actions = new ArrayList<>();
    synchronized (this) {
      for (Iterator<Hook> it = hooks.iterator(); it.hasNext(); ) {
        Hook hook = it.next();
        if (hook.before == before && hook.operation == operation && name.startsWith(hook.prefix)) {
          it.remove();
          actions.add(hook.action);
        }
      }
    }
    actions.forEach(Runnable::run);
  }

  private Fate decide(Operation operation, String name) {
    boolean delayed;
    Fate fate;
    synchronized (this) {
      operations++;
      if (crashed) {
        throw unavailable(operation, name, "crashed before");
      }
      if (operations >= crashAt) {
        crashed = true;
        return random.nextBoolean() ? Fate.ERROR : Fate.ANSWER_LOST;
      }
      if (full && operation == Operation.PUT) {
        throw unavailable(operation, name, "the disk is full; make room there, then call again");
      }
      delayed = random.nextInt(1000) < delayPermille;
      int dice = random.nextInt(1000);
      fate =
          dice < errorPermille
              ? Fate.ERROR
              : dice < errorPermille + lostAnswerPermille ? Fate.ANSWER_LOST : Fate.DONE;
    }
    if (delayed) {
      LockSupport.parkNanos(1_000_000);
    }
    return fate;
  }

  @Override
  public String location() {
    return delegate.location();
  }

  @Override
  public @Nullable SstSource open(String name) {
    SstSource source = call(Operation.READ, name, () -> delegate.open(name));
    return source == null ? null : new FaultySource(source);
  }

  @Override
  public @Nullable ObjectInfo info(String name) {
    return call(Operation.INFO, name, () -> delegate.info(name));
  }

  @Override
  public boolean putIfAbsent(String name, byte[] content) {
    try {
      return call(Operation.PUT, name, () -> delegate.putIfAbsent(name, content));
    } catch (StateStoreException e) {
      leavePart(content);
      throw e;
    }
  }

  @Override
  public boolean putIfAbsent(String name, Path file) {
    return call(Operation.PUT, name, () -> delegate.putIfAbsent(name, file));
  }

  /** A write that was cut short leaves a part of itself, where no object is. */
  private void leavePart(byte[] content) {
    try {
      Path part = delegate.stagingDirectory().resolve(UUID.randomUUID() + ".tmp");
      Files.write(part, java.util.Arrays.copyOf(content, content.length / 2));
    } catch (IOException e) {
      throw StateStoreException.internal("cannot leave a part of a file", e);
    }
  }

  @Override
  public List<ObjectInfo> list(String prefix, String after, int limit) {
    return call(Operation.LIST, prefix, () -> delegate.list(prefix, after, limit));
  }

  @Override
  public void delete(String name) {
    call(
        Operation.DELETE,
        name,
        () -> {
          delegate.delete(name);
          return true;
        });
  }

  @Override
  public Path stagingDirectory() {
    return delegate.stagingDirectory();
  }

  @Override
  public void checkCreatesOnce(String name) {
    call(
        Operation.PUT,
        name,
        () -> {
          delegate.checkCreatesOnce(name);
          return true;
        });
  }

  @Override
  public long removeUnfinished(long beforeMillis, boolean dryRun) {
    return call(Operation.DELETE, "", () -> delegate.removeUnfinished(beforeMillis, dryRun));
  }

  @Override
  public ObjectStoreMetrics metrics() {
    return delegate.metrics();
  }

  @Override
  public void close() {
    delegate.close();
  }

  private final class FaultySource extends ForwardingSource {
    FaultySource(SstSource source) {
      super(source);
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) {
      call(
          Operation.READ,
          name(),
          () -> {
            super.read(position, target, offset, length);
            return true;
          });
    }
  }
}
