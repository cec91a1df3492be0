package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a finished task of a long job left in the object store, so that a later run of the same job
 * need not do the task again.
 *
 * @param files files by the shard they are for; their uploads are flushed
 * @param properties the job's own words: at most 1,000, of at most 65,535 characters each
 */
public record JobResult(SortedMap<Integer, List<FileRef>> files, Map<String, String> properties) {
  /** Copies both maps. */
  public JobResult {
    SortedMap<Integer, List<FileRef>> copy = new TreeMap<>();
    files.forEach(
        (shard, refs) -> {
          if (shard < 0 || shard >= Layout.MAX_SHARDS) {
            throw StateStoreException.invalid(
                "shard " + shard + " of a job result; give 0 to " + (Layout.MAX_SHARDS - 1));
          }
          copy.put(shard, List.copyOf(refs));
        });
    files = Collections.unmodifiableSortedMap(copy);
    properties = Properties.check(properties);
  }
}
