package io.reshard.repartition;

import io.reshard.checkpoint.Layout;
import io.reshard.repartition.Work.SourceShard;
import io.reshard.repartition.Work.SplitFile;
import io.reshard.repartition.Work.StreamRows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What a plan says to a person beyond its figures: mostly which other counts cost less. */
final class PlanAdvice {
  /** More sources than this for each target are worth a word. */
  private static final int MANY_SOURCES = 8;

  /** How many counts are named at most. */
  private static final int NAMED = 3;

  private final Layout source;
  private final Layout target;
  private final SlotBoundaries boundaries;
  private final long orderedBytes;
  private final List<Work> work;
  private final List<String> sentences = new ArrayList<>();

  PlanAdvice(
      Layout source, Layout target, SlotBoundaries boundaries, long orderedBytes, List<Work> work) {
    this.source = source;
    this.target = target;
    this.boundaries = boundaries;
    this.orderedBytes = orderedBytes;
    this.work = work;
  }

  List<String> sentences() {
    if (source.kind() == Layout.Kind.MODULO) {
      adviseModulo();
    } else {
      adviseSlots();
    }
    adviseTemporaryFiles();
    return List.copyOf(sentences);
  }

  private void adviseModulo() {
    int n = source.shards();
    int m = target.shards();
    int divisor = Shards.gcd(n, m);
    if (n / divisor <= MANY_SOURCES) {
      return;
    }
    String all = divisor == 1 ? "all to all: " : "";
    String near = nearCounts(n, m, divisor);
    sentences.add(
        n
            + " to "
            + m
            + " is "
            + all
            + "every target shard reads "
            + n / divisor
            + " source shards, "
            + Planner.pairs(source, target)
            + " pairs."
            + (near.isEmpty()
                ? ""
                : " Near counts with fewer sources for each target: " + near + "."));
  }

  /** Counts within a quarter of {@code m} that share a larger divisor with {@code n}. */
  private static String nearCounts(int n, int m, int divisor) {
    int low = Math.max(1, m - m / 4);
    int high = Math.min(Layout.MAX_SHARDS, m + m / 4 + 1);
    IntStream near = IntStream.rangeClosed(low, high);
    IntStream relatives = IntStream.of(2 * n, (n + 1) / 2).filter(c -> c <= Layout.MAX_SHARDS);
    return IntStream.concat(near, relatives)
        .filter(c -> c != n && c != m && Shards.gcd(n, c) > divisor)
        .distinct()
        .boxed()
        .sorted(
            Comparator.comparingInt((Integer c) -> -Shards.gcd(n, c))
                .thenComparingInt(c -> Math.abs(c - m)))
        .limit(NAMED)
        .map(c -> c + " (" + n / Shards.gcd(n, c) + ")")
        .collect(Collectors.joining(", "));
  }

  private void adviseSlots() {
    long cut = work.stream().filter(SplitFile.class::isInstance).count();
    if (cut > 0) {
      String free = freeCounts();
      sentences.add(
          cut
              + " of "
              + boundaries.files()
              + " files lie across a boundary of the new shards and are rewritten, cut so that"
              + " growing again by 2, 4 or 8 and shrinking to a divisor move nothing."
              + (free.isEmpty() ? "" : " Counts that move nothing now: " + free + "."));
    }
    if (orderedBytes > 0) {
      sentences.add(
          orderedBytes
              + " bytes of ORDERED column families are streamed whatever the number of shards.");
    }
  }

  private String freeCounts() {
    int n = source.shards();
    double wanted = Math.log(target.shards());
    IntStream divisors = IntStream.range(1, n).filter(c -> n % c == 0);
    IntStream multiples =
        IntStream.iterate(2, k -> (long) k * n <= Layout.MAX_SHARDS && k <= 16, k -> k + 1)
            .map(k -> k * n);
    return IntStream.concat(divisors, multiples)
        .boxed()
        .sorted(Comparator.comparingDouble((Integer c) -> Math.abs(Math.log(c) - wanted)))
        .filter(shards -> boundaries.areFree(source.withShards(shards)))
        .limit(NAMED)
        .map(String::valueOf)
        .collect(Collectors.joining(", "));
  }

  /** Says it where the default memory does not suffice to do a task in one go. */
  private void adviseTemporaryFiles() {
    OpenFiles usual = OpenFiles.of(RepartitionOptions.defaults());
    int targets = 0;
    int sources = 0;
    for (Work piece : work) {
      if (piece instanceof StreamRows rows) {
        int count = rows.targets().count();
        if (count > usual.writers(rows.bytes(), rows.entries(), count)) {
          targets = Math.max(targets, count);
        }
        OpenFiles.Cost cost = OpenFiles.Cost.NOTHING;
        for (SourceShard shard : rows.sources()) {
          cost = cost.plus(OpenFiles.Cost.of(shard.files()));
        }
        if (!usual.canRead(cost)) {
          sources = Math.max(sources, rows.files());
        }
      }
    }
    if (targets > 0) {
      sentences.add(
          "A task writes "
              + targets
              + " target shards, more than fit the default memory at once: its rows go through"
              + " temporary files on local disk.");
    }
    if (sources > 0) {
      sentences.add(
          "A task merges "
              + sources
              + " source files, more than fit the default memory at once: they are merged in"
              + " groups, through temporary files on local disk.");
    }
  }
}
