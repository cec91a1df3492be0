package io.reshard.tck;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.Capability;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.StateStoreProvider;
import io.reshard.spi.WriteBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * What one test works with: the backend under test, started when first needed, directories of its
 * own, and a seed. Closes whatever the test left open, and checks that this works.
 */
final class Fixture implements AutoCloseable {
  /** A column family in every shard that {@link #open()} opens. */
  static final String ONE = "one";

  /** Another; it is ORDERED. */
  static final String TWO = "two";

  /** The column families of {@link #open()}. */
  static final List<ColumnFamily> COLUMN_FAMILIES =
      List.of(ColumnFamily.hashed(ONE), ColumnFamily.ordered(TWO));

  /** The property that replays a run. */
  static final String SEED_PROPERTY = "reshard.seed";

  /** Something that may throw. */
  interface Call {
    void run() throws Exception;
  }

  /** Something that is done to a store. */
  interface Change {
    void run(ShardStore store);
  }

  private final StateStoreProvider provider;
  private final BackendOptions options;
  private final Path directory;
  private final long seed;
  private final Scale scale;
  private final Function<Path, ObjectStore> objectStores;
  private final List<Backend> backends = new ArrayList<>();
  private @Nullable Backend backend;
  private final AtomicInteger directories = new AtomicInteger();

  Fixture(
      StateStoreProvider provider, BackendOptions options, Path directory, long seed, Scale scale) {
    this(provider, options, directory, seed, scale, ObjectStores::open);
  }

  /** {@code objectStores} opens the place of a store, given a directory nobody else has. */
  Fixture(
      StateStoreProvider provider,
      BackendOptions options,
      Path directory,
      long seed,
      Scale scale,
      Function<Path, ObjectStore> objectStores) {
    this.objectStores = objectStores;
    this.provider = provider;
    this.options = options;
    this.directory = directory;
    this.seed = seed;
    this.scale = scale;
  }

  StateStoreProvider provider() {
    return provider;
  }

  BackendOptions options() {
    return options;
  }

  Scale scale() {
    return scale;
  }

  long seed() {
    return seed;
  }

  /** The backend under test, started at the first call. */
  Backend backend() {
    if (backend == null) {
      backend = start();
    }
    return backend;
  }

  /** Another start of the backend under test; closed with the fixture. */
  Backend start() {
    return start(provider);
  }

  /** Starts any backend; closed with the fixture. */
  Backend start(StateStoreProvider any) {
    Backend started = any.start(any == provider ? options : BackendOptions.defaults());
    backends.add(started);
    return started;
  }

  /** A directory that does not exist yet. */
  Path newDirectory() {
    return directory.resolve("d" + directories.getAndIncrement());
  }

  /** A place for a store, with nothing in it. */
  ObjectStore newObjectStore() {
    return objectStores.apply(newDirectory());
  }

  /** An empty shard in a directory of its own. */
  ShardStore open() {
    return open(newDirectory());
  }

  /** The shard of a directory. */
  ShardStore open(Path shard) {
    return backend().open(new ShardOptions(shard, COLUMN_FAMILIES));
  }

  /** Whether the backend declares it. */
  boolean declares(Capability capability) {
    return provider.capabilities().contains(capability);
  }

  /** Skips the test where the backend does not declare what it is about. */
  void requires(Capability capability) {
    if (!declares(capability)) {
      throw new TestAbortedException(capability + " is not declared");
    }
  }

  /** Skips the test where the backend declares what it is about. */
  void requiresNot(Capability capability) {
    if (declares(capability)) {
      throw new TestAbortedException(capability + " is declared");
    }
  }

  /** Skips the test unless the kit runs at large scale. */
  void requiresLarge() {
    if (scale != Scale.LARGE) {
      throw new TestAbortedException("only with -D" + Scale.PROPERTY + "=large");
    }
  }

  /** A random generator of this run; another for every {@code stream}. */
  RandomGenerator random(int stream) {
    return new SplittableRandom(seed * 31 + stream);
  }

  /** Runs what uses {@link #random}; what it throws tells how to replay it. */
  void seeded(Call test) {
    try {
      test.run();
    } catch (TestAbortedException e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(
          e.getMessage() + " (replay with -D" + SEED_PROPERTY + "=" + seed + ")", e);
    }
  }

  /** Writes one row as a batch. */
  static void put(ShardStore store, String columnFamily, byte[] key, byte[] value) {
    store.write(new WriteBatch().put(columnFamily, key, value));
  }

  /** Writes one row of text as a batch. */
  static void put(ShardStore store, String columnFamily, String key, String value) {
    put(store, columnFamily, Rows.bytes(key), Rows.bytes(value));
  }

  /** Deletes one row as a batch. */
  static void delete(ShardStore store, String columnFamily, String key) {
    store.write(new WriteBatch().delete(columnFamily, Rows.bytes(key)));
  }

  /** The value of a key as text, or null. */
  static @Nullable String get(ShardStore store, String columnFamily, String key) {
    byte[] value = store.get(columnFamily, Rows.bytes(key));
    return value == null ? null : new String(value, US_ASCII);
  }

  /** The values of keys as text, by multiGet. */
  static List<@Nullable String> multiGet(ShardStore store, String columnFamily, String... keys) {
    byte[][] asked = Arrays.stream(keys).map(Rows::bytes).toArray(byte[][]::new);
    List<@Nullable String> values = new ArrayList<>();
    for (byte[] value : store.multiGet(columnFamily, asked)) {
      values.add(value == null ? null : new String(value, US_ASCII));
    }
    return values;
  }

  /**
   * Checks that a call fails as the SPI says: with a {@link StateStoreException} of one kind and a
   * message.
   */
  static StateStoreException assertFails(String what, Kind kind, Call call) {
    try {
      call.run();
    } catch (StateStoreException e) {
      assertThat(e.kind())
          .as("kind of the failure of %s (%s)", what, e.getMessage())
          .isEqualTo(kind);
      assertThat(e.getMessage()).as("message of the failure of %s", what).isNotBlank();
      return e;
    } catch (Throwable e) {
      throw new AssertionError(
          what + ": expected a StateStoreException of kind " + kind + ", not " + e, e);
    }
    throw new AssertionError(
        what + ": expected a StateStoreException of kind " + kind + ", but it succeeded");
  }

  /** Checks that a call that needs an undeclared capability fails with the documented message. */
  void assertUnsupported(String what, Capability capability, Call call) {
    StateStoreException e = assertFails(what, Kind.INVALID, call);
    assertThat(e.getMessage())
        .as("message of the failure of %s", what)
        .isEqualTo(StateStoreException.unsupported(provider.name(), capability).getMessage());
  }

  /** Closes everything the test started; its stores with it. */
  @Override
  public void close() {
    Throwable first = null;
    for (Backend started : backends) {
      try {
        started.close();
      } catch (RuntimeException e) {
        first = e;
      }
    }
    if (first != null) {
      throw new AssertionError("the backend cannot be closed after the test: " + first, first);
    }
  }
}
