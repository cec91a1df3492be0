package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** Parses a command line, runs its verb and turns every error into a message and an exit code. */
final class Cli {
  /** A size option. */
  record Size(long bytes) {}

  private static final int HELP_WIDTH = 100;

  private Cli() {}

  /** Runs a command line; never throws, never exits. */
  static int run(Console console, String... args) {
    try {
      return commandLine(console).execute(args);
    } catch (OutOfMemoryError e) {
      return report(console, Arrays.asList(args), e).code();
    }
  }

  /** The command with all its verbs. */
  static CommandLine commandLine(Console console) {
    CommandLine command = new CommandLine(new ReshardCommand(console));
    for (Verb verb :
        List.of(
            new DemoCommand(console),
            new LoadCommand(console),
            new ListCommand(console),
            new InspectCommand(console),
            new ScanCommand(console),
            new GetCommand(console),
            new RepartitionCommand(console),
            new AdviseCommand(console),
            new VerifyCommand(console),
            new RollbackCommand(console),
            new GcCommand(console),
            new TckCommand(console),
            new CompletionCommand(console))) {
      command.addSubcommand(verb);
    }
    command.registerConverter(Duration.class, Cli::toDuration);
    command.registerConverter(Size.class, Cli::toSize);
    command.setCaseInsensitiveEnumValuesAllowed(true);
    command.setUsageHelpWidth(HELP_WIDTH);
    command.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
    command.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
    command.setColorScheme(
        CommandLine.Help.defaultColorScheme(
            console.outTerminal() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF));
    command.setParameterExceptionHandler((e, args) -> reportUsage(console, e, args));
    command.setExecutionExceptionHandler(
        (e, failed, parsed) -> report(console, parsed.originalArgs(), e).code());
    describeExitCodes(command);
    return command;
  }

  private static void describeExitCodes(CommandLine command) {
    command.getCommandSpec().usageMessage().exitCodeListHeading("%nExit codes:%n");
    command.getCommandSpec().usageMessage().exitCodeList(ExitCode.meanings());
    command.getSubcommands().values().forEach(Cli::describeExitCodes);
  }

  private static Duration toDuration(String text) {
    try {
      return Units.duration(text);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.TypeConversionException(
          "'" + text + "' is no duration; give one like 90s, 15m, 12h or 7d");
    }
  }

  private static Size toSize(String text) {
    try {
      return new Size(Units.size(text));
    } catch (IllegalArgumentException e) {
      throw new CommandLine.TypeConversionException(
          "'" + text + "' is no size; give one like 65536, 64k, 512m or 2g");
    }
  }

  private static int reportUsage(Console console, CommandLine.ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    String message =
        Suggestions.unknownOption(
                Arrays.asList(args), command.getCommandSpec().optionsMap().keySet())
            .orElse(String.valueOf(e.getMessage()));
    String name = command.getCommandSpec().qualifiedName();
    if (Arrays.asList(args).contains("--json")) {
      sayJson(console, ExitCode.INVALID, message);
      return ExitCode.INVALID.code();
    }
    console.say("reshard: " + message);
    if (!CommandLine.UnmatchedArgumentException.printSuggestions(e, console.err())) {
      console.say("Usage: " + command.getHelp().synopsis(0).strip());
    }
    console.say("See: " + name + " --help");
    return ExitCode.INVALID.code();
  }

  private static ExitCode report(Console console, List<String> args, Throwable e) {
    ExitCode exit = exitCode(e);
    String message = message(exit, e);
    if (args.contains("--json")) {
      sayJson(console, exit, message);
    } else {
      console.say("reshard: " + exit + ": " + message);
      String next = nextStep(exit, message);
      if (!next.isEmpty() && !args.contains("--debug")) {
        console.say("Next: " + next + ".");
      }
    }
    if (args.contains("--debug")) {
      e.printStackTrace(console.err());
    }
    return exit;
  }

  /** What to try next: without its store.json, no verb can do anything for a store. */
  private static String nextStep(ExitCode exit, String message) {
    return exit == ExitCode.CORRUPT && message.contains("store.json")
        ? "put store.json back from a copy of the store; it never changes after it was made"
        : exit.nextStep();
  }

  private static void sayJson(Console console, ExitCode exit, String message) {
    console.say(
        Console.json(
            json -> {
              json.writeObjectFieldStart("error");
              json.writeStringField("kind", exit.name());
              json.writeStringField("message", message);
              json.writeStringField("next", nextStep(exit, message));
              json.writeNumberField("exit", exit.code());
              json.writeEndObject();
            }));
  }

  private static ExitCode exitCode(Throwable e) {
    if (e instanceof StateStoreException s) {
      return ExitCode.of(s.kind());
    }
    if (e instanceof InterruptedRunException) {
      return ExitCode.INTERRUPTED;
    }
    if (e instanceof MismatchException) {
      return ExitCode.MISMATCH;
    }
    return e instanceof IOException || e instanceof UncheckedIOException
        ? ExitCode.UNAVAILABLE
        : ExitCode.INTERNAL;
  }

  private static String message(ExitCode exit, Throwable e) {
    if (e instanceof OutOfMemoryError) {
      return "out of memory ("
          + Units.bytes(Runtime.getRuntime().maxMemory())
          + " of heap); give more with RESHARD_JAVA_OPTS=-Xmx4g";
    }
    String message = e.getMessage() == null ? "no message" : e.getMessage();
    boolean foreign = exit == ExitCode.INTERNAL || exit == ExitCode.UNAVAILABLE;
    return foreign && !(e instanceof StateStoreException)
        ? e.getClass().getSimpleName() + ": " + message
        : message;
  }
}
