package io.reshard.spi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Pattern;

/** Finds backends on the class path. */
public final class StateStoreProviders {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

  private StateStoreProviders() {}

  /**
   * All backends found, ordered by name.
   *
   * @throws StateStoreException INVALID if one cannot be loaded, has a malformed name or one that
   *     another has too
   */
  public static List<StateStoreProvider> all() {
    List<StateStoreProvider> found = new ArrayList<>();
    try {
      for (StateStoreProvider provider : ServiceLoader.load(StateStoreProvider.class)) {
        found.add(provider);
      }
    } catch (ServiceConfigurationError e) {
      throw new StateStoreException(
          StateStoreException.Kind.INVALID,
          "a backend on the class path cannot be loaded: "
              + e.getMessage()
              + "; correct its META-INF/services entry or remove its jar",
          e);
    }
    found.sort(Comparator.comparing(StateStoreProvider::name));
    for (int i = 0; i < found.size(); i++) {
      String name = found.get(i).name();
      if (!NAME.matcher(name).matches()) {
        throw StateStoreException.invalid(
            "backend name '"
                + name
                + "' of "
                + found.get(i).getClass().getName()
                + "; it must be 1 to 32 characters of a-z, 0-9 and '-', a letter first");
      }
      if (i > 0 && found.get(i - 1).name().equals(name)) {
        throw StateStoreException.invalid(
            "backend '"
                + name
                + "' is on the class path twice: "
                + found.get(i - 1).getClass().getName()
                + " and "
                + found.get(i).getClass().getName()
                + "; remove one");
      }
    }
    return List.copyOf(found);
  }

  /**
   * The backend of that name.
   *
   * @throws StateStoreException INVALID if there is none, listing those found; INCOMPATIBLE if it
   *     was written for another SPI version
   */
  public static StateStoreProvider find(String name) {
    List<StateStoreProvider> all = all();
    for (StateStoreProvider provider : all) {
      if (provider.name().equals(name)) {
        return checkVersion(provider);
      }
    }
    List<String> names = all.stream().map(StateStoreProvider::name).toList();
    throw StateStoreException.invalid(
        "no backend '"
            + name
            + "'; found: "
            + (names.isEmpty() ? "none" : String.join(", ", names))
            + ". Name one of them, or put the backend's jar on the class path");
  }

  private static StateStoreProvider checkVersion(StateStoreProvider provider) {
    if (provider.spiVersion() != StateStoreProvider.SPI_VERSION) {
      throw StateStoreException.incompatible(
          "backend '"
              + provider.name()
              + "' was written for SPI version "
              + provider.spiVersion()
              + ", this is version "
              + StateStoreProvider.SPI_VERSION
              + "; use a build of it for this version");
    }
    return provider;
  }
}
