package io.reshard.benchmarks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** Figures of a part, each a flat map; the raw ones are kept as JSON, a figure a line. */
final class Figures {
  private static final JsonFactory JSON = new JsonFactory();

  private final List<Map<String, Object>> all;

  Figures(List<Map<String, Object>> all) {
    this.all = List.copyOf(all);
  }

  List<Map<String, Object>> all() {
    return all;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Those whose {@code key} is {@code value}; numbers are compared as such. */
  Figures where(String key, Object value) {
    return new Figures(all.stream().filter(figure -> same(figure.get(key), value)).toList());
  }

  private static boolean same(@Nullable Object found, Object value) {
    return (found instanceof Number a && value instanceof Number b)
        ? a.doubleValue() == b.doubleValue()
        : Objects.equals(found, value);
  }

  Figures named(String name) {
    return where("name", name);
  }

  /** The different values of a key, as they come. */
  List<Object> values(String key) {
    return all.stream().filter(f -> f.containsKey(key)).map(f -> f.get(key)).distinct().toList();
  }

  private DoubleStream numbers(String key) {
    return all.stream()
        .map(f -> f.get(key))
        .filter(Number.class::isInstance)
        .mapToDouble(value -> ((Number) value).doubleValue());
  }

  /** The median of a key; empty where no figure has it. */
  OptionalDouble median(String key) {
    double[] sorted = numbers(key).sorted().toArray();
    return sorted.length == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of((sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2);
  }

  OptionalDouble least(String key) {
    return numbers(key).min();
  }

  OptionalDouble greatest(String key) {
    return numbers(key).max();
  }

  /** Reads one flat JSON object. */
  static Map<String, Object> parse(String json) {
    Map<String, Object> figure = new LinkedHashMap<>();
    try (JsonParser parser = JSON.createParser(json)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("no JSON object: " + json);
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String key = parser.currentName();
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_NUMBER_INT) {
          figure.put(key, parser.getLongValue());
        } else if (token.isNumeric()) {
          figure.put(key, parser.getDoubleValue());
        } else if (token.isBoolean()) {
          figure.put(key, parser.getBooleanValue());
        } else if (token == JsonToken.VALUE_STRING) {
          figure.put(key, parser.getText());
        } else {
          parser.skipChildren(); // Detail that no report needs.
        }
      }
      return figure;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String write(Map<String, Object> figure) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      for (Map.Entry<String, Object> entry : figure.entrySet()) {
        json.writeFieldName(entry.getKey());
        if (entry.getValue() instanceof Double number) {
          json.writeNumber(Math.round(number * 1e9) / 1e9);
        } else {
          json.writePOJO(entry.getValue());
        }
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }

  /** Reads what {@link #save} wrote; no figures where there is no file. */
  static Figures load(Path file) {
    if (Files.notExists(file)) {
      return new Figures(List.of());
    }
    try {
      List<Map<String, Object>> figures = new ArrayList<>();
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith("{")) {
          figures.add(parse(line.endsWith(",") ? line.substring(0, line.length() - 1) : line));
        }
      }
      return new Figures(figures);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a JSON array, a figure a line. */
  void save(Path file) {
    try {
      Files.createDirectories(file.resolveSibling("."));
      String lines = all.stream().map(Figures::write).collect(Collectors.joining(",\n"));
      Files.writeString(file, "[\n" + lines + "\n]\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
