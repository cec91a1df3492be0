package io.reshard.repartition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.repartition.Work.SourceShard;
import io.reshard.repartition.Work.SplitFile;
import io.reshard.repartition.Work.StreamRows;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlannerTest {
  private static final ColumnFamily HASHED = ColumnFamily.hashed("hashed");
  private static final ColumnFamily ORDERED = ColumnFamily.ordered("ordered");

  @ParameterizedTest
  @CsvSource({
    "200, 100, 200",
    "100, 400, 400",
    "200, 300, 600",
    "200, 256, 6400",
    "199, 200, 39800",
    "1, 65536, 65536",
    "65535, 65536, 4294901760"
  })
  void pairsOfModuloAreTheLeastCommonMultiple(int n, int m, long pairs) {
    assertThat(Planner.pairs(Layout.modulo(n), Layout.modulo(m))).isEqualTo(pairs);
  }

  @ParameterizedTest
  @CsvSource({"6, 4", "7, 13", "13, 7", "12, 12", "1, 9", "200, 256", "65536, 3", "199, 200"})
  void pairsAreThoseABruteForceFinds(int n, int m) {
    Set<Long> modulo = new HashSet<>();
    int residues = n / Shards.gcd(n, m) * m;
    for (int hash = 0; hash < residues; hash++) {
      modulo.add((long) (hash % n) << 32 | hash % m);
    }
    assertThat(Planner.pairs(Layout.modulo(n), Layout.modulo(m))).isEqualTo(modulo.size());
    Set<Long> slots = new HashSet<>();
    for (int slot = 0; slot < Layout.SLOTS; slot++) {
      slots.add((long) Layout.slots(n).shardOfSlot(slot) << 32 | Layout.slots(m).shardOfSlot(slot));
    }
    assertThat(Planner.pairs(Layout.slots(n), Layout.slots(m))).isEqualTo(slots.size());
  }

  /** Every pair of shards that share a hash is in one group, each range of which is one piece. */
  @ParameterizedTest
  @CsvSource({"6, 4", "7, 13", "13, 7", "1, 9", "9, 1", "20, 30", "3, 4"})
  void everyRowIsStreamedByExactlyOnePiece(int n, int m) {
    for (Layout layout : List.of(Layout.modulo(n), Layout.slots(n))) {
      for (long bytes : new long[] {100, 20 * Planner.MIN_PIECE_BYTES}) {
        FakeVersion version = new FakeVersion(layout, ORDERED);
        for (int shard = 0; shard < n; shard++) {
          version.file(shard, "ordered", bytes);
        }
        RepartitionPlan plan = version.plan(m);
        Map<Long, List<Integer>> found = new HashMap<>();
        for (StreamRows work : work(plan, StreamRows.class)) {
          for (SourceShard source : work.sources()) {
            for (int i = 0; i < work.targets().count(); i++) {
              found
                  .computeIfAbsent(
                      (long) source.shard() << 32 | work.targets().get(i), p -> new ArrayList<>())
                  .add(work.part());
              assertThat(work.part()).isBetween(0, work.parts() - 1);
            }
          }
        }
        int parts = work(plan, StreamRows.class).get(0).parts();
        int groups = Shards.gcd(n, m);
        assertThat(parts > 1).isEqualTo(bytes > 100);
        assertThat(work(plan, StreamRows.class)).hasSize(groups * parts);
        List<Integer> each = IntStream.range(0, parts).boxed().toList();
        for (int hash = 0; hash < Layout.SLOTS; hash++) {
          long pair = (long) layout.shardOfHash(hash) << 32 | plan.target().shardOfHash(hash);
          assertThat(found.get(pair)).as("%s to %s", layout, m).isEqualTo(each);
        }
        if (layout.kind() == Layout.Kind.MODULO) {
          assertThat(found).hasSize((int) plan.pairs());
        }
        assertThat(plan.bytesToRead()).isEqualTo(n * bytes);
      }
    }
  }

  @Test
  void largeGroupsAreDoneInRangesThatWriteNoSmallFiles() {
    // One group of 64 GiB: a target of many shards gets 32 files of a tenth of the largest size.
    assertThat(pieces(199, 200, 64L << 30)).isEqualTo(32);
    // One of 1 TiB: as many ranges as a target gets files anyway.
    assertThat(pieces(199, 200, 1L << 40)).isEqualTo(81);
    // One of 640 MiB: more than four would write files below 1 MiB.
    assertThat(pieces(199, 200, 640L << 20)).isEqualTo(4);
    assertThat(pieces(199, 1, 640L << 20)).isEqualTo(32);
    // A hundred groups need no ranges.
    assertThat(pieces(200, 100, 640L << 20)).isEqualTo(1);
    // What is small is read in one go.
    assertThat(pieces(199, 200, 40L << 20)).isEqualTo(2);
    assertThat(pieces(199, 200, 199)).isEqualTo(1);
  }

  private static int pieces(int n, int m, long bytes) {
    FakeVersion version = new FakeVersion(Layout.modulo(n), HASHED);
    for (int shard = 0; shard < n; shard++) {
      version.file(shard, "hashed", bytes / n);
    }
    return work(version.plan(m), StreamRows.class).get(0).parts();
  }

  @Test
  void aResidueClassIsOneTaskOfItsOwn() {
    FakeVersion version = new FakeVersion(Layout.modulo(200), HASHED);
    for (int shard = 0; shard < 200; shard++) {
      version.file(shard, "hashed", 1 << 20);
    }
    RepartitionPlan plan = version.plan(100);
    assertThat(plan.pairs()).isEqualTo(200);
    List<StreamRows> work = work(plan, StreamRows.class);
    assertThat(work).hasSize(100);
    assertThat(work.get(3).sources()).extracting(SourceShard::shard).containsExactly(3, 103);
    assertThat(work.get(3).targets()).isEqualTo(new Shards(3, 100, 1));
    assertThat(plan.bytesRewritten()).isEqualTo(200L << 20);
    assertThat(plan.bytesToRead()).isEqualTo(200L << 20);
    assertThat(plan.filesReferenced()).isZero();
    assertThat(plan.advice()).isEmpty();
  }

  @Test
  void aFileThatFitsOneTargetIsReferencedAndOneThatStraddlesIsCut() {
    // Shards of 2: 0..32767, 32768..65535. Shards of 3 begin at 0, 21846, 43691.
    FakeVersion version =
        new FakeVersion(Layout.slots(2), HASHED)
            .slotFile(0, "hashed", 0, 21_845, 100)
            .slotFile(0, "hashed", 21_846, 32_767, 200)
            .slotFile(1, "hashed", 32_768, 43_691, 400)
            .slotFile(1, "hashed", 43_691, 65_535, 800);
    RepartitionPlan plan = version.plan(3);
    List<FileRef> files = version.allFiles();
    assertThat(plan.referenced(0)).containsExactly(files.get(0));
    assertThat(plan.referenced(1)).containsExactly(files.get(1));
    assertThat(plan.referenced(2)).containsExactly(files.get(3));
    assertThat(work(plan, SplitFile.class)).containsExactly(new SplitFile(HASHED, 1, files.get(2)));
    assertThat(plan.filesReferenced()).isEqualTo(3);
    assertThat(plan.bytesReferenced()).isEqualTo(1100);
    assertThat(plan.filesRewritten()).isEqualTo(1);
    assertThat(plan.bytesRewritten()).isEqualTo(400);
    assertThat(plan.predictedShardBytes()).containsExactly(100L, 200L + 399, 800L + 1);
  }

  @Test
  void shrinkingToADivisorMovesNothing() {
    FakeVersion version = new FakeVersion(Layout.slots(200), HASHED);
    Layout layout = Layout.slots(200);
    for (int shard = 0; shard < 200; shard++) {
      version.slotFile(
          shard, "hashed", layout.firstSlot(shard), layout.firstSlot(shard + 1) - 1, 1000);
    }
    for (int target : new int[] {1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100}) {
      RepartitionPlan plan = version.plan(target);
      assertThat(plan.bytesRewritten()).as("to %s", target).isZero();
      assertThat(plan.tasks()).isZero();
    }
    assertThat(version.plan(400).filesRewritten()).isEqualTo(200);
    assertThat(String.join(" ", version.plan(400).advice()))
        .contains("Counts that move nothing now: 100, 50, 40.");
  }

  @Test
  void predictedBytesAddUp() {
    long seed = Seeds.seed();
    Random random = Seeds.random(seed);
    for (int round = 0; round < 60; round++) {
      int n = 1 + random.nextInt(40);
      int m = 1 + random.nextInt(40);
      Layout layout = random.nextBoolean() ? Layout.slots(n) : Layout.modulo(n);
      FakeVersion version = new FakeVersion(layout, HASHED, ORDERED);
      for (int i = 0; i < 30; i++) {
        int shard = random.nextInt(n);
        long bytes = 1L + random.nextInt(1 << 20);
        if (layout.kind() == Layout.Kind.SLOTS && random.nextBoolean()) {
          int width = layout.firstSlot(shard + 1) - layout.firstSlot(shard);
          int a = layout.firstSlot(shard) + random.nextInt(width);
          int b = layout.firstSlot(shard) + random.nextInt(width);
          version.slotFile(shard, "hashed", Math.min(a, b), Math.max(a, b), bytes);
        } else {
          version.file(shard, "ordered", bytes);
        }
      }
      if (n == m) {
        continue;
      }
      RepartitionPlan plan = version.plan(m);
      assertThat(plan.predictedShardBytes().stream().mapToLong(Long::longValue).sum())
          .as("%s to %s, %s", layout, m, Seeds.replay(seed))
          .isEqualTo(version.manifest().bytes());
      assertThat(plan.predictedShardBytes()).hasSize(m).allMatch(bytes -> bytes >= 0);
      assertThat(plan.bytesReferenced() + plan.bytesRewritten())
          .isEqualTo(version.manifest().bytes());
    }
  }

  @Test
  void allToAllIsSaidAndNearCountsAreNamed() {
    FakeVersion version = new FakeVersion(Layout.modulo(200), HASHED).file(0, "hashed", 100);
    RepartitionPlan plan = version.plan(199);
    assertThat(plan.pairs()).isEqualTo(39_800);
    assertThat(plan.advice().get(0))
        .contains("200 to 199 is all to all", "200 source shards", "39800 pairs")
        .contains("400 (1), 100 (2), 150 (4)");
    assertThat(new FakeVersion(Layout.modulo(199), HASHED).plan(200).advice().get(0))
        .contains("398 (1)");
    assertThat(plan.toString())
        .contains(
            "200 to 199 shards, modulo layout, 39800 pairs", "all to all", "rewritten   1 files");
  }

  @Test
  void aFileWithKeysOfAnotherShardIsCorrupt() {
    FakeVersion version =
        new FakeVersion(Layout.slots(2), HASHED).slotFile(0, "hashed", 0, 32_768, 9);
    assertThatThrownBy(() -> version.plan(1))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.CORRUPT))
        .hasMessageContaining("shard 0 holds slots 0 to 32768");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE, 65_537, Integer.MAX_VALUE})
  void countsOutOfRangeAreInvalid(int count) {
    FakeVersion version = new FakeVersion(Layout.modulo(2), HASHED);
    assertThatThrownBy(() -> version.plan(count))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID))
        .hasMessageContaining("1 to 65536");
  }

  @Test
  void thePresentCountIsInvalid() {
    FakeVersion version = new FakeVersion(Layout.modulo(2), HASHED);
    assertThatThrownBy(() -> version.plan(2))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID))
        .hasMessageContaining("nothing to do");
  }

  @Test
  void aVersionWithoutFilesIsPlanned() {
    RepartitionPlan plan = new FakeVersion(Layout.slots(3), HASHED, ORDERED).plan(65_536);
    assertThat(plan.tasks()).isZero();
    assertThat(plan.predictedShardBytes()).hasSize(65_536).containsOnly(0L);
    assertThat(plan.estimatedSeconds(2)).isPositive();
    assertThat(plan.toString()).contains("3 to 65536 shards");
  }

  @Test
  void estimatesGrowWithTheWorkAndShrinkWithCores() {
    FakeVersion small = new FakeVersion(Layout.modulo(8), HASHED);
    FakeVersion large = new FakeVersion(Layout.modulo(8), HASHED);
    for (int shard = 0; shard < 8; shard++) {
      small.file(shard, "hashed", 1 << 20);
      large.file(shard, "hashed", 100 << 20);
    }
    assertThat(large.plan(4).estimatedSeconds(1)).isGreaterThan(small.plan(4).estimatedSeconds(1));
    assertThat(large.plan(4).estimatedSeconds(1))
        .isGreaterThan(large.plan(4).estimatedSeconds(4) * 3);
    assertThat(large.plan(4).requests()).isGreaterThan(800);
  }

  @Test
  void shardsKnowTheirPlaces() {
    Shards shards = new Shards(3, 5, 7);
    for (int parts = 1; parts < 10; parts++) {
      List<Integer> all = new ArrayList<>();
      List<Shards> split = shards.split(parts);
      for (int part = 0; part < split.size(); part++) {
        for (int i = 0; i < split.get(part).count(); i++) {
          int shard = split.get(part).get(i);
          int at = shards.indexOf(shard);
          assertThat(Streamer.part(at, split.size(), shards.count())).isEqualTo(part);
          all.add(shard);
        }
      }
      assertThat(all).containsExactly(3, 8, 13, 18, 23, 28, 33);
    }
    assertThat(shards.indexOf(2)).isEqualTo(-1);
    assertThat(shards.indexOf(4)).isEqualTo(-1);
    assertThat(shards.indexOf(38)).isEqualTo(-1);
  }

  private static <W extends Work> List<W> work(RepartitionPlan plan, Class<W> kind) {
    return plan.taskList().stream()
        .flatMap(task -> task.work().stream())
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }
}
