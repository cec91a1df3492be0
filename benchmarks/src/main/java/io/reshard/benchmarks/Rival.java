package io.reshard.benchmarks;

import io.reshard.spi.ByteView;
import java.util.Locale;

/** A way to change the number of shards. */
interface Rival {
  /** Is shown every row of a result. */
  @FunctionalInterface
  interface RowVisitor {
    void row(int shard, ByteView key, ByteView value);
  }

  /** What must be there before the clock runs. */
  default void prepare(Job job) {}

  /** What is measured. */
  void repartition(Job job) throws Exception;

  /** Shows every row of the result; not measured. */
  void visit(Job job, RowVisitor visitor) throws Exception;

  /** The rivals by name. */
  enum Name {
    /** Reshard: plan, rewrite, read back, prove, publish. */
    RESHARD,
    /** RocksJava, row by row into new databases. */
    PUT,
    /** RocksJava, iterators merged into SST files that are ingested. */
    SST,
    /** The bytes of the source copied: what no rewrite can beat. */
    COPY;

    Rival rival() {
      return switch (this) {
        case RESHARD -> new ReshardRewrite();
        case PUT -> new RocksPut();
        case SST -> new RocksStreaming();
        case COPY -> new FileCopy();
      };
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Name of(String label) {
      return valueOf(label.toUpperCase(Locale.ROOT));
    }
  }
}
