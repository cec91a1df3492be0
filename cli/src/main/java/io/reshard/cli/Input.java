package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * A file of records, or standard input where its name is {@code -}. Gzip is recognised by its first
 * bytes, the format by the name or the first byte.
 */
final class Input implements AutoCloseable {
  /** Formats of records. */
  enum Format {
    /** By name, else by the first byte: an opening brace is JSON Lines. */
    AUTO,
    /** Comma-separated values with a header. */
    CSV,
    /** One JSON object a line. */
    JSONL
  }

  private static final int SAMPLE_BYTES = 64 << 10;
  private static final int BUFFER_BYTES = 64 << 10;

  private final String name;
  private final long size;
  private final String identity;
  private final Counting raw;
  private final BufferedInputStream content;

  private Input(String name, long size, String identity, InputStream in) throws IOException {
    this.name = name;
    this.size = size;
    this.identity = identity;
    this.raw = new Counting(in);
    this.content = new BufferedInputStream(unpacked(raw), BUFFER_BYTES);
  }

  /** Opens it. */
  static Input open(String name, InputStream standardInput) throws IOException {
    if (name.equals("-")) {
      return new Input("standard input", 0, "", standardInput);
    }
    Path path = Path.of(name);
    checkReadable(List.of(name));
    long size = Files.size(path);
    InputStream in = Files.newInputStream(path);
    try {
      return new Input(name, size, identity(path, size), in);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /**
   * Checks that all can be opened, before anything else is done.
   *
   * @throws StateStoreException of kind INVALID if one cannot
   */
  static void checkReadable(List<String> names) {
    for (String name : names) {
      Path path = Path.of(name);
      if (!name.equals("-") && (!Files.isReadable(path) || Files.isDirectory(path))) {
        throw StateStoreException.invalid(
            "input "
                + path.toAbsolutePath()
                + (Files.exists(path) ? " is no readable file" : " does not exist")
                + "; name a CSV or JSON Lines file, plain or gzipped, or - for standard input");
      }
    }
  }

  /** An input that is in the program. */
  static Input of(String name, InputStream in) throws IOException {
    return new Input(name, 0, "", in);
  }

  /** Length, start and end of a file tell it from another, whatever its name. */
  private static String identity(Path path, long size) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update(ByteBuffer.allocate(Long.BYTES).putLong(0, size));
      byte[] sample = new byte[(int) Math.min(SAMPLE_BYTES, size)];
      file.readFully(sample);
      sha256.update(sample);
      file.seek(size - sample.length);
      file.readFully(sample);
      sha256.update(sample);
      return HexFormat.of().formatHex(sha256.digest(), 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw StateStoreException.internal("every JDK has SHA-256, this one has not", e);
    }
  }

  private InputStream unpacked(InputStream in) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(in, BUFFER_BYTES);
    buffered.mark(2);
    boolean gzip = buffered.read() == 0x1f && buffered.read() == 0x8b;
    buffered.reset();
    return gzip ? new Unpacking(name, buffered) : buffered;
  }

  /** A reader of its records. */
  RecordReader records(Format format, char delimiter, List<String> fields) throws IOException {
    return (format == Format.AUTO ? guess() : format) == Format.CSV
        ? new CsvReader(name, content, delimiter, fields)
        : new JsonLinesReader(name, content, fields);
  }

  private Format guess() throws IOException {
    String lower = name.toLowerCase(Locale.ROOT).replaceAll("\\.gz$", "");
    if (lower.endsWith(".csv") || lower.endsWith(".tsv")) {
      return Format.CSV;
    }
    if (lower.endsWith(".jsonl") || lower.endsWith(".ndjson") || lower.endsWith(".json")) {
      return Format.JSONL;
    }
    content.mark(1);
    int first = content.read();
    content.reset();
    return first == '{' ? Format.JSONL : Format.CSV;
  }

  /** The name, as given. */
  String name() {
    return name;
  }

  /** Length in bytes, packed; 0 if unknown. */
  long size() {
    return size;
  }

  /** Bytes read so far, packed. */
  long bytesRead() {
    return raw.count;
  }

  /** What tells this input from others; empty if it cannot be told. */
  String identity() {
    return identity;
  }

  @Override
  public void close() throws IOException {
    content.close();
  }

  private static final class Counting extends FilterInputStream {
    private long count;

    Counting(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      count += b < 0 ? 0 : 1;
      return b;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = super.read(bytes, offset, length);
      count += Math.max(0, read);
      return read;
    }
  }

  /** Says which input is damaged. */
  private static final class Unpacking extends FilterInputStream {
    private final String name;

    Unpacking(String name, InputStream in) throws IOException {
      super(new GZIPInputStream(in, BUFFER_BYTES));
      this.name = name;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      try {
        return super.read(bytes, offset, length);
      } catch (EOFException | ZipException e) {
        throw new StateStoreException(
            StateStoreException.Kind.INVALID,
            "input "
                + name
                + " is damaged or cut off within its gzip data ("
                + e.getMessage()
                + "); fetch it again",
            e);
      }
    }
  }
}
