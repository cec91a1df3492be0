package io.reshard.checkpoint.hdfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** HDFS with one NameNode and one DataNode in this JVM, started once. */
public final class MiniCluster {
  private static MiniCluster instance;

  private final MiniDFSCluster cluster;

  private MiniCluster(MiniDFSCluster cluster) {
    this.cluster = cluster;
  }

  /** The one cluster of this JVM. */
  public static synchronized MiniCluster get() {
    if (instance == null) {
      instance = start(0);
    }
    return instance;
  }

  /** Serves until it is stopped, to try things out: port of the NameNode. */
  public static void main(String[] args) throws InterruptedException {
    MiniCluster started = start(Integer.parseInt(args[0]));
    System.out.println("HDFS at " + started.cluster.getURI() + "; stop it with Ctrl-C");
    Thread.currentThread().join();
  }

  private static MiniCluster start(int port) {
    try {
      Path directory = Files.createTempDirectory("reshard-hdfs-");
      Configuration configuration = new Configuration();
      configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.toString());
      configuration.setInt("dfs.replication", 1);
      // Nothing a test leaves is worth a wait.
      configuration.setBoolean("dfs.namenode.edits.noeditlogchannelflush", true);
      MiniDFSCluster cluster =
          new MiniDFSCluster.Builder(configuration).nameNodePort(port).numDataNodes(1).build();
      cluster.waitActive();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteTree(directory)));
      return new MiniCluster(cluster);
    } catch (IOException e) {
      throw new IllegalStateException("the cluster for tests did not start", e);
    }
  }

  private static void deleteTree(Path directory) {
    try (var paths = Files.walk(directory)) {
      for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | java.io.UncheckedIOException e) {
      System.err.println("cannot delete " + directory + ": " + e);
    }
  }

  /** A location nobody else has. */
  public String newLocation() {
    return cluster.getURI() + "/reshard-tests/" + UUID.randomUUID();
  }
}
