package io.reshard.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** {@code reshard completion}. */
@Command(
    name = "completion",
    description = "Print a script that completes verbs and options in bash and zsh.",
    footer = {
      "  source <(reshard completion)",
      "  reshard completion > /etc/bash_completion.d/reshard"
    })
final class CompletionCommand extends Verb {
  CompletionCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run() {
    String script = AutoComplete.bash("reshard", Cli.commandLine(console()));
    if (json) {
      console().printJson(out -> out.writeStringField("script", script));
    } else {
      console().print(script.stripTrailing());
    }
    return ExitCode.OK;
  }
}
