package io.reshard.tck;

import io.reshard.spi.BackendOptions;
import io.reshard.spi.StateStoreProvider;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * All suites of the kit, for one backend; run by JUnit. This is all that a backend's author writes:
 *
 * <pre>{@code
 * class MyBackendTest extends StateStoreTck {
 *   @Override
 *   protected StateStoreProvider provider() {
 *     return new MyProvider();
 *   }
 * }
 * }</pre>
 *
 * <p>Every test is named after the rule it checks: {@code required_S103_…} must pass or the backend
 * is none; {@code optional_…_REVERSE_SCAN} must pass where the capability is declared, and is
 * skipped where it is not. That what is not declared fails as documented is a required test too.
 * The rules are in {@code docs/spi-rules.md}.
 *
 * <p>System properties: {@code reshard.seed} replays the random suites of an earlier run (a failure
 * prints its seed); {@code reshard.tck.scale=large} adds the round trip of a million rows. The
 * tests sync files to disk; a build is quicker where {@code java.io.tmpdir} is on a fast one.
 */
@ExtendWith(ConformanceTable.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
public abstract class StateStoreTck
    implements ProviderSuite,
        BasicSuite,
        OrderingSuite,
        IterationSuite,
        OwnershipSuite,
        ColumnFamilySuite,
        VersionSuite,
        LimitsSuite,
        LifecycleSuite,
        SnapshotSuite,
        PersistenceSuite,
        ConcurrencySuite,
        ModelSuite,
        RoundTripSuite,
        MetricsSuite {
  static final long RUN_SEED =
      Long.getLong(Fixture.SEED_PROPERTY, System.nanoTime() & 0x7fff_ffffL);

  private @Nullable Fixture fixture;

  /** Makes the kit; subclasses need nothing else. */
  protected StateStoreTck() {}

  /** The backend to prove. */
  protected abstract StateStoreProvider provider();

  /** The options it is started with. */
  protected BackendOptions backendOptions() {
    return BackendOptions.defaults();
  }

  @BeforeEach
  final void start(@TempDir Path directory) {
    start(directory, RUN_SEED, Scale.ofProperty());
  }

  final void start(Path directory, long seed, Scale scale) {
    fixture = new Fixture(provider(), backendOptions(), directory, seed, scale);
  }

  @AfterEach
  final void stop() {
    if (fixture != null) {
      fixture.close();
      fixture = null;
    }
  }

  @Override
  public final Fixture fixture() {
    if (fixture == null) {
      throw new IllegalStateException("no test is running");
    }
    return fixture;
  }
}
