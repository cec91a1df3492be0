package io.reshard.checkpoint.hdfs;

import io.reshard.checkpoint.StoreOptions;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens Hadoop's file systems. Configuration and identity are Hadoop's own matter: {@code
 * core-site.xml} and {@code hdfs-site.xml} on the class path, the ticket cache of Kerberos, or what
 * the options name instead.
 */
final class HadoopFileSystems {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopFileSystems.class);

  private static final Set<String> KNOWN =
      Set.of("hdfs.config", "hdfs.user", "hdfs.principal", "hdfs.keytab");

  /** Schemes behind which a NameNode renames, which never replaces a file. */
  private static final Set<String> ATOMIC = Set.of("hdfs", "webhdfs", "swebhdfs");

  private HadoopFileSystems() {}

  /** Opens a file system of its own, not one that others may close. */
  static FileSystem open(URI location, StoreOptions options) {
    options.checkKnown("hdfs.", KNOWN);
    Configuration configuration = configuration(options.get("hdfs.config", ""));
    String scheme = String.valueOf(location.getScheme()).toLowerCase(Locale.ROOT);
    if (!createsOnce(scheme)) {
      LOG.warn(
          "it is not known whether '{}' creates a file only where there is none when several"
              + " writers try at once; see to it that a store there has one writer",
          scheme);
    }
    try {
      logIn(configuration, options);
      String user = options.get("hdfs.user", "");
      return user.isEmpty()
          ? FileSystem.newInstance(location, configuration)
          : FileSystem.newInstance(location, configuration, user);
    } catch (IOException | IllegalArgumentException e) {
      throw new StateStoreException(
          e instanceof IOException ? Kind.UNAVAILABLE : Kind.INVALID,
          "the file system of "
              + location
              + " cannot be opened: "
              + e
              + "; check the location, and Hadoop's configuration on the class path or by the"
              + " option hdfs.config",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StateStoreException.unavailable("interrupted while opening " + location, e);
    }
  }

  /** Whether a scheme is known to be safe with several writers. */
  static boolean createsOnce(String scheme) {
    return ATOMIC.contains(scheme);
  }

  private static Configuration configuration(String files) {
    Configuration configuration = new Configuration();
    for (String name : files.isEmpty() ? new String[0] : files.split(",", -1)) {
      Path path = Path.of(name.strip());
      List<Path> all =
          Files.isDirectory(path)
              ? List.of(path.resolve("core-site.xml"), path.resolve("hdfs-site.xml"))
              : List.of(path);
      if (all.stream().noneMatch(Files::isRegularFile)) {
        throw StoreOptions.malformed(
            "hdfs.config",
            name,
            "XML files of Hadoop's configuration, or directories that hold them");
      }
      all.stream()
          .filter(Files::isRegularFile)
          .forEach(file -> configuration.addResource(new org.apache.hadoop.fs.Path(file.toUri())));
    }
    // Hadoop's defaults try for a quarter of an hour to reach a host that is not there.
    impatient(configuration, "ipc.client.connect.timeout", "10000");
    impatient(configuration, "ipc.client.connect.max.retries", "3");
    impatient(configuration, "ipc.client.connect.max.retries.on.timeouts", "3");
    return configuration;
  }

  private static void impatient(Configuration configuration, String name, String value) {
    String[] sources = configuration.getPropertySources(name);
    if (sources == null || sources.length == 0 || sources[0].endsWith("-default.xml")) {
      configuration.set(name, value);
    }
  }

  private static void logIn(Configuration configuration, StoreOptions options) throws IOException {
    String principal = options.get("hdfs.principal", "");
    String keytab = options.get("hdfs.keytab", "");
    if (principal.isEmpty() != keytab.isEmpty()) {
      throw StateStoreException.invalid(
          "give the options hdfs.principal and hdfs.keytab together, or neither");
    }
    if (!principal.isEmpty()) {
      UserGroupInformation.setConfiguration(configuration);
      UserGroupInformation.loginUserFromKeytab(principal, keytab);
    }
  }
}
