package io.reshard.tck;

import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.put;
import static io.reshard.tck.Rows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardStore;
import io.reshard.spi.WriteBatch;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Figures. */
interface MetricsSuite extends Suite {
  private static long metric(ShardStore store, String name) {
    return Objects.requireNonNull(store.metrics().get(name), name);
  }

  @Test
  default void required_S601_the_figures_are_there() {
    ShardStore store = fixture().open();
    assertThat(store.metrics())
        .containsKeys(
            "memory.bytes", "uncommitted.bytes", "rows.estimate", "gets", "scans", "writes");
    assertThat(store.metrics().values()).allMatch(value -> value >= 0);
  }

  @Test
  default void required_S601_counters_count() {
    ShardStore store = fixture().open();
    long gets = metric(store, "gets");
    long scans = metric(store, "scans");
    long writes = metric(store, "writes");
    store.write(
        new WriteBatch()
            .put(ONE, bytes("a"), bytes("1"))
            .put(ONE, bytes("b"), bytes("1"))
            .delete(ONE, bytes("c")));
    store.get(ONE, bytes("a"));
    store.get(ONE, bytes("none"));
    store.scan(ONE, ScanRange.all()).close();
    assertThat(metric(store, "gets")).isEqualTo(gets + 2);
    assertThat(metric(store, "scans")).isEqualTo(scans + 1);
    assertThat(metric(store, "writes")).as("operations written").isEqualTo(writes + 3);
  }

  @Test
  default void required_S601_uncommitted_bytes_end_with_commit_and_rollback() {
    ShardStore store = fixture().open();
    assertThat(metric(store, "uncommitted.bytes")).isZero();
    put(store, ONE, bytes("k"), new byte[1000]);
    assertThat(metric(store, "uncommitted.bytes")).isBetween(1000L, 100_000L);
    store.commit(1);
    assertThat(metric(store, "uncommitted.bytes")).isZero();
    put(store, ONE, bytes("l"), new byte[1000]);
    assertThat(metric(store, "uncommitted.bytes")).isPositive();
    store.rollback();
    assertThat(metric(store, "uncommitted.bytes")).isZero();
  }

  @Test
  default void required_S601_memory_counts_uncommitted_writes() {
    ShardStore store = fixture().open();
    long before = metric(store, "memory.bytes");
    put(store, ONE, bytes("k"), new byte[200_000]);
    assertThat(metric(store, "memory.bytes")).isGreaterThanOrEqualTo(before + 200_000);
    assertThat(fixture().backend().memoryUsed()).isGreaterThanOrEqualTo(200_000);
  }

  @Test
  default void required_S601_rows_are_estimated() {
    ShardStore store = fixture().open();
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < 1000; i++) {
      batch.put(ONE, bytes(i >> 8, i), bytes(i));
    }
    store.write(batch);
    store.commit(1);
    assertThat(metric(store, "rows.estimate")).isBetween(500L, 2000L);
  }
}
