package io.reshard.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a command writes: standard output is data, standard error is progress and errors. Knows
 * whether each is a terminal, and whether the user has asked to stop.
 */
final class Console {
  /** Writes the fields of one JSON object. */
  interface JsonBody {
    /** Writes them. */
    void write(JsonGenerator json) throws IOException;
  }

  /** Columns of a terminal that does not tell its own. */
  static final int DEFAULT_WIDTH = 80;

  private static final Pattern LABEL = Pattern.compile(" +\\S+ {2,}");
  private static final int MIN_WIDTH = 20;
  private static final JsonFactory JSON = new JsonFactory();

  private final PrintStream out;
  private final PrintStream err;
  private final boolean outTerminal;
  private final boolean errTerminal;
  private final boolean unicode;
  private final int width;
  private final AtomicBoolean cancelled = new AtomicBoolean();

  Console(
      PrintStream out,
      PrintStream err,
      boolean outTerminal,
      boolean errTerminal,
      boolean unicode,
      int width) {
    this.out = out;
    this.err = err;
    this.outTerminal = outTerminal;
    this.errTerminal = errTerminal;
    this.unicode = unicode;
    this.width = width;
  }

  /**
   * The console of this process. The launcher says which streams are terminals and how wide,
   * because Java cannot tell.
   */
  static Console ofProcess() {
    Map<String, String> environment = System.getenv();
    String terminals = System.getProperty("reshard.terminals", "");
    boolean plain = environment.containsKey("NO_COLOR") || "dumb".equals(environment.get("TERM"));
    return new Console(
        new PrintStream(System.out, true, StandardCharsets.UTF_8),
        new PrintStream(System.err, true, StandardCharsets.UTF_8),
        terminals.contains("out") && !plain,
        terminals.contains("err") && !plain,
        isUnicode(environment),
        Math.max(MIN_WIDTH, Integer.getInteger("reshard.columns", DEFAULT_WIDTH)));
  }

  private static boolean isUnicode(Map<String, String> environment) {
    for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
      String locale = environment.getOrDefault(name, "");
      if (!locale.isEmpty()) {
        String upper = locale.toUpperCase(Locale.ROOT);
        return upper.contains("UTF-8") || upper.contains("UTF8");
      }
    }
    return false;
  }

  PrintStream out() {
    return out;
  }

  PrintStream err() {
    return err;
  }

  boolean outTerminal() {
    return outTerminal;
  }

  boolean errTerminal() {
    return errTerminal;
  }

  /** Whether the terminal shows more than ASCII. */
  boolean unicode() {
    return unicode;
  }

  /** Columns of the terminal; a line as long as this may wrap. */
  int width() {
    return width;
  }

  /** Asks what runs to stop soon. */
  void cancel() {
    cancelled.set(true);
  }

  /** Whether the user has asked to stop. */
  boolean isCancelled() {
    return cancelled.get();
  }

  /** Prints a line of data. */
  void print(String line) {
    out.println(line);
  }

  /** Prints one JSON object as a line of data. */
  void printJson(JsonBody body) {
    out.println(json(body));
  }

  /** Tells the person something that is no data. */
  void say(String line) {
    err.println(line);
  }

  /**
   * Text broken between words where a line would be longer than {@link #DEFAULT_WIDTH}; what goes
   * on is set in as far as the line's second column.
   */
  static String wrap(String text) {
    return text.lines().map(Console::wrapLine).collect(Collectors.joining("\n"));
  }

  private static String wrapLine(String line) {
    Matcher label = LABEL.matcher(line);
    String indent = label.lookingAt() ? " ".repeat(label.end()) : "";
    StringBuilder wrapped = new StringBuilder();
    String rest = line;
    while (rest.length() > DEFAULT_WIDTH) {
      int space = rest.lastIndexOf(' ', DEFAULT_WIDTH);
      if (space <= indent.length()) {
        break;
      }
      wrapped.append(rest, 0, space).append('\n');
      rest = indent + rest.substring(space + 1);
    }
    return wrapped.append(rest).toString();
  }

  /** One JSON object as text without line breaks. */
  static String json(JsonBody body) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      body.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  String bold(String text) {
    return styled("1", text);
  }

  String dim(String text) {
    return styled("2", text);
  }

  String red(String text) {
    return styled("31", text);
  }

  String green(String text) {
    return styled("32", text);
  }

  String cyan(String text) {
    return styled("36", text);
  }

  private String styled(String code, String text) {
    return outTerminal ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
