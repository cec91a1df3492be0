package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A command line run in this process.
 *
 * @param code exit code
 * @param out standard output
 * @param err standard error
 */
record Ran(int code, String out, String err) {
  /** Runs a command line as if no stream were a terminal. */
  static Ran run(String... args) {
    return run(false, false, args);
  }

  /** Runs a command line whose user has pressed Ctrl-C already. */
  static Ran interrupted(String... args) {
    return run(false, true, args);
  }

  /** Runs a command line as if every stream were a terminal. */
  static Ran inTerminal(String... args) {
    return run(true, false, args);
  }

  private static Ran run(boolean terminal, boolean interrupted, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console =
        new Console(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            terminal,
            terminal,
            terminal,
            Console.DEFAULT_WIDTH);
    if (interrupted) {
      console.cancel();
    }
    int code = Cli.run(console, args);
    return new Ran(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** Checks that it went well. */
  Ran ok() {
    return fails(ExitCode.OK);
  }

  /** Checks the exit code. */
  Ran fails(ExitCode expected) {
    assertThat(code).as("exit code of%n%s%n%s", out, err).isEqualTo(expected.code());
    return this;
  }

  /** Checks that standard error holds all of these texts, and no stack trace. */
  Ran saying(String... texts) {
    assertThat(err).contains(texts).doesNotContain("\tat ");
    return this;
  }

  /** Standard output as JSON Lines: every object's scalar fields, nested ones left out. */
  List<Map<String, Object>> json() {
    return parse(out);
  }

  /** The one JSON object on standard output. */
  Map<String, Object> oneJson() {
    List<Map<String, Object>> all = json();
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  /** A number of an object. */
  static long number(Map<String, Object> object, String name) {
    return (long) Objects.requireNonNull(object.get(name), name);
  }

  /** The fields of the JSON error that ends standard error. */
  Map<String, Object> jsonError() {
    List<String> lines = err.lines().toList();
    String last = lines.get(lines.size() - 1);
    assertThat(last).startsWith("{\"error\":");
    return parse(last.substring("{\"error\":".length(), last.length() - 1)).get(0);
  }

  private static List<Map<String, Object>> parse(String text) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (String line : text.lines().toList()) {
      try (JsonParser parser = new JsonFactory().createParser(line)) {
        assertThat(parser.nextToken()).isEqualTo(JsonToken.START_OBJECT);
        all.add(object(parser));
        assertThat(parser.nextToken()).as("end of line %s", line).isNull();
      } catch (IOException e) {
        throw new AssertionError("no JSON: " + line, e);
      }
    }
    return all;
  }

  private static Map<String, Object> object(JsonParser parser) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      Object value = scalar(parser);
      if (value != null) {
        fields.put(name, value);
      }
    }
    return fields;
  }

  private static @Nullable Object scalar(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case VALUE_NUMBER_INT -> parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_STRING -> parser.getText();
      case START_OBJECT, START_ARRAY -> {
        parser.skipChildren();
        yield null;
      }
      default -> null;
    };
  }
}
