package io.reshard.repartition;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.CutRule;
import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.SetDigest;
import io.reshard.checkpoint.Upload;
import io.reshard.repartition.Work.SourceShard;
import io.reshard.repartition.Work.SplitFile;
import io.reshard.repartition.Work.StreamRows;
import io.reshard.repartition.Work.Task;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a plan.
 *
 * <p>Tasks know nothing of one another. Each first looks whether an earlier run of the same plan
 * left its result, else does its work, sends its files, and leaves its result under the name of the
 * job, which is made from what the plan was made from: so a run after a crash, on this machine or
 * another, with other threads or other memory, goes on where the last one ended, and a plan for
 * another count has a job of its own. Everything before the publish only adds objects that no
 * manifest names; local files all lie in the directory of the upload, which goes with it.
 *
 * <p>A thread that has done the work of a task goes on with the next one; that the task's files
 * arrive, and its result after them, others wait for.
 */
final class Execution {
  /** Changes when the same version and count would be divided into other tasks. */
  private static final String JOB_FORMAT = "repartition 2";

  /** How often the caller's thread looks whether it is cancelled. */
  private static final long POLL_MILLIS = 100;

  /** Tasks whose files are waited for at once. */
  private static final int FINISHERS = 4;

  private static final Logger LOG = LoggerFactory.getLogger(Execution.class);

  private final CheckpointStore store;
  private final RepartitionPlan plan;
  private final OpenFiles openFiles;
  private final KeyRanges ranges;
  private final BiFunction<Upload, Layout, FileWriters> writers;
  private final Meter meter;
  private final String job;

  Execution(
      CheckpointStore store,
      RepartitionPlan plan,
      OpenFiles openFiles,
      Meter meter,
      BiFunction<Upload, Layout, FileWriters> writers) {
    this(store, plan, openFiles, new KeyRanges(store), meter, writers);
  }

  Execution(
      CheckpointStore store,
      RepartitionPlan plan,
      OpenFiles openFiles,
      KeyRanges ranges,
      Meter meter,
      BiFunction<Upload, Layout, FileWriters> writers) {
    this.store = store;
    this.plan = plan;
    this.openFiles = openFiles;
    this.ranges = ranges;
    this.meter = meter;
    this.writers = writers;
    this.job = jobName(plan);
  }

  RepartitionResult run() {
    checkStore();
    try (Upload upload = store.upload(plan.manifest())) {
      List<TaskOutput> outputs = runTasks(upload);
      proveWhole(outputs);
      meter.pause();
      meter.report();
      Manifest published = publish(upload, outputs);
      forgetJob();
      return result(published, outputs);
    }
  }

  private void checkStore() {
    Manifest from = plan.manifest();
    if (!store.storeId().equals(from.storeId())) {
      throw StateStoreException.invalid(
          "the plan is for store "
              + from.storeId()
              + ", this is store "
              + store.storeId()
              + " at "
              + store.objects().location()
              + "; plan again with this one");
    }
    long newest = store.latestVersion();
    if (newest != from.version()) {
      Manifest winner = store.manifest(newest);
      throw StateStoreException.fenced(
          "the plan starts from version "
              + from.version()
              + ", version "
              + newest
              + " with "
              + winner.layout().shards()
              + " shards was published meanwhile by writer "
              + winner.writer()
              + " ("
              + winner.operation()
              + "); nothing of this run is visible, plan again from that version if it still has to"
              + " be done");
    }
  }

  /** Runs every task; the first error stops the others and is thrown. */
  private List<TaskOutput> runTasks(Upload upload) {
    FileWriters fileWriters = writers.apply(upload, plan.target());
    Splitter splitter = new Splitter(store, plan.source(), plan.target(), fileWriters, meter);
    Streamer streamer =
        new Streamer(
            store,
            plan.source(),
            plan.target(),
            fileWriters,
            openFiles,
            ranges,
            upload.directory(),
            meter);
    ExecutorService workers = Executors.newFixedThreadPool(openFiles.tasks(), Execution::thread);
    ExecutorService finishers = Executors.newFixedThreadPool(FINISHERS, Execution::thread);
    try {
      List<Future<TaskOutput>> futures = new ArrayList<>();
      for (Task task : plan.taskList()) {
        futures.add(
            CompletableFuture.supplyAsync(() -> workOn(task, splitter, streamer), workers)
                .thenApplyAsync(output -> finish(task, output, upload), finishers));
      }
      List<TaskOutput> outputs = new ArrayList<>();
      for (Future<TaskOutput> future : futures) {
        outputs.add(await(future));
      }
      return outputs;
    } catch (RuntimeException | Error e) {
      meter.fail(e);
      throw firstFailure(e);
    } finally {
      // Threads are never interrupted: that would close files which others read too.
      workers.shutdown();
      awaitEnd(workers);
      finishers.shutdown();
      awaitEnd(finishers);
    }
  }

