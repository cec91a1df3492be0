package io.reshard.tck;

import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.assertFails;
import static io.reshard.tck.Fixture.get;
import static io.reshard.tck.Fixture.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.Capability;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.spi.StateStoreProvider;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** How a backend is found, named and started. */
interface ProviderSuite extends Suite {
  @Test
  default void required_S011_name_is_well_formed() {
    assertThat(fixture().provider().name()).matches("[a-z][a-z0-9-]{0,31}");
    assertThat(fixture().provider().description()).isNotBlank().doesNotContain("\n");
  }

  @Test
  default void required_S011_is_found_by_ServiceLoader() {
    Class<?> type = fixture().provider().getClass();
    if (!Modifier.isPublic(type.getModifiers())) {
      throw new TestAbortedException(type + " is not public, so it cannot be a service");
    }
    assertThat(ServiceLoader.load(StateStoreProvider.class).stream().map(p -> p.type().getName()))
        .as("META-INF/services/%s", StateStoreProvider.class.getName())
        .contains(type.getName());
  }

  @Test
  default void required_S012_is_for_this_version_of_the_SPI() {
    assertThat(fixture().provider().spiVersion()).isEqualTo(StateStoreProvider.SPI_VERSION);
  }

  @Test
  default void required_S013_capabilities_are_the_same_at_every_call() {
    Set<Capability> before = Set.copyOf(fixture().provider().capabilities());
    ShardStore store = fixture().open();
    put(store, ONE, "k", "v");
    store.commit(1);
    assertThat(fixture().provider().capabilities()).isEqualTo(before);
  }

  @Test
  default void required_S014_unknown_option_is_refused() {
    BackendOptions options =
        new BackendOptions(
            BackendOptions.DEFAULT_MEMORY_BUDGET, Map.of("no-such-option-of-any-backend", "1"));
    Throwable e =
        assertFails(
            "an option that does not exist",
            Kind.INVALID,
            () -> fixture().provider().start(options).close());
    assertThat(e).hasMessageContaining("no-such-option-of-any-backend");
  }

  @Test
  default void required_S014_may_be_started_twice_at_once() {
    Backend first = fixture().start();
    Backend second = fixture().start();
    ShardStore a = first.open(new ShardOptions(fixture().newDirectory(), Fixture.COLUMN_FAMILIES));
    ShardStore b = second.open(new ShardOptions(fixture().newDirectory(), Fixture.COLUMN_FAMILIES));
    put(a, ONE, "k", "of a");
    put(b, ONE, "k", "of b");
    first.close();
    assertThat(a.state()).isEqualTo(ShardStore.State.CLOSED);
    assertThat(get(b, ONE, "k")).isEqualTo("of b");
  }

  @Test
  default void required_S014_works_with_the_least_memory_budget() {
    BackendOptions least = fixture().options().withMemoryBudget(1 << 20);
    try (Backend backend = fixture().provider().start(least)) {
      ShardStore store =
          backend.open(new ShardOptions(fixture().newDirectory(), Fixture.COLUMN_FAMILIES));
      byte[] value = new byte[10_000];
      for (int i = 0; i < 50; i++) {
        put(store, ONE, Rows.bytes(i), value);
      }
      store.commit(1);
      assertThat(Rows.all(store, ONE)).hasSize(50);
    }
  }

  @Test
  default void required_S023_a_new_directory_is_made_and_holds_an_empty_shard() {
    ShardStore store = fixture().open(fixture().newDirectory().resolve("deep").resolve("er"));
    assertThat(store.version()).isZero();
    assertThat(store.state()).isEqualTo(ShardStore.State.OPEN);
    assertThat(Rows.all(store, ONE)).isEmpty();
    assertThat(Rows.all(store, Fixture.TWO)).isEmpty();
  }
}
