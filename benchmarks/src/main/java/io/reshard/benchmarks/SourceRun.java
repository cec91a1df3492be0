package io.reshard.benchmarks;

import io.reshard.benchmarks.shared.Arguments;
import io.reshard.benchmarks.shared.Rows;
import io.reshard.checkpoint.Layout;
import io.reshard.sst.Compression;

/**
 * Writes a {@link Source} in a process of its own. Arguments: {@code directory=DIR
 * layout=modulo|slots shards=N rows=N valueBytes=N compression=… databases=true|false}
 */
public final class SourceRun {
  private SourceRun() {}

  /** Runs. */
  public static void main(String... args) {
    Arguments arguments = Arguments.of(args);
    int shards = arguments.integer("shards");
    Source.write(
        arguments.path("directory"),
        arguments.text("layout").equals("slots") ? Layout.slots(shards) : Layout.modulo(shards),
        Compression.valueOf(arguments.text("compression", "LZ4")),
        new Rows(Rows.SEED, arguments.integer("valueBytes", Rows.VALUE_BYTES)),
        arguments.integer("rows"),
        arguments.flag("databases"));
  }
}