  private static Thread thread(Runnable runnable) {
    Thread thread = new Thread(runnable, "reshard-repartition");
    thread.setDaemon(true);
    return thread;
  }

  private TaskOutput await(Future<TaskOutput> future) {
    while (true) {
      try {
        return future.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        meter.pause();
      } catch (ExecutionException e) {
        throw firstFailure(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw StateStoreException.unavailable(
            "repartition interrupted; nothing has changed, run it again to go on from there", e);
      }
    }
  }

  /** What stopped the run; what was thrown here may only be a consequence of it. */
  private StateStoreException firstFailure(Throwable thrown) {
    Throwable first = meter.failure();
    Throwable cause = first == null ? thrown : first;
    if (cause instanceof StateStoreException e) {
      return e;
    }
    if (cause instanceof OutOfMemoryError) {
      return StateStoreException.unavailable(
          "out of memory with "
              + openFiles
              + "; give fewer tasks at once, less memory for buffers, or a larger heap",
          cause);
    }
    return StateStoreException.internal("repartition failed: " + cause, cause);
  }

  private static void awaitEnd(ExecutorService pool) {
    boolean interrupted = false;
    while (true) {
      try {
        if (pool.awaitTermination(1, TimeUnit.HOURS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Does what a task has to do, or takes over what an earlier run has done. */
  private TaskOutput workOn(Task task, Splitter splitter, Streamer streamer) {
    try {
      meter.pause();
      return earlier(task).orElseGet(() -> work(task, splitter, streamer));
    } catch (Throwable e) {
      meter.fail(e);
      throw e;
    }
  }

  /** Waits for the files of a task, and leaves its result. */
  private TaskOutput finish(Task task, TaskOutput output, Upload upload) {
    try {
      if (!output.resumed()) {
        upload.flush();
        store.putJobResult(job, name(task), output.toResult());
      }
      meter.taskDone();
      meter.pause();
      return output;
    } catch (Throwable e) {
      meter.fail(e);
      throw e;
    }
  }

  /** What an earlier run left of a task, where it is what it says. */
  private Optional<TaskOutput> earlier(Task task) {
    Optional<TaskOutput> found = store.jobResult(job, name(task)).map(TaskOutput::of);
    if (found.isPresent() && !found.get().isSound(plan.target().shards())) {
      LOG.warn("job {}: the result of {} is not what it says; doing it again", job, name(task));
      return Optional.empty();
    }
    found.ifPresent(output -> meter.addBytesRead(task.bytes()));
    return found;
  }

  private static TaskOutput work(Task task, Splitter splitter, Streamer streamer) {
    TaskOutput output = new TaskOutput();
    for (Work work : task.work()) {
      try {
        if (work instanceof SplitFile split) {
          splitter.split(split, output);
        } else if (work instanceof StreamRows stream) {
          streamer.stream(stream, output);
        }
      } catch (StateStoreException e) {
        throw new StateStoreException(e.kind(), work + ": " + e.getMessage(), e);
      }
    }
    return output;
  }

  private static String name(Task task) {
    return "task-" + task.number();
  }

  /**
   * Every part was proven on its own. This proves that no part was forgotten or done twice: what
   * the tasks rewrote and what is handed over make up each column family whose entries go over as
   * they are; and of each that is streamed every entry of every source was read once.
   */
  private void proveWhole(List<TaskOutput> outputs) {
    proveHandedOver(outputs);
    proveStreamed(outputs);
  }

  private void proveStreamed(List<TaskOutput> outputs) {
    Map<String, SetDigest> read = new HashMap<>();
    outputs.forEach(
        output -> output.read().forEach((name, entries) -> sum(read, name).add(entries)));
    Map<String, List<SourceShard>> sources = new TreeMap<>();
    for (Task task : plan.taskList()) {
      for (Work work : task.work()) {
        if (work instanceof StreamRows stream && stream.part() == 0) {
          sources
              .computeIfAbsent(stream.columnFamily().name(), name -> new ArrayList<>())
              .addAll(stream.sources());
        }
      }
    }
    sources.forEach(
        (name, shards) -> {
          SetDigest claimed = new SetDigest();
          shards.forEach(shard -> claimed.add(Proof.claimed(shard.files())));
          if (!claimed.equals(sum(read, name))) {
            throw Proof.failed(store, name, 0, shards, sum(read, name));
          }
        });
  }

  private void proveHandedOver(List<TaskOutput> outputs) {
    Map<String, SetDigest> after = new HashMap<>();
    for (int shard = 0; shard < plan.target().shards(); shard++) {
      for (FileRef file : plan.referenced(shard)) {
        file.addDigestTo(sum(after, file.columnFamily()));
      }
    }
    for (TaskOutput output : outputs) {
      output.digestsOfFiles().forEach((name, digest) -> sum(after, name).add(digest));
    }
    Map<String, SetDigest> before = plan.digestsBySlots();
    for (ColumnFamily columnFamily : plan.manifest().columnFamilies()) {
      String name = columnFamily.name();
      if (plan.manifest().keyPrefix(columnFamily) > 0
          && !sum(after, name).equals(sum(before, name))) {
        throw StateStoreException.internal(
            "proof failed: column family '"
                + name
                + "' has digest "
                + sum(before, name)
                + " in version "
                + plan.sourceVersion()
                + " and "
                + sum(after, name)
                + " after; nothing is published, report this as a fault of Reshard",
            null);
      }
    }
  }

  private static SetDigest sum(Map<String, SetDigest> sums, String columnFamily) {
    return sums.computeIfAbsent(columnFamily, name -> new SetDigest());
  }

  private Manifest publish(Upload upload, List<TaskOutput> outputs) {
    List<List<FileRef>> shards = new ArrayList<>();
    for (int shard = 0; shard < plan.target().shards(); shard++) {
      shards.add(new ArrayList<>(plan.referenced(shard)));
    }
    for (TaskOutput output : outputs) {
      output
          .files()
          .forEach((shard, files) -> files.forEach(file -> shards.get(shard).add(file.ref())));
    }
    Manifest from = plan.manifest();
    List<List<FileHandle>> united = new ArrayList<>();
    for (List<FileRef> files : shards) {
      united.add(united(files));
    }
    return store.publish(
        upload,
        from,
        Manifest.Operation.REPARTITION,
        from.backend(),
        plan.target(),
        united,
        from.properties());
  }

  private List<FileHandle> united(List<FileRef> files) {
    List<FileRef> bySlots = new ArrayList<>(files.size());
    List<FileHandle> all = new ArrayList<>(files.size());
    for (FileRef file : files) {
      ColumnFamily columnFamily = plan.manifest().columnFamily(file.columnFamily());
      if (plan.manifest().keyPrefix(columnFamily) > 0) {
        bySlots.add(file);
      } else {
        all.add(file);
      }
    }
    all.addAll(Levels.unite(bySlots, file -> plan.source().shardOfSlot(file.firstSlot())));
    return all;
  }

  /** The new version stands; leftovers of the job expire by themselves if they cannot go now. */
  private void forgetJob() {
    try {
      store.deleteJob(job);
    } catch (StateStoreException e) {
      LOG.warn("job {} is done; its results could not be deleted and will expire", job, e);
    }
  }

  private RepartitionResult result(Manifest published, List<TaskOutput> outputs) {
    long files = 0;
    long bytes = 0;
    long rows = 0;
    int resumed = 0;
    for (TaskOutput output : outputs) {
      resumed += output.resumed() ? 1 : 0;
      for (List<FileHandle> written : output.files().values()) {
        for (FileHandle file : written) {
          files++;
          bytes += file.length();
          rows += file.digest().count();
        }
      }
    }
    return new RepartitionResult(
        published,
        plan.filesReferenced(),
        plan.bytesReferenced(),
        files,
        bytes,
        meter.bytesRead(),
        rows,
        resumed,
        meter.nanos());
  }

  /** The same for the same plan, wherever it is made. */
  private static String jobName(RepartitionPlan plan) {
    String identity =
        String.join(
            "|",
            JOB_FORMAT,
            plan.manifest().storeId(),
            Long.toString(plan.sourceVersion()),
            plan.manifest().digest().toString(),
            plan.source().toString(),
            plan.target().toString(),
            CutRule.NAME);
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(identity.getBytes(StandardCharsets.UTF_8));
      return "repartition-" + HexFormat.of().formatHex(hash, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw StateStoreException.internal("this Java has no SHA-256", e);
    }
  }
}
