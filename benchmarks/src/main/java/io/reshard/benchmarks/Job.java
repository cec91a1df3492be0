package io.reshard.benchmarks;

import io.reshard.sst.Compression;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a rival is asked to do.
 *
 * @param source a {@link Source}, only read
 * @param target where the result goes, empty
 * @param from number of shards of the source
 * @param to number of shards of the result
 * @param threads threads a rival may use, where it has the choice
 * @param compression what the result is compressed with, where a rival has the choice
 * @param valueBytes bytes of a value, at most
 * @param fsync whether the result must be on disk in the end, where a rival has the choice
 */
record Job(
    Path source,
    Path target,
    int from,
    int to,
    int threads,
    Compression compression,
    int valueBytes,
    boolean fsync) {

  /** Residue classes: shards of different ones share no rows. */
  int classes() {
    int a = from;
    int b = to;
    while (b != 0) {
      int rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  /** The numbers below {@code count} of a class. */
  List<Integer> ofClass(int residue, int count) {
    return IntStream.range(0, count).filter(shard -> shard % classes() == residue).boxed().toList();
  }
}
