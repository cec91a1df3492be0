package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Progress that is drawn over must never fill a line of the terminal. */
class ProgressTest {
  private static final String HEAD = "[########################]  50%  repartition  1 of 2";

  private static String drawn(int width, long done, String detail) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
    try (Progress progress =
        new Progress(new Console(stream, stream, true, true, true, width), "repartition")) {
      progress.bytes(done, 4L << 40, detail);
    }
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void noDrawnLineIsAsLongAsTheTerminalIsWide() {
    for (int width : new int[] {20, 40, 80, 120}) {
      String drawn = drawn(width, 3L << 40, "123,456 of 400,000 tasks, 987,654,321,000 rows");
      assertThat(drawn).startsWith("\r[").endsWith("\r\u001b[K");
      for (String line : drawn.split("\r", -1)) {
        assertThat(line.replace("\u001b[K", "").length()).as(line).isLessThan(width);
      }
    }
    assertThat(drawn(80, 3L << 40, "17 tasks")).contains("75%  repartition  3.0 TiB of 4.0 TiB");
    assertThat(drawn(120, 3L << 40, "17 tasks")).contains("17 tasks");
  }

  @Test
  void detailsAreDroppedBeforeTheTimeAndTheTimeBeforeTheHead() {
    String eta = "  ETA 3 s";
    String rate = "  5 MiB/s";
    String detail = "  3 of 9 tasks";
    assertThat(Progress.fit(HEAD, rate, detail, eta, 200)).isEqualTo(HEAD + rate + detail + eta);
    assertThat(Progress.fit(HEAD, rate, detail, eta, HEAD.length() + 18))
        .isEqualTo(HEAD + rate + eta);
    assertThat(Progress.fit(HEAD, rate, detail, eta, HEAD.length() + 17)).isEqualTo(HEAD + eta);
    assertThat(Progress.fit(HEAD, rate, detail, eta, HEAD.length() + 8)).isEqualTo(HEAD);
    assertThat(Progress.fit(HEAD, rate, detail, eta, 10)).isEqualTo(HEAD.substring(0, 10));
  }

  @Test
  void wrappedTextKeepsItsWordsAndLinesUpBehindItsLabel() {
    String line = "  note        " + "every word of this stays whole ".repeat(6).strip();
    String wrapped = Console.wrap("head\n" + line + "\n");
    assertThat(wrapped.lines()).allMatch(part -> part.length() <= 80).hasSizeGreaterThan(3);
    assertThat(wrapped.lines().skip(2)).allMatch(part -> part.startsWith(" ".repeat(14)));
    assertThat(wrapped.replaceAll("\\s+", " ")).isEqualTo("head" + line.replaceAll("\\s+", " "));
  }
}
