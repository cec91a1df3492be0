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

  private static final JsonFactory JSON = new JsonFactory();

  private final PrintStream out;
  private final PrintStream err;
  private final boolean outTerminal;
  private final boolean errTerminal;
  private final boolean unicode;
  private final AtomicBoolean cancelled = new AtomicBoolean();

  Console(
      PrintStream out, PrintStream err, boolean outTerminal, boolean errTerminal, boolean unicode) {
    this.out = out;
    this.err = err;
    this.outTerminal = outTerminal;
    this.errTerminal = errTerminal;
    this.unicode = unicode;
  }

  /**
   * The console of this process. The launcher says which streams are terminals, because Java cannot
   * tell of standard error.
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
        isUnicode(environment));
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
