package io.reshard.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small inputs and stores of flights for tests. */
final class Flights {
  static final String KEY = "origin,destination,hour(time)";
  static final String AGGREGATE = "count(),sum(delay)";

  private Flights() {}

  /** Writes the first {@code records} flights of the sample as CSV. */
  static Path csv(Path directory, int records) {
    Path csv = directory.resolve("flights-" + records + ".csv");
    try (var in = FlightSample.open(records)) {
      Files.copy(in, csv);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return csv;
  }

  /** Arguments that load an input. */
  static String[] load(Path store, Path input, String... more) {
    String[] args = {
      "load", "--store", store.toString(), "--key", KEY, "--aggregate", AGGREGATE, input.toString()
    };
    String[] all = new String[args.length + more.length];
    System.arraycopy(args, 0, all, 0, args.length);
    System.arraycopy(more, 0, all, args.length, more.length);
    return all;
  }

  /** A store of {@code records} flights in the memory backend. */
  static Path store(Path directory, int records, int shards) {
    Path store = directory.resolve("store");
    Ran.run(
            load(
                store,
                csv(directory, records),
                "--shards",
                Integer.toString(shards),
                "--backend",
                "memory"))
        .ok();
    return store;
  }

  /** The digest of a version's rows, as verify finds it; 0 is the newest version. */
  static String digest(Path store, long version) {
    return String.valueOf(
        Ran.run("verify", "--json", "--store", store.toString(), "--version", "" + version)
            .ok()
            .oneJson()
            .get("digest"));
  }
}
