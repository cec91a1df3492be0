package io.reshard.benchmarks.spark;

import static org.apache.spark.sql.functions.first;

import io.reshard.benchmarks.shared.Arguments;
import io.reshard.benchmarks.shared.Clock;
import io.reshard.benchmarks.shared.Figure;
import io.reshard.benchmarks.shared.Rows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Spark's own repartition of the state of a streaming query ({@code private[spark]} in Scala, public
 * in bytecode).
 *
 * <p>{@code mode=make} runs a streaming aggregation over the rows, RocksDB state store, and leaves
 * its checkpoint; and a small one. {@code mode=run} copies both, repartitions the small one so that
 * the code has been seen, then times each step with the other, and checks by Spark's state reader
 * that the rows are the same before and after.
 *
 * <p>Arguments: {@code mode=make|run directory=DIR rows=N valueBytes=N counts=N,N,N}
 */
public final class SparkRepartition {
  private static final StructType SCHEMA =
      new StructType().add("key", DataTypes.BinaryType).add("value", DataTypes.BinaryType);
  private static final int WARM_ROWS = 1_000;
  private static final List<Integer> WARM_COUNTS = List.of(4, 2, 8);

  private final SparkSession spark;
  private final Path directory;

  private SparkRepartition(SparkSession spark, Path directory) {
    this.spark = spark;
    this.directory = directory;
  }

  /** Runs. */
  public static void main(String... args) throws Exception {
    Arguments arguments = Arguments.of(args);
    Path directory = arguments.path("directory");
    List<Integer> counts = arguments.integers("counts");
    int rows = arguments.integer("rows");
    int valueBytes = arguments.integer("valueBytes", Rows.VALUE_BYTES);
    try (SparkSession spark = session(directory)) {
      SparkRepartition run = new SparkRepartition(spark, directory);
      if (arguments.text("mode").equals("make")) {
        run.make("warm", valueBytes, WARM_ROWS, WARM_COUNTS.get(0));
        run.make("large", valueBytes, rows, counts.get(0));
      } else {
        run.repartition("warm", WARM_ROWS, WARM_COUNTS, false);
        run.repartition("large", rows, counts, true);
      }
    }
  }

  private static SparkSession session(Path directory) {
    SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .appName("repartition")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.local.dir", directory.resolve("local").toString())
            .config("spark.sql.warehouse.dir", directory.resolve("warehouse").toString())
            .config(
                "spark.sql.streaming.stateStore.providerClass",
                "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
            .getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
    spark.streams(); // Starts what the repartition needs and does not start.
    return spark;
  }

  private void make(String name, int valueBytes, int rows, int shards)
      throws TimeoutException, StreamingQueryException {
    Path input = directory.resolve(name + "-input");
    spark
        .range(rows)
        .map(
            (MapFunction<Long, Row>) row -> row(row, valueBytes),
            Encoders.row(SCHEMA))
        .write()
        .parquet(input.toString());
    spark.conf().set("spark.sql.shuffle.partitions", Integer.toString(shards));
    StreamingQuery query =
        spark
            .readStream()
            .schema(SCHEMA)
            .parquet(input.toString())
            .groupBy("key")
            .agg(first("value"))
            .writeStream()
            .outputMode("update")
            .format("noop")
            .option("checkpointLocation", checkpoint(name).toString())
            .trigger(Trigger.AvailableNow())
            .start();
    query.awaitTermination();
    delete(input);
  }

  private static Row row(long row, int valueBytes) {
    Rows rows = new Rows(Rows.SEED, valueBytes);
    return RowFactory.create(rows.key(row), rows.value(row));
  }

  private Path checkpoint(String name) {
    return directory.resolve(name + "-checkpoint");
  }

  private void repartition(String name, int rows, List<Integer> counts, boolean print) {
    Path copy = directory.resolve(name + "-copy");
    delete(copy);
    copy(checkpoint(name), copy);
    String expected = digest(copy);
    if (!expected.startsWith(rows + ":")) {
      throw new IllegalStateException("rows in the checkpoint " + expected + ", expected " + rows);
    }
    for (int i = 1; i < counts.size(); i++) {
      Figure figure = step(copy, counts.get(i - 1), counts.get(i), rows);
      String found = digest(copy);
      if (!found.equals(expected)) {
        throw new IllegalStateException("rows afterwards " + found + ", expected " + expected);
      }
      if (print) {
        figure.with("verified", true).print();
      }
    }
    delete(copy);
  }

  private Figure step(Path checkpoint, int from, int to, int rows) {
    long bytes = bytes(checkpoint.resolve("state"));
    var manager =
        ((org.apache.spark.sql.classic.SparkSession) spark).streamingCheckpointManager();
    Clock clock = Clock.start();
    manager.repartition(checkpoint.toString(), to, false);
    return clock
        .stop(Figure.of("spark"))
        .with("from", from)
        .with("to", to)
        .with("rows", rows)
        .with("sourceBytes", bytes)
        .with("version", spark.version());
  }

  /** Number of rows of the state and a hash of all of them that no order changes. */
  private String digest(Path checkpoint) {
    Dataset<Row> state = spark.read().format("statestore").load(checkpoint.toString());
    Row row =
        state
            .selectExpr(
                "count(*)", "coalesce(sum(cast(xxhash64(key, value) as decimal(38, 0))), 0)")
            .head();
    return row.get(0) + ":" + row.get(1);
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Files.copy(
            path,
            to.resolve(from.relativize(path).toString()),
            StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long bytes(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.map(Path::toFile).filter(java.io.File::isFile).mapToLong(java.io.File::length).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) {
    if (Files.notExists(directory)) {
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
