package io.reshard.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Enumeration;
import java.util.NoSuchElementException;
import java.util.zip.GZIPInputStream;

/**
 * The flights the demo loads, as CSV: those that come with the program, and where more are asked
 * for, the same again with later times.
 */
final class FlightSample {
  /** Flights that come with the program. */
  static final int RECORDS = 180_000;

  private static final String RESOURCE = "sample/flights.csv.gz";
  private static final Duration SPAN = Duration.ofDays(11);
  private static final int TIME_LENGTH = "2001-01-01T00:00:00Z".length();

  private FlightSample() {}

  /** The header and {@code records} flights. */
  static InputStream open(long records) throws IOException {
    String[] lines = lines();
    byte[] header = (lines[0] + "\n").getBytes(StandardCharsets.UTF_8);
    return new SequenceInputStream(
        new ByteArrayInputStream(header), new SequenceInputStream(new Rounds(lines, records)));
  }

  private static String[] lines() throws IOException {
    try (InputStream in = FlightSample.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IOException("resource " + RESOURCE + " is not in the program; build it again");
      }
      String text = new String(new GZIPInputStream(in).readAllBytes(), StandardCharsets.UTF_8);
      return text.split("\n", -1);
    }
  }

  /** One round of the sample after another. */
  @SuppressWarnings("JdkObsolete") // What SequenceInputStream takes.
  private static final class Rounds implements Enumeration<InputStream> {
    private final String[] lines;
    private final long records;
    private long given;

    Rounds(String[] lines, long records) {
      this.lines = lines;
      this.records = records;
    }

    @Override
    public boolean hasMoreElements() {
      return given < records;
    }

    @Override
    public InputStream nextElement() {
      if (!hasMoreElements()) {
        throw new NoSuchElementException();
      }
      int count = (int) Math.min(RECORDS, records - given);
      Duration later = SPAN.multipliedBy(given / RECORDS);
      StringBuilder text = new StringBuilder(count * 40);
      for (int i = 1; i <= count; i++) {
        String time = lines[i].substring(0, TIME_LENGTH);
        text.append(later.isZero() ? time : Instant.parse(time).plus(later))
            .append(lines[i], TIME_LENGTH, lines[i].length())
            .append('\n');
      }
      given += count;
      return new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8));
    }
  }
}
