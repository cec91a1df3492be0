package io.reshard.checkpoint;

import io.reshard.spi.ColumnFamily;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Takes one shard from a backend to the object store and back: one instance for each open shard,
 * for as long as it is open. It remembers which files of the backend are there already, so that
 * none is exported twice. Used by one thread at a time.
 *
 * <p>What is remembered is, for each file id of the backend, the files of the last published
 * version it became: itself, or the aligned pieces it was split into. An id that is not part of an
 * export any more is forgotten with the next publish.
 */
public final class ShardSnapshots {
  private final CheckpointStore store;
  private final Layout layout;
  private final int shard;
  private final Map<String, ColumnFamily> columnFamilies;
  private Map<String, List<FileRef>> known = new HashMap<>();
  private @Nullable Map<String, List<FileHandle>> exported;

  /**
   * For a shard that holds nothing yet, or is about to be restored.
   *
   * @param shard its number in the layout
   */
  public ShardSnapshots(
      CheckpointStore store, Layout layout, int shard, List<ColumnFamily> columnFamilies) {
    this.store = store;
    this.layout = layout;
    this.shard = shard;
    this.columnFamilies =
        columnFamilies.stream()
            .collect(
                Collectors.toMap(
                    ColumnFamily::name, Function.identity(), (a, b) -> a, LinkedHashMap::new));
  }

  /** The name a file goes by in a backend for as long as it is used there. */
  static String fileId(FileRef file) {
    return file.sha256() + ":" + file.columnFamily();
  }

  /**
   * Exports the shard's last commit into an upload. Nothing is remembered of it before {@link
   * #published}.
   *
   * @return the files of the shard, for {@link CheckpointStore#publish}
   */
  public List<FileHandle> export(ShardStore from, Upload upload) {
    exported = null;
    ShardExport export = new ShardExport(upload, layout, columnFamilies, known);
    from.exportSnapshot(export);
    exported = export.byId();
    return export.files();
  }

  /** The last export is part of a published version: its files need not be exported again. */
  public void published() {
    if (exported == null) {
      throw StateStoreException.invalid("shard " + shard + " was not exported; call export first");
    }
    Map<String, List<FileRef>> now = new HashMap<>();
    exported.forEach((id, handles) -> now.put(id, handles.stream().map(FileHandle::ref).toList()));
    known = now;
    exported = null;
  }

  /**
   * A file of the published version now lies elsewhere.
   *
   * @param to the same bytes in another place
   */
  void moved(FileRef to) {
    for (Map.Entry<String, List<FileRef>> entry : known.entrySet()) {
      if (entry.getValue().stream().anyMatch(file -> isSame(file, to))) {
        entry.setValue(
            entry.getValue().stream()
                .map(file -> isSame(file, to) ? to.withLevel(file.level()) : file)
                .toList());
      }
    }
  }

  private static boolean isSame(FileRef a, FileRef b) {
    return a.sha256().equals(b.sha256()) && a.columnFamily().equals(b.columnFamily());
  }

  /**
   * Replaces what the shard holds by files of a version.
   *
   * @throws StateStoreException CORRUPT if a file holds keys of another shard, or is missing or
   *     damaged
   */
  public void restore(ShardStore into, List<FileRef> files, long version) {
    new ShardRules(layout, new ArrayList<>(columnFamilies.values()))
        .check(shard, files, StateStoreException.Kind.CORRUPT);
    into.importSnapshot(new ShardImport(store, columnFamilies.keySet(), files, version));
    Map<String, List<FileRef>> now = new HashMap<>();
    files.forEach(file -> now.put(fileId(file), List.of(file)));
    known = now;
    exported = null;
  }
}
