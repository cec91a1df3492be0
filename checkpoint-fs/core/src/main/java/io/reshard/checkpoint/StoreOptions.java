package io.reshard.checkpoint;

import io.reshard.spi.StateStoreException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Options of object stores by name, such as {@code s3.endpoint}. One that was not given is looked
 * up as the system property {@code reshard.s3.endpoint}, then as the environment variable {@code
 * RESHARD_S3_ENDPOINT}: upper case, with an underscore for each dot and hyphen. No option is a
 * secret; credentials come from where the service's own client looks for them. Immutable.
 */
public final class StoreOptions {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*([.-][a-z0-9]+)*");
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,15})([kmg]?)");
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d)");
  private static final int MAX_SHOWN = 100;

  private final Map<String, String> given;
  private final UnaryOperator<@Nullable String> properties;
  private final UnaryOperator<@Nullable String> environment;

  private StoreOptions(
      Map<String, String> given,
      UnaryOperator<@Nullable String> properties,
      UnaryOperator<@Nullable String> environment) {
    this.given = given;
    this.properties = properties;
    this.environment = environment;
  }

  /**
   * Options of this process, with these before all others.
   *
   * @throws StateStoreException INVALID if a name is malformed
   */
  public static StoreOptions of(Map<String, String> given) {
    return of(given, System::getProperty, System::getenv);
  }

  static StoreOptions of(
      Map<String, String> given,
      UnaryOperator<@Nullable String> properties,
      UnaryOperator<@Nullable String> environment) {
    for (String name : given.keySet()) {
      if (!NAME.matcher(name).matches()) {
        throw StateStoreException.invalid(
            "'" + shown(name) + "' is no name of an option; give one like s3.endpoint");
      }
    }
    return new StoreOptions(Map.copyOf(given), properties, environment);
  }

  /** The value of an option; {@code otherwise} if it is given nowhere or empty. */
  public String get(String name, String otherwise) {
    String value = find(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  private @Nullable String find(String name) {
    String value = given.get(name);
    if (value == null) {
      value = properties.apply("reshard." + name);
    }
    if (value == null) {
      String variable = "RESHARD_" + name.replaceAll("[.-]", "_").toUpperCase(Locale.ROOT);
      value = environment.apply(variable);
    }
    return value;
  }

  /** A yes or no: {@code true} or {@code false}. */
  public boolean flag(String name, boolean otherwise) {
    String text = get(name, Boolean.toString(otherwise));
    if (!text.equals("true") && !text.equals("false")) {
      throw malformed(name, text, "true or false");
    }
    return text.equals("true");
  }

  /** A whole number within bounds, with {@code k}, {@code m} or {@code g} for powers of 1024. */
  public long number(String name, long otherwise, long least, long most) {
    String text = get(name, Long.toString(otherwise));
    Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      int shift = " kmg".indexOf(matcher.group(2).isEmpty() ? " " : matcher.group(2)) * 10;
      long digits = Long.parseLong(matcher.group(1));
      if (digits <= Long.MAX_VALUE >> shift
          && digits << shift >= least
          && digits << shift <= most) {
        return digits << shift;
      }
    }
    throw malformed(
        name, text, "a number from " + least + " to " + most + ", such as 65536 or 64k");
  }

  /** A time above 0, such as {@code 500ms}, {@code 30s}, {@code 2m}. */
  public Duration duration(String name, Duration otherwise) {
    String text = get(name, otherwise.toMillis() + "ms");
    Matcher matcher = DURATION.matcher(text.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long n = Long.parseLong(matcher.group(1));
      if (n > 0 && n <= 1_000_000_000L) {
        return switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(n);
          case "s" -> Duration.ofSeconds(n);
          case "m" -> Duration.ofMinutes(n);
          case "h" -> Duration.ofHours(n);
          default -> Duration.ofDays(n);
        };
      }
    }
    throw malformed(name, text, "a time such as 500ms, 30s or 2m");
  }

  /**
   * Refuses an option that was given and belongs to a store's own names, but is none of them.
   *
   * @param prefix what the store's own options start with, such as {@code s3.}
   * @param known every name it has
   */
  public void checkKnown(String prefix, java.util.Set<String> known) {
    for (String name : new TreeMap<>(given).keySet()) {
      if (name.startsWith(prefix) && !known.contains(name)) {
        throw StateStoreException.invalid(
            "no option '"
                + shown(name)
                + "'; there are "
                + String.join(", ", new TreeSet<>(known)));
      }
    }
  }

  /** The error of an option whose value is not what it may be. */
  public static StateStoreException malformed(String name, String value, String expected) {
    return StateStoreException.invalid(
        "option '" + name + "' is '" + shown(value) + "'; give " + expected);
  }

  private static String shown(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
  }
}
