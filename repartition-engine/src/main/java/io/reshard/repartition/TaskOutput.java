package io.reshard.repartition;

import io.reshard.checkpoint.FileHandle;
import io.reshard.checkpoint.FileRef;
import io.reshard.checkpoint.JobResult;
import io.reshard.checkpoint.SetDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a task has written: files by target shard, and per column family what they must hold; and of
 * column families that are streamed what the task has read.
 */
final class TaskOutput {
  private static final String DIGEST = "digest.";
  private static final String READ = "read.";

  private final SortedMap<Integer, List<FileHandle>> files = new TreeMap<>();
  private final Map<String, SetDigest> digests = new TreeMap<>();
  private final Map<String, SetDigest> read = new TreeMap<>();
  private boolean resumed;

  /** Adds the files of a shard, which were proven to hold {@code proven}. */
  void add(int shard, String columnFamily, List<FileHandle> written, SetDigest proven) {
    files.computeIfAbsent(shard, s -> new ArrayList<>()).addAll(written);
    digests.computeIfAbsent(columnFamily, name -> new SetDigest()).add(proven);
  }

  /** Adds entries of sources of a streamed column family: what became rows, and what did not. */
  void addRead(String columnFamily, SetDigest entries) {
    read.computeIfAbsent(columnFamily, name -> new SetDigest()).add(entries);
  }

  SortedMap<Integer, List<FileHandle>> files() {
    return files;
  }

  /** Digests of what was rewritten, by column family. */
  Map<String, SetDigest> digests() {
    return digests;
  }

  /** Digests of what was read of streamed column families. */
  Map<String, SetDigest> read() {
    return read;
  }

  /** Whether an earlier run did the task. */
  boolean resumed() {
    return resumed;
  }

  /** What to keep of it; its upload is flushed. */
  JobResult toResult() {
    SortedMap<Integer, List<FileRef>> refs = new TreeMap<>();
    files.forEach(
        (shard, handles) -> refs.put(shard, handles.stream().map(FileHandle::ref).toList()));
    Map<String, String> properties = new HashMap<>();
    digests.forEach((name, digest) -> properties.put(DIGEST + name, digest.toString()));
    read.forEach((name, digest) -> properties.put(READ + name, digest.toString()));
    return new JobResult(refs, properties);
  }

  /** What an earlier run kept. */
  static TaskOutput of(JobResult result) {
    TaskOutput output = new TaskOutput();
    result
        .files()
        .forEach(
            (shard, refs) ->
                output.files.put(
                    shard, new ArrayList<>(refs.stream().map(FileHandle::existing).toList())));
    result
        .properties()
        .forEach(
            (name, text) -> {
              if (name.startsWith(DIGEST)) {
                output.digests.put(name.substring(DIGEST.length()), SetDigest.parse(text));
              } else if (name.startsWith(READ)) {
                output.read.put(name.substring(READ.length()), SetDigest.parse(text));
              }
            });
    output.resumed = true;
    return output;
  }

  /** Whether its files are for shards there are, and hold what they were proven to hold. */
  boolean isSound(int shards) {
    return (files.isEmpty() || files.lastKey() < shards) && digestsOfFiles().equals(digests);
  }

  /** Sums of the files' digests by column family. */
  Map<String, SetDigest> digestsOfFiles() {
    Map<String, SetDigest> sums = new TreeMap<>();
    for (List<FileHandle> handles : files.values()) {
      for (FileHandle handle : handles) {
        sums.computeIfAbsent(handle.ref().columnFamily(), name -> new SetDigest())
            .add(handle.digest());
      }
    }
    return sums;
  }
}
