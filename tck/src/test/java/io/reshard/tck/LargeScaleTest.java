package io.reshard.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.memory.MemoryStateStoreProvider;
import io.reshard.rocksdb.RocksDbStateStoreProvider;
import io.reshard.spi.StateStoreProvider;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The suites that grow at large scale: a million rows through 200, 100 and 400 shards, and kills.
 */
@Tag("slow")
class LargeScaleTest {
  @TempDir Path directory;

  private void run(StateStoreProvider provider) {
    Tck.Report report =
        Tck.run(
            provider,
            directory,
            Long.getLong(Fixture.SEED_PROPERTY, System.nanoTime()),
            Scale.LARGE,
            test -> test.suite().equals("RoundTrip") || test.suite().equals("Persistence"),
            result -> {});
    assertThat(report.passed()).as("%s", report.table()).isTrue();
    assertThat(report.results())
        .filteredOn(result -> result.suite().equals("RoundTrip"))
        .isNotEmpty()
        .allMatch(result -> result.outcome() == Tck.Outcome.PASSED);
  }

  @Test
  void memory() {
    run(new MemoryStateStoreProvider());
  }

  @Test
  void rocksDb() {
    run(new RocksDbStateStoreProvider());
  }
}
