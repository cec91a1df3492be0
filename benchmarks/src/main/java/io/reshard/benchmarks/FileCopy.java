package io.reshard.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Copies the objects of the store, as {@code cp} would: the least that new bytes can cost. */
final class FileCopy implements Rival {
  @Override
  public void repartition(Job job) throws ExecutionException, InterruptedException {
    Path from = Source.store(job.source());
    Path to = Source.store(job.target());
    ExecutorService pool = Executors.newFixedThreadPool(job.threads());
    try {
      List<Future<?>> copies = new ArrayList<>();
      for (Path file : Directories.files(from)) {
        Path copy = to.resolve(from.relativize(file).toString());
        copies.add(pool.submit(() -> copy(file, copy, job.fsync())));
      }
      for (Future<?> copy : copies) {
        copy.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static void copy(Path file, Path copy, boolean fsync) {
    try {
      Files.createDirectories(copy.resolveSibling("."));
      Files.copy(file, copy);
      if (fsync) {
        try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
          channel.force(true);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The copy has the shards of the source. */
  @Override
  public void visit(Job job, RowVisitor visitor) {
    new ReshardRewrite().visit(job, visitor);
  }
}
