package io.reshard.benchmarks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.GcOptions;
import io.reshard.checkpoint.GcResult;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectInfo;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.repartition.ProgressListener;
import io.reshard.repartition.RepartitionOptions;
import io.reshard.repartition.RepartitionPlan;
import io.reshard.repartition.RepartitionResult;
import io.reshard.repartition.Repartitioner;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Plans and publishes repartitions of stores of 1 TB and 100 TB: {@code MetadataScale DIRECTORY
 * [SIZE ...]} with sizes {@code small}, {@code 1tb} and {@code 100tb}. Prints a line of JSON for
 * each figure.
 *
 * <p>Manifests, file lists, plan, proof, publish and garbage collection are the product's own, on
 * local disk. What is faked: the data files that are not rewritten. They have a reference, and seem
 * to exist where somebody looks for their name ({@link FakedFiles}); opening one is an error, so
 * nothing here is measured that a real store would spend on reading data. Files across a boundary
 * of the target are real and really cut, but hold a handful of rows instead of 64 MB: the time for
 * rewriting real ones comes on top.
 *
 * <p>Each repartition runs in a process of its own with a bounded heap, which opens the store,
 * plans and executes; a second one then collects garbage and rolls back. The process that makes the
 * first version is not measured.
 */
public final class MetadataScale {
  private static final JsonFactory JSON = new JsonFactory();

  /** A repartition to be simulated. */
  private record Scenario(String size, int files, int from, int to, String heap) {}

  private MetadataScale() {}

  /** See above. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path directory = Path.of(arguments[0]);
    switch (arguments.length < 2 ? "" : arguments[1]) {
      case "make" -> make(directory, integers(arguments));
      case "run" -> run(directory, integers(arguments));
      case "collect" -> collect(directory, integers(arguments));
      default -> orchestrate(directory, List.of(arguments).subList(1, arguments.length));
    }
  }

  private static int[] integers(String[] arguments) {
    return Stream.of(arguments).skip(2).mapToInt(Integer::parseInt).toArray();
  }

  private static List<Scenario> scenarios(String size) {
    int files =
        switch (size) {
          case "small" -> 2_000;
          case "1tb" -> 16_384;
          case "100tb" -> 1_638_400;
          default -> throw new IllegalArgumentException(size + "; give small, 1tb or 100tb");
        };
    String heap = size.equals("100tb") ? "4g" : "1g";
    List<Scenario> scenarios = new ArrayList<>();
    for (int n : size.equals("small") ? new int[] {1000} : new int[] {200, 1_000, 10_000}) {
      scenarios.add(new Scenario(size, files, n, n / 2, heap));
      scenarios.add(new Scenario(size, files, n / 2, 2 * n, heap));
      scenarios.add(new Scenario(size, files, n, n * 3 / 2, heap));
      scenarios.add(new Scenario(size, files, n - 1, n, heap));
    }
    return scenarios;
  }

  private static void orchestrate(Path directory, List<String> sizes)
      throws IOException, InterruptedException {
    Path root = directory.resolve("store");
    for (String size : sizes.isEmpty() ? List.of("1tb", "100tb") : sizes) {
      for (Scenario scenario : scenarios(size)) {
        deleteTree(root);
        child(root, scenario, "8g", "make");
        child(root, scenario, scenario.heap, "run");
        child(root, scenario, scenario.heap, "collect");
        deleteTree(root);
      }
    }
  }

  private static void child(Path root, Scenario scenario, String heap, String mode)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            ProcessHandle.current().info().command().orElse("java"),
            "-Xmx" + heap,
            "-XX:+UseG1GC",
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            System.getProperty("java.class.path"),
            MetadataScale.class.getName(),
            root.toString(),
            mode,
            String.valueOf(scenario.files),
            String.valueOf(scenario.from),
            String.valueOf(scenario.to));
    int code = builder.inheritIO().start().waitFor();
    if (code != 0) {
      System.out.println(
          line(
              json -> {
                json.writeStringField("figure", "failed");
                json.writeStringField("mode", mode);
                json.writeStringField("heap", heap);
                json.writeStringField("scenario", scenario.toString());
                json.writeNumberField("exit", code);
              }));
    }
  }

  private static void deleteTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** One faked file in a hundred belongs to no version, for garbage collection to find. */
  private static FakedFiles objects(Path root, int[] numbers) {
    int files =
        FakedVersion.filesToFake(numbers[0], Layout.slots(numbers[1]), Layout.slots(numbers[2]));
    long old = System.currentTimeMillis() - Duration.ofDays(30).toMillis();
    return new FakedFiles(ObjectStores.open(root.toString()), files + files / 100, old);
  }

