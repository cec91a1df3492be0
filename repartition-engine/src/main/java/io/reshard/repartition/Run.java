package io.reshard.repartition;

import io.reshard.checkpoint.CutRule;
import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Compression;
import io.reshard.sst.Cursors;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstReader;
import io.reshard.sst.SstSource;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sorted run of entries in temporary files on local disk, one behind another: what is used where
 * more sources are to be merged, or more targets to be written, than may be open at once. Blocks
 * are checked by their checksums as in every other file. It is read once; each file goes when it
 * was read.
 */
final class Run implements Streamer.RowSource {
  private static final int BLOCK_BYTES = 16 << 10;

  private final List<Path> files;
  private final long largestFile;
  private final RowHash rowHash;
  private final Meter.Reading reading;

  private Run(List<Path> files, long largestFile, RowHash rowHash, Meter.Reading reading) {
    this.files = files;
    this.largestFile = largestFile;
    this.rowHash = rowHash;
    this.reading = reading;
  }

  /** Writes a run entry by entry. */
  static final class Builder implements AutoCloseable {
    private final Path directory;
    private final String name;
    private final RowHash rowHash;
    private final SstWriterOptions options;
    private final List<Path> files = new ArrayList<>();
    private long largestFile;
    private @Nullable OutputStream out;
    private @Nullable SstWriter writer;

    Builder(Path directory, String name, RowHash rowHash, String columnFamily) {
      this.directory = directory;
      this.name = name;
      this.rowHash = rowHash;
      this.options =
          new SstWriterOptions(
              columnFamily,
              Compression.LZ4,
              BLOCK_BYTES,
              16,
              5,
              SstWriterOptions.Checksum.XXH3,
              false);
    }

    void add(RowCursor row) {
      add(row.key(), 0, EntryType.PUT, row.value());
    }

    void add(ByteView key, long sequence, EntryType type, ByteView value) {
      SstWriter current = writer;
      if (current == null || current.estimatedBytes() >= CutRule.MAX_BYTES) {
        endFile();
        current = startFile();
      }
      current.add(key, sequence, type, value);
    }

    private SstWriter startFile() {
      Path file = directory.resolve(name + "-" + files.size() + ".sst");
      files.add(file);
      try {
        OutputStream opened = Files.newOutputStream(file);
        out = opened;
        SstWriter started = SstWriter.create(file.toString(), opened, options);
        writer = started;
        return started;
      } catch (IOException e) {
        throw unavailable("create", file, e);
      }
    }

    private void endFile() {
      if (writer != null) {
        largestFile = Math.max(largestFile, writer.finish());
        close();
      }
    }

    /** Ends the run. */
    Run finish(Meter meter) {
      endFile();
      // It is no source: only the pauses of its reading count.
      return new Run(List.copyOf(files), largestFile, rowHash, meter.reading(0, 1));
    }

    @Override
    public void close() {
      List<@Nullable AutoCloseable> both = Arrays.asList(writer, out);
      writer = null;
      out = null;
      Closing.all(both);
    }
  }

  @Override
  public OpenFiles.Cost cost() {
    return OpenFiles.Cost.ofFile(largestFile);
  }

  @Override
  public RowCursor open() {
    return new Rows(new Entries());
  }

  /** What was written, as it was; to be read once, as {@link #open} is. */
  EntryCursor entries() {
    return new Entries();
  }

  private static StateStoreException unavailable(String what, Path path, Exception e) {
    return StateStoreException.unavailable(
        "cannot "
            + what
            + " temporary file "
            + path
            + ": "
            + e
            + "; look for room on that disk, and run it again to go on from there",
        e);
  }

  /** The files one after another. */
  private final class Entries implements EntryCursor {
    private int next;
    private @Nullable SstReader reader;
    private EntryCursor entries = Cursors.empty();

    @Override
    public boolean next() {
      while (!entries.next()) {
        closeFile();
        if (next == files.size()) {
          return false;
        }
        SstReader opened = SstReader.open(SstSource.ofFile(files.get(next)));
        reader = opened;
        entries = opened.cursor();
        next++;
      }
      reading.entry(entries.key().length() + entries.value().length());
      return true;
    }

    private void closeFile() {
      SstReader opened = reader;
      if (opened != null) {
        EntryCursor read = entries;
        reader = null;
        entries = Cursors.empty();
        Closing.all(List.of(read, opened));
        try {
          Files.deleteIfExists(files.get(next - 1));
        } catch (IOException e) {
          throw unavailable("delete", files.get(next - 1), e);
        }
      }
    }

    @Override
    public ByteView key() {
      return entries.key();
    }

    @Override
    public ByteView value() {
      return entries.value();
    }

    @Override
    public long sequence() {
      return entries.sequence();
    }

    @Override
    public EntryType type() {
      return entries.type();
    }

    @Override
    public void close() {
      closeFile();
    }
  }

  /** The entries of a run of rows. */
  private final class Rows implements RowCursor {
    private final Entries entries;

    Rows(Entries entries) {
      this.entries = entries;
    }

    @Override
    public boolean next() {
      return entries.next();
    }

    @Override
    public ByteView key() {
      return entries.key();
    }

    @Override
    public ByteView value() {
      return entries.value();
    }

    @Override
    public int hash() {
      return rowHash.hash(entries.key());
    }

    @Override
    public void close() {
      entries.close();
    }
  }
}
