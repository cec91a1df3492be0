package io.reshard.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.rocksdb.RocksDB;

/** Where and with what it was measured; kept with the figures of each part. */
final class Environment {
  static final String NAME = "environment";

  private Environment() {}

  static Map<String, Object> now(Settings settings) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Map<String, Object> environment = new LinkedHashMap<>();
    environment.put("name", NAME);
    environment.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    environment.put("commit", settings.commit());
    environment.put("jdk", Runtime.version().toString());
    environment.put("vm", System.getProperty("java.vm.name", "?"));
    environment.put(
        "os", system.getName() + " " + release(system.getVersion()) + " " + system.getArch());
    environment.put("cpu", processor());
    environment.put("cores", (long) Runtime.getRuntime().availableProcessors());
    environment.put("memoryGb", Math.round(system.getTotalMemorySize() / 1e8) / 10.0);
    environment.put("loadBefore", Math.round(system.getSystemLoadAverage() * 100) / 100.0);
    RocksDB.loadLibrary();
    environment.put("rocksdbjni", RocksDB.rocksdbVersion().toString());
    environment.put("fast", fileSystem(settings.fast()));
    environment.put("disk", fileSystem(settings.disk()));
    environment.put("rows", (long) settings.rows());
    environment.put("repeat", (long) settings.repeat());
    environment.put("quick", settings.quick());
    return environment;
  }

  /** The version of the kernel without what its builder added. */
  private static String release(String version) {
    int dash = version.indexOf('-');
    return dash > 0 ? version.substring(0, dash) : version;
  }

  private static String processor() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse("?");
    } catch (IOException e) {
      return "?";
    }
  }

  private static String fileSystem(Path directory) {
    try {
      return Files.getFileStore(Files.createDirectories(directory)).type();
    } catch (IOException e) {
      return "?";
    }
  }

  private static String line(Map<String, Object> environment) {
    return String.format(
        Locale.ROOT,
        "%s, %s, commit %s; JDK %s (%s); %s; %s, %s cores, %s GB; rocksdbjni %s; data on %s, disk"
            + " is %s; %s rows, median of %s",
        environment.get("date"),
        Boolean.TRUE.equals(environment.get("quick")) ? "QUICK (figures mean nothing)" : "full run",
        environment.get("commit"),
        environment.get("jdk"),
        environment.get("vm"),
        environment.get("os"),
        environment.get("cpu"),
        environment.get("cores"),
        environment.get("memoryGb"),
        environment.get("rocksdbjni"),
        environment.get("fast"),
        environment.get("disk"),
        environment.get("rows"),
        environment.get("repeat"));
  }

  /** Different environments of parts that were run at different times, each with its parts. */
  static List<String> describe(Map<String, Figures> byPart) {
    Map<String, StringBuilder> parts = new LinkedHashMap<>();
    byPart.forEach(
        (part, figures) ->
            figures
                .named(NAME)
                .all()
                .forEach(
                    environment ->
                        parts
                            .computeIfAbsent(line(environment), text -> new StringBuilder())
                            .append(
                                String.format(" %s (%s)", part, environment.get("loadBefore")))));
    return parts.entrySet().stream()
        .map(entry -> "* " + entry.getKey() + ". Parts (load before):" + entry.getValue())
        .toList();
  }
}
