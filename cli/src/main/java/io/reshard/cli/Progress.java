package io.reshard.cli;

/**
 * Shows on standard error how far something is: one line that is drawn over on a terminal, a plain
 * line now and then elsewhere. Thread-safe.
 */
final class Progress implements AutoCloseable {
  private static final long TERMINAL_NANOS = 100_000_000L;
  private static final long PLAIN_NANOS = 10_000_000_000L;
  private static final int BAR_WIDTH = 24;
  private static final double MIN_SECONDS_FOR_RATE = 0.2;

  private final Console console;
  private final String what;
  private final long start = System.nanoTime();
  private long shown;
  private boolean drawn;

  Progress(Console console, String what) {
    this.console = console;
    this.what = what;
    this.shown = start - (console.errTerminal() ? TERMINAL_NANOS : 0);
  }

  /**
   * Tells how far it is.
   *
   * @param done bytes done
   * @param total bytes in all; 0 if unknown
   * @param detail what else there is to say
   */
  synchronized void bytes(long done, long total, String detail) {
    if (isDue()) {
      double seconds = Units.toSeconds(System.nanoTime() - start);
      String rate =
          seconds < MIN_SECONDS_FOR_RATE ? "" : "  " + Units.bytes((long) (done / seconds)) + "/s";
      draw(done, total, Units.bytes(done), Units.bytes(total), rate, "  " + detail);
    }
  }

  /** Tells how many of a number of things are done. */
  synchronized void count(long done, long total, String things) {
    if (isDue()) {
      draw(done, total, Units.count(done), Units.count(total), " " + things, "");
    }
  }

  private boolean isDue() {
    long now = System.nanoTime();
    if (now - shown < (console.errTerminal() ? TERMINAL_NANOS : PLAIN_NANOS)) {
      return false;
    }
    shown = now;
    return true;
  }

  private void draw(
      long done, long total, String doneText, String totalText, String more, String detail) {
    String amount = total > 0 ? doneText + " of " + totalText : doneText;
    String line = what + "  " + amount;
    String eta = eta(done, total);
    if (!console.errTerminal()) {
      console.say(line + more + detail + eta);
      return;
    }
    String head = (total > 0 ? bar((double) done / total) : "") + line;
    console.err().print("\r" + fit(head, more, detail, eta, console.width() - 1) + "\u001b[K");
    console.err().flush();
    drawn = true;
  }

  /** What fits into so many columns: a line that wraps could not be drawn over. */
  static String fit(String head, String more, String detail, String eta, int columns) {
    for (String line :
        new String[] {head + more + detail + eta, head + more + eta, head + eta, head}) {
      if (line.length() <= columns) {
        return line;
      }
    }
    return head.substring(0, columns);
  }

  private String bar(double share) {
    String text = ShardSizes.bar(console, share, BAR_WIDTH);
    return "[" + text + "] " + String.format("%3.0f%%  ", Math.min(1, share) * 100);
  }

  private String eta(long done, long total) {
    double seconds = Units.toSeconds(System.nanoTime() - start);
    if (done <= 0 || total <= done || seconds < MIN_SECONDS_FOR_RATE) {
      return "";
    }
    return "  ETA " + Units.seconds(seconds * (total - done) / done);
  }

  /** Seconds since the start. */
  double seconds() {
    return Units.toSeconds(System.nanoTime() - start);
  }

  /** Wipes the line. */
  @Override
  public synchronized void close() {
    if (drawn) {
      console.err().print("\r\u001b[K");
      console.err().flush();
      drawn = false;
    }
  }
}