  private static void make(Path root, int[] numbers) {
    FakedFiles objects = objects(root, numbers);
    try (CheckpointStore store = CheckpointStore.create(objects)) {
      new FakedVersion(objects, numbers[0], Layout.slots(numbers[1]), Layout.slots(numbers[2]))
          .publish(store);
    }
  }

  private static void run(Path root, int[] numbers) {
    FakedFiles objects = objects(root, numbers);
    HeapWatch heap = new HeapWatch();
    long start = System.nanoTime();
    try (CheckpointStore store = CheckpointStore.open(objects)) {
      RepartitionPlan plan = Repartitioner.plan(store, store.latestVersion(), numbers[2]);
      String printed = plan.toString();
      long planned = System.nanoTime();
      FakedFiles.Requests planRequests = objects.takeRequests();
      RepartitionResult result =
          Repartitioner.execute(
              store, plan, RepartitionOptions.defaults(), ProgressListener.NONE, () -> false);
      long published = System.nanoTime();
      FakedFiles.Requests requests = objects.takeRequests();
      Manifest manifest = result.manifest();
      System.out.println(
          line(
              json -> {
                json.writeStringField("figure", "metadata-scale");
                scenario(json, numbers, manifest);
                json.writeNumberField("filesReferenced", result.filesReferenced());
                json.writeNumberField("filesRewritten", plan.filesRewritten());
                json.writeNumberField("planSeconds", seconds(planned - start));
                json.writeNumberField("publishSeconds", seconds(published - planned));
                json.writeNumberField("seconds", seconds(published - start));
                process(json, heap);
                json.writeNumberField("planRequests", planRequests.all());
                json.writeNumberField("publishRequests", requests.all());
                sizes(json, objects, manifest);
                json.writeNumberField("printedPlanLength", printed.length());
              }));
    }
  }

  private static void collect(Path root, int[] numbers) {
    FakedFiles objects = objects(root, numbers);
    HeapWatch heap = new HeapWatch();
    try (CheckpointStore store = CheckpointStore.open(objects)) {
      long start = System.nanoTime();
      store.rollback(1);
      long rolled = System.nanoTime();
      FakedFiles.Requests rollbackRequests = objects.takeRequests();
      GcResult result = store.gc(new GcOptions(2, Duration.ZERO, Duration.ZERO, false));
      long collected = System.nanoTime();
      FakedFiles.Requests gcRequests = objects.takeRequests();
      System.out.println(
          line(
              json -> {
                json.writeStringField("figure", "metadata-scale-collect");
                scenario(json, numbers, store.manifest(store.latestVersion()));
                json.writeNumberField("rollbackSeconds", seconds(rolled - start));
                json.writeNumberField("rollbackRequests", rollbackRequests.all());
                json.writeNumberField("gcSeconds", seconds(collected - rolled));
                json.writeNumberField("gcRequests", gcRequests.all());
                json.writeNumberField("objectsKept", result.keptObjects());
                json.writeNumberField("objectsDeleted", result.deletedObjects().size());
                process(json, heap);
              }));
    }
  }

  private static void scenario(JsonGenerator json, int[] numbers, Manifest manifest)
      throws IOException {
    json.writeNumberField("sourceShards", numbers[1]);
    json.writeNumberField("targetShards", numbers[2]);
    json.writeNumberField("files", manifest.files());
    json.writeNumberField("bytes", manifest.bytes());
  }

  private static void process(JsonGenerator json, HeapWatch heap) throws IOException {
    var system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    json.writeNumberField("cpuSeconds", seconds(system.getProcessCpuTime()));
    json.writeNumberField("maxHeapBytes", Runtime.getRuntime().maxMemory());
    json.writeNumberField("peakHeapBytes", heap.peakBytes());
    json.writeNumberField("liveHeapBytes", heap.liveBytes());
    json.writeNumberField("allocatedBytes", heap.allocatedBytes());
  }

  private static void sizes(JsonGenerator json, ObjectStore objects, Manifest manifest)
      throws IOException {
    List<ObjectInfo> manifests = objects.list("manifests/", "", 1000);
    List<ObjectInfo> lists = objects.list("shards/", "", 10_000);
    json.writeNumberField("manifestBytes", manifests.get(manifests.size() - 1).size());
    json.writeNumberField("listObjects", lists.size());
    json.writeNumberField("listBytes", lists.stream().mapToLong(ObjectInfo::size).sum());
    json.writeNumberField("version", manifest.version());
  }

  private static double seconds(long nanos) {
    return Math.round(nanos / 1e6) / 1e3;
  }

  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  private static String line(Fields fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
