package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Compression;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the entries of one column family of one shard into as many SST files as the {@link
 * CutRule} says, and gives them to an {@link Upload}. Stored keys are given. Holds one open file
 * and its buffers. Used by one thread.
 *
 * <p>Files are of format version 5 with XXH3, and LZ4 where nothing else is said. A file never ends
 * between two entries of one key.
 */
public final class ShardFileWriter implements AutoCloseable {
  private final Upload upload;
  private final ColumnFamily columnFamily;
  private final int level;
  private final EntryCheck check;
  private final int keyPrefix;
  private final int shards;
  private final SstWriterOptions options;
  private final List<FileHandle> files = new ArrayList<>();
  private final ByteView last = new ByteView();
  private byte[] lastBytes = new byte[64];
  private int lastSlot;
  private @Nullable OpenFile open;
  private boolean ended;

  /** The file at hand. */
  private record OpenFile(Path path, OutputStream out, SstWriter writer) {}

  /**
   * A writer.
   *
   * @param layout the layout the files are for: decides where they end
   * @param level LSM level of the files
   */
  public ShardFileWriter(Upload upload, Layout layout, ColumnFamily columnFamily, int level) {
    this(upload, layout, columnFamily, level, EntryCheck.NONE, Compression.LZ4);
  }

  /**
   * A writer.
   *
   * @param check is shown every entry as it is read back from the files written
   * @param compression of the files' data blocks
   */
  public ShardFileWriter(
      Upload upload,
      Layout layout,
      ColumnFamily columnFamily,
      int level,
      EntryCheck check,
      Compression compression) {
    this.upload = upload;
    this.columnFamily = columnFamily;
    this.level = level;
    this.check = check;
    this.keyPrefix = layout.keyPrefix(columnFamily);
    this.shards = layout.shards();
    SstWriterOptions usual = SstWriterOptions.defaults(columnFamily.name());
    this.options =
        new SstWriterOptions(
            usual.columnFamily(),
            compression,
            usual.blockBytes(),
            usual.restartInterval(),
            usual.formatVersion(),
            usual.checksum(),
            usual.ingestible());
  }

  /** Adds an entry, in order of stored keys, and descending sequence numbers for one key. */
  public void add(ByteView key, long sequence, EntryType type, ByteView value) {
    checkOpen();
    OpenFile current = open;
    if (current != null && endsBefore(key, current.writer.estimatedBytes())) {
      endFile(current);
      current = null;
    }
    if (current == null) {
      current = startFile();
      open = current;
    }
    current.writer.add(key, sequence, type, value);
    if (keyPrefix > 0) {
      lastSlot = slot(key);
    }
    if (current.writer.estimatedBytes() >= CutRule.MAX_BYTES) {
      remember(key);
    }
  }

  /** Whether the file at hand should end, and {@code key} start the next one. */
  private boolean endsBefore(ByteView key, long fileBytes) {
    boolean large = fileBytes >= CutRule.MAX_BYTES;
    if (keyPrefix == 0) {
      return large && last.compareTo(key) != 0;
    }
    int nextSlot = slot(key);
    return nextSlot > lastSlot
        ? large || CutRule.endsBetween(shards, lastSlot, nextSlot, fileBytes)
        : large && last.compareTo(key) != 0;
  }

  private int slot(ByteView key) {
    if (key.length() < Layout.SLOT_BYTES) {
      throw StateStoreException.invalid(
          "stored key "
              + key
              + " of column family '"
              + columnFamily.name()
              + "' has no slot in front; 2 bytes expected");
    }
    return (key.get(0) & 0xff) << 8 | (key.get(1) & 0xff);
  }

  /** Keeps the last key of a file that ends as soon as another one comes. */
  private void remember(ByteView key) {
    if (lastBytes.length < key.length()) {
      lastBytes = new byte[Math.max(key.length(), lastBytes.length * 2)];
    }
    System.arraycopy(key.array(), key.offset(), lastBytes, 0, key.length());
    last.set(lastBytes, 0, key.length());
  }

  private OpenFile startFile() {
    Path path = upload.directory().resolve(UUID.randomUUID() + ".sst");
    try {
      OutputStream out =
          Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      return new OpenFile(path, out, SstWriter.create(path.toString(), out, options));
    } catch (IOException e) {
      throw LocalFiles.failed("creating " + path, e);
    }
  }

  private void endFile(OpenFile current) {
    current.writer.finish();
    closeFile();
    files.add(upload.add(current.path, columnFamily.name(), level, keyPrefix, check));
  }

  private void closeFile() {
    OpenFile current = open;
    open = null;
    if (current != null) {
      current.writer.close();
      try {
        current.out.close();
      } catch (IOException e) {
        throw LocalFiles.failed("closing " + current.path, e);
      }
    }
  }

  /** Ends the last file; no entry can be added after it. */
  public List<FileHandle> finish() {
    checkOpen();
    if (open != null) {
      endFile(open);
    }
    ended = true;
    return List.copyOf(files);
  }

  private void checkOpen() {
    if (ended) {
      throw StateStoreException.closed(
          "the writer of column family '" + columnFamily.name() + "' of a shard");
    }
  }

  /** Gives up what was not finished. */
  @Override
  public void close() {
    ended = true;
    OpenFile unfinished = open;
    if (unfinished != null) {
      closeFile();
      LocalFiles.deleteQuietly(unfinished.path);
    }
  }
}
