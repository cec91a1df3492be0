package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Arguments;
import io.reshard.benchmarks.shared.Rows;
import io.reshard.checkpoint.Layout;
import io.reshard.sst.Compression;

/**
 * Writes a {@link Source}, and a smaller one to warm up with, in a process of its own.
 *
 * <p>Arguments: {@code directory=DIR layout=modulo|slots shards=N rows=N valueBytes=N compression=…
 * databases=true|false}; it makes {@code source/} and {@code warm/} in the directory.
 */
public final class SourceRun {
  /** The small one has this part of the rows. */
  private static final int WARM_SHARE = 40;

  private static final int LEAST_WARM = 1_000;

  private SourceRun() {}

  /** Runs. */
  public static void main(String... args) {
    Arguments arguments = Arguments.of(args);
    int rows = arguments.integer("rows");
    write(arguments, "warm", Math.max(Math.min(rows, LEAST_WARM), rows / WARM_SHARE));
    write(arguments, "source", rows);
  }

  private static void write(Arguments arguments, String directory, int rows) {
    int shards = arguments.integer("shards");
    Source.write(
        arguments.path("directory").resolve(directory),
        arguments.text("layout").equals("slots") ? Layout.slots(shards) : Layout.modulo(shards),
        Compression.valueOf(arguments.text("compression", "LZ4")),
        new Rows(Rows.SEED, arguments.integer("valueBytes", Rows.VALUE_BYTES)),
        rows,
        arguments.flag("databases"));
  }
}
