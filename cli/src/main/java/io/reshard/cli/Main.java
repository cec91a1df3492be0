package io.reshard.cli;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The {@code reshard} process.
 *
 * <p>Ctrl-C starts the JVM's shutdown, which runs a hook that asks the command to stop and waits
 * for it; the process then ends with 130 (128 + SIGINT) as shells expect.
 */
public final class Main {
  private static final long STOP_SECONDS = 30;

  private Main() {}

  /** Runs the command line and exits with its code. */
  public static void main(String[] args) {
    if (Arrays.asList(args).contains("--debug")) {
      System.setProperty("reshard.log.level", "DEBUG");
      System.setProperty("reshard.log.rocksdb", "DEBUG");
    }
    Console console = Console.ofProcess();
    CountDownLatch done = new CountDownLatch(1);
    Thread stop =
        new Thread(
            () -> {
              console.cancel();
              awaitQuietly(done);
            },
            "reshard-stop");
    Runtime.getRuntime().addShutdownHook(stop);
    int code;
    try {
      code = Cli.run(console, args);
    } finally {
      done.countDown();
    }
    System.exit(code);
  }

  private static void awaitQuietly(CountDownLatch done) {
    try {
      if (!done.await(STOP_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("reshard: still busy after " + STOP_SECONDS + " s, stopping anyway");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
