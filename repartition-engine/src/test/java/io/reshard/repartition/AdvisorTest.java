package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.StateStoreException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdvisorTest {
  private static final List<ColumnFamily> COLUMN_FAMILIES =
      List.of(
          ColumnFamily.hashed("hashed").withPartitionKey(PartitionKey.first(2)),
          ColumnFamily.ordered("ordered").withPartitionKey(PartitionKey.first(2)));

  @TempDir Path directory;

  private final long seed = Seeds.seed();

  @Test
  void predictsWhatARepartitionGives() {
    for (Layout layout : List.of(Layout.slots(4), Layout.modulo(4))) {
      Random random = Seeds.random(seed);
      TestStore content = new TestStore(COLUMN_FAMILIES, random);
      Map<Integer, Long> byPartitionKey = new HashMap<>();
      long bytes = 0;
      int rows = 1000;
      for (int i = 0; i < rows; i++) {
        int user = random.nextInt(3) == 0 ? 7 : random.nextInt(100);
        byte[] key = {0, (byte) user, (byte) (i >>> 8), (byte) i};
        byte[] value = new byte[random.nextInt(50)];
        String name = COLUMN_FAMILIES.get(i % 2).name();
        content.put(name, key, new byte[500]).put(name, key, value);
        bytes += key.length + value.length;
        byPartitionKey.merge(user, (long) key.length + value.length, Long::sum);
      }
      content.put("hashed", new byte[] {0, 1}, new byte[9]).delete("hashed", new byte[] {0, 1});
      String name = layout.kind().label();
      try (CheckpointStore store =
          CheckpointStore.create(ObjectStores.open(directory.resolve(name).toString()))) {
        Manifest manifest = content.publish(store, layout);
        List<Integer> counts = List.of(2, 4, 9, 1000);
        Advisor.Advice advice = Advisor.advise(store, manifest, counts);
        assertThat(advice.rows()).isEqualTo(rows);
        assertThat(advice.bytes()).isEqualTo(bytes);
        assertThat(advice.heaviestKeyShare())
            .as(Seeds.replay(seed))
            .isEqualTo((double) byPartitionKey.getOrDefault(7, 0L) / bytes);
        assertThat(advice.candidates()).hasSize(4);
        for (int i = 0; i < counts.size(); i++) {
          check(layout.withShards(counts.get(i)), advice.candidates().get(i), byPartitionKey);
        }
        assertThat(advice.candidates().get(1).bytesRewritten()).isZero();
        assertThat(advice.candidates().get(2).bytesRewritten())
            .isEqualTo(Repartitioner.plan(store, 1, 9).bytesRewritten());
        assertThat(String.join("\n", advice.suggestions()))
            .contains("heaviest partition key, 0x0007", "of 1000 shards would have no row");
      }
    }
  }

  private static void check(
      Layout layout, Advisor.Candidate candidate, Map<Integer, Long> byPartitionKey) {
    Map<Integer, Long> byShard = new HashMap<>();
    Set<Integer> occupied = new HashSet<>();
    byPartitionKey.forEach(
        (user, bytes) -> {
          int shard =
              TestStore.shardOf(layout, COLUMN_FAMILIES.get(0), new byte[] {0, user.byteValue()});
          byShard.merge(shard, bytes, Long::sum);
          occupied.add(shard);
        });
    long largest = Collections.max(byShard.values());
    long total = byPartitionKey.values().stream().mapToLong(Long::longValue).sum();
    assertThat(candidate.shards()).isEqualTo(layout.shards());
    assertThat(candidate.largestBytes()).isEqualTo(largest);
    assertThat(candidate.emptyShards()).isEqualTo(layout.shards() - occupied.size());
    long smallest = occupied.size() < layout.shards() ? 0 : Collections.min(byShard.values());
    assertThat(candidate.smallestBytes()).isEqualTo(smallest);
    assertThat(candidate.skew())
        .isCloseTo(
            (double) largest * layout.shards() / total, org.assertj.core.data.Offset.offset(1e-9));
  }

  @Test
  void anEmptyStoreIsAdvisedToo() {
    try (CheckpointStore store = CheckpointStore.create(ObjectStores.open(directory.toString()))) {
      Manifest manifest =
          new TestStore(COLUMN_FAMILIES, Seeds.random(seed)).publish(store, Layout.slots(3));
      Advisor.Advice advice = Advisor.advise(store, manifest, List.of(1, 2));
      assertThat(advice.rows()).isZero();
      assertThat(advice.heaviestKeyShare()).isZero();
      assertThat(advice.candidates().get(0).skew()).isEqualTo(1);
      assertThat(advice.suggestions()).containsExactly("The store has no rows; any count will do.");
      assertThatThrownBy(() -> Advisor.advise(store, manifest, List.of(0)))
          .isInstanceOf(StateStoreException.class)
          .hasMessageContaining("1 to 65536");
      assertThatThrownBy(() -> Advisor.advise(store, manifest, Collections.nCopies(65, 1)))
          .isInstanceOf(StateStoreException.class)
          .hasMessageContaining("at most 64");
    }
  }
}
