package io.reshard.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateStoreProvidersTest {
  @TempDir Path directory;

  /** What the providers of this test have in common. */
  abstract static class Fake implements StateStoreProvider {
    @Override
    public String name() {
      return getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    @Override
    public int spiVersion() {
      return SPI_VERSION;
    }

    @Override
    public Set<Capability> capabilities() {
      return Set.of();
    }

    @Override
    public String description() {
      return "none";
    }

    @Override
    public Backend start(BackendOptions options) {
      throw StateStoreException.internal("not to be started", null);
    }
  }

  /** A sound one. */
  public static final class Alpha extends Fake {}

  /** Another sound one. */
  public static final class Beta extends Fake {}

  /** One whose name another has. */
  public static final class Twin extends Fake {
    @Override
    public String name() {
      return "alpha";
    }
  }

  /** One with a name that is none. */
  public static final class Malformed extends Fake {
    @Override
    public String name() {
      return "../Evil name";
    }
  }

  /** One of another time. */
  public static final class Old extends Fake {
    @Override
    public int spiVersion() {
      return SPI_VERSION + 1;
    }
  }

  /** One that cannot be made. */
  public static final class Hidden extends Fake {
    private Hidden() {}
  }

  private interface Call {
    void run();
  }

  /** Runs with a class path on which exactly these providers are services. */
  private void with(List<String> names, Call call) throws IOException {
    Path services = directory.resolve("META-INF/services");
    Files.createDirectories(services);
    Files.write(services.resolve(StateStoreProvider.class.getName()), names);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {directory.toUri().toURL()}, before)) {
      thread.setContextClassLoader(loader);
      call.run();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static String name(Class<?> type) {
    return type.getName();
  }

  @Test
  void listsWhatIsThereByName() throws IOException {
    with(
        List.of(name(Beta.class), name(Alpha.class)),
        () -> {
          assertThat(StateStoreProviders.all())
              .extracting(StateStoreProvider::name)
              .containsExactly("alpha", "beta");
          assertThat(StateStoreProviders.find("beta")).isInstanceOf(Beta.class);
        });
  }

  @Test
  void anUnknownNameListsThoseFound() throws IOException {
    with(
        List.of(name(Beta.class), name(Alpha.class)),
        () -> assertKind(StateStoreException.Kind.INVALID, "gamma", "'gamma'", "alpha, beta"));
    with(List.of(), () -> assertKind(StateStoreException.Kind.INVALID, "gamma", "found: none"));
  }

  @Test
  void oneOfAnotherSpiVersionIsIncompatible() throws IOException {
    with(
        List.of(name(Old.class)),
        () -> assertKind(StateStoreException.Kind.INCOMPATIBLE, "old", "'old'", "version 2"));
  }

  @Test
  void aNameThatTwoHaveIsRefused() throws IOException {
    with(
        List.of(name(Alpha.class), name(Twin.class)),
        () ->
            assertKind(
                StateStoreException.Kind.INVALID, "alpha", "twice", name(Alpha.class), "Twin"));
  }

  @Test
  void aMalformedNameIsRefused() throws IOException {
    with(
        List.of(name(Malformed.class)),
        () -> assertKind(StateStoreException.Kind.INVALID, "x", "../Evil name", "Malformed"));
  }

  @Test
  void oneThatCannotBeLoadedIsRefused() throws IOException {
    with(
        List.of("no.such.Provider"),
        () -> assertKind(StateStoreException.Kind.INVALID, "x", "no.such.Provider"));
    with(
        List.of(name(Hidden.class)),
        () -> assertKind(StateStoreException.Kind.INVALID, "x", "Hidden"));
  }

  private static void assertKind(StateStoreException.Kind kind, String backend, String... message) {
    assertThatThrownBy(() -> StateStoreProviders.find(backend))
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(kind))
        .hasMessageContainingAll(message);
  }
}
