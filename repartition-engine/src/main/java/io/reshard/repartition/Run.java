package io.reshard.repartition;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.Compression;
import io.reshard.sst.EntryCursor;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstReader;
import io.reshard.sst.SstSource;
import io.reshard.sst.SstWriter;
import io.reshard.sst.SstWriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A sorted run of rows in a temporary file on local disk: what is used where more sources are to be
 * merged, or more targets to be written, than may be open at once. Its bytes are checked by block
 * checksums as every other file's. Nobody else knows of it, and it goes when it was read.
 */
final class Run implements Streamer.RowSource {
  private static final int BLOCK_BYTES = 16 << 10;

  private final Path path;
  private final RowHash rowHash;
  private final Meter.Reading reading;

  private Run(Path path, RowHash rowHash, Meter.Reading reading) {
    this.path = path;
    this.rowHash = rowHash;
    this.reading = reading;
  }

  /** Writes a run row by row. */
  static final class Builder implements AutoCloseable {
    private final Path path;
    private final OutputStream out;
    private final SstWriter writer;

    Builder(Path path, String columnFamily) {
      this.path = path;
      try {
        this.out = Files.newOutputStream(path);
      } catch (IOException e) {
        throw unavailable("create", path, e);
      }
      this.writer =
          SstWriter.create(
              path.getFileName().toString(),
              out,
              new SstWriterOptions(
                  columnFamily,
                  Compression.LZ4,
                  BLOCK_BYTES,
                  16,
                  5,
                  SstWriterOptions.Checksum.XXH3,
                  false));
    }

    void add(RowCursor row) {
      writer.add(row.key(), 0, EntryType.PUT, row.value());
    }

    /** Ends the run. */
    Run finish(RowHash rowHash, Meter meter) {
      try {
        writer.finish();
        out.flush();
      } catch (IOException | UncheckedIOException e) {
        throw unavailable("write", path, e);
      }
      // It is no source: only the pauses of its reading count.
      return new Run(path, rowHash, meter.reading(0, Math.max(1, writer.entries())));
    }

    @Override
    public void close() {
      Closing.all(Arrays.asList(writer, out));
    }
  }

  @Override
  public int openFiles() {
    return 1;
  }

  @Override
  public RowCursor open() {
    SstReader reader = SstReader.open(SstSource.ofFile(path));
    try {
      return new Rows(reader, reader.cursor());
    } catch (RuntimeException | Error e) {
      reader.close();
      throw e;
    }
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

  private final class Rows implements RowCursor {
    private final SstReader reader;
    private final EntryCursor entries;

    Rows(SstReader reader, EntryCursor entries) {
      this.reader = reader;
      this.entries = entries;
    }

    @Override
    public boolean next() {
      if (!entries.next()) {
        return false;
      }
      reading.entry(entries.key().length() + entries.value().length());
      return true;
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
      Closing.all(List.of(entries, reader));
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        throw unavailable("delete", path, e);
      }
    }
  }
}
