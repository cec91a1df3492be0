package io.reshard.checkpoint.hdfs;

import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreProvider;
import io.reshard.checkpoint.StoreOptions;
import io.reshard.spi.StateStoreException;
import java.util.Set;

/**
 * Opens {@code hdfs://host:port/path}, and what else Hadoop has a file system for. Hadoop's client
 * is not a dependency that comes along: a cluster brings its own, and elsewhere it is put on the
 * class path. Its configuration files are found there too; the options are listed in {@code
 * docs/operations.md}.
 */
public final class HdfsObjectStoreProvider implements ObjectStoreProvider {
  /** For {@link java.util.ServiceLoader}. */
  public HdfsObjectStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("hdfs", "webhdfs", "swebhdfs", "viewfs", "abfs", "abfss", "gs", "ofs", "o3fs");
  }

  @Override
  public ObjectStore open(String location, StoreOptions options) {
    try {
      Class.forName(
          "org.apache.hadoop.fs.FileSystem", false, HdfsObjectStoreProvider.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new StateStoreException(
          StateStoreException.Kind.INVALID,
          "'"
              + location
              + "' needs Hadoop's client, which is not on the class path: put hadoop-client-api and"
              + " hadoop-client-runtime there. The reshard command takes what the environment"
              + " variable HADOOP_CLASSPATH names",
          e);
    }
    return HdfsObjectStore.open(location, options);
  }
}
