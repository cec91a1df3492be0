package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which inputs a store has taken, and how far: kept in the version's properties, so that rows and
 * the note of how far they go are committed together. A load that was killed goes on where its last
 * version ends, and no input is counted twice by mistake.
 *
 * <p>Text form: entries {@code identity:records:done} or {@code identity:records:part}, separated
 * by spaces, oldest first, at most the newest 256.
 */
final class LoadedInputs {
  /** How far an input was taken. */
  record Taken(long records, boolean done) {}

  /** Name of the property. */
  static final String PROPERTY = "load.inputs";

  private static final int MAX = 256;
  private static final Pattern ENTRY = Pattern.compile("([0-9a-f]{32}):([0-9]{1,18}):(done|part)");

  private final Map<String, Taken> inputs = new LinkedHashMap<>();

  /** Reads the property. */
  static LoadedInputs of(Map<String, String> properties) {
    LoadedInputs loaded = new LoadedInputs();
    String text = properties.getOrDefault(PROPERTY, "");
    if (!text.isEmpty()) {
      for (String entry : text.split(" ", -1)) {
        Matcher matcher = ENTRY.matcher(entry);
        if (!matcher.matches()) {
          throw StateStoreException.corrupt(
              "property '"
                  + PROPERTY
                  + "' holds '"
                  + entry
                  + "'; expected identity:records:done or identity:records:part");
        }
        loaded.inputs.put(
            matcher.group(1),
            new Taken(Long.parseLong(matcher.group(2)), matcher.group(3).equals("done")));
      }
    }
    return loaded;
  }

  /** How far the input of that identity was taken; nothing of it if it is not known. */
  Taken taken(String identity) {
    return inputs.getOrDefault(identity, new Taken(0, false));
  }

  /** Notes how far an input is taken; one without identity cannot be noted. */
  void note(String identity, long records, boolean done) {
    if (!identity.isEmpty()) {
      inputs.remove(identity);
      inputs.put(identity, new Taken(records, done));
      if (inputs.size() > MAX) {
        inputs.remove(inputs.keySet().iterator().next());
      }
    }
  }

  /** The text of the property. */
  String toText() {
    StringBuilder text = new StringBuilder();
    inputs.forEach(
        (identity, taken) ->
            text.append(text.isEmpty() ? "" : " ")
                .append(identity)
                .append(':')
                .append(taken.records())
                .append(taken.done() ? ":done" : ":part"));
    return text.toString();
  }
}
