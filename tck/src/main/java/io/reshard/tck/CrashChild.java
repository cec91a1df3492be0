package io.reshard.tck;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateStoreProvider;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The process that is killed: opens a shard and commits version after version of a {@link
 * CrashHistory}, saying {@code begin v} before and {@code done v} after each commit. Ends only by
 * being killed, or when its input ends.
 */
final class CrashChild {
  private CrashChild() {}

  /** Arguments: class of the provider, directory, seed, memory budget, then name=value options. */
  public static void main(String[] arguments) throws Exception {
    StateStoreProvider provider =
        Class.forName(arguments[0])
            .asSubclass(StateStoreProvider.class)
            .getConstructor()
            .newInstance();
    long seed = Long.parseLong(arguments[2]);
    Map<String, String> options = new HashMap<>();
    for (int i = 4; i < arguments.length; i++) {
      int equals = arguments[i].indexOf('=');
      options.put(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
    }
    Thread watch = new Thread(CrashChild::endWithParent, "watch");
    watch.setDaemon(true);
    watch.start();
    try (OutputStream out = new FileOutputStream(FileDescriptor.out);
        Backend backend =
            provider.start(new BackendOptions(Long.parseLong(arguments[3]), options));
        ShardStore store =
            backend.open(new ShardOptions(Path.of(arguments[1]), Fixture.COLUMN_FAMILIES))) {
      for (long version = store.version() + 1; ; version++) {
        store.write(CrashHistory.batch(seed, version));
        say(out, "begin " + version);
        store.commit(version);
        say(out, "done " + version);
      }
    }
  }

  /** One write of one line, so that a line is there wholly or not at all. */
  private static void say(OutputStream out, String line) throws IOException {
    out.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // The parent never writes; the end of the input is the end of the parent.
      }
    } catch (IOException e) {
      // The same.
    }
    Runtime.getRuntime().halt(3);
  }
}
