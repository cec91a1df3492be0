package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A load that takes nothing publishes nothing, and leaves nothing behind. */
class FailedLoadTest {
  @TempDir Path directory;

  private Path input(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  private Ran load(Path input, String... more) {
    List<String> args =
        new ArrayList<>(
            List.of("load", "--store", store().toString(), "--key=k", "--aggregate=sum(v)"));
    args.addAll(List.of("--shards=4", "--backend=memory", input.toString()));
    args.addAll(List.of(more));
    return Ran.run(args.toArray(String[]::new));
  }

  private Path store() {
    return directory.resolve("store");
  }

  @Test
  void anInputThatCannotBeLoadedLeavesNoStore() throws IOException {
    load(input("column.csv", "k,w\na,1\n")).fails(ExitCode.INVALID).saying("no column 'v'");
    load(input("empty.csv", "")).fails(ExitCode.INVALID).saying("empty");
    load(input("header.csv", "k,\"v\na,1\n")).fails(ExitCode.INVALID).saying("header");
    load(input("first.csv", "k,v\na,x\n")).fails(ExitCode.INVALID).saying("whole number");
    load(input("first.jsonl", "{\"k\":\n")).fails(ExitCode.INVALID).saying("not JSON");
    assertThat(store()).doesNotExist();
    Ran.interrupted(Flights.load(store(), Flights.csv(directory, 3000), "--backend=memory"))
        .fails(ExitCode.INTERRUPTED)
        .saying("nothing was stored");
    assertThat(store()).doesNotExist();
  }

  @Test
  void anotherProcessAtWorkKeepsTheStore() throws IOException {
    Path lock = store().resolve("staging/work-other.lock");
    Files.createDirectories(store().resolve("staging/work-other"));
    try (var channel =
            FileChannel.open(lock, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var held = channel.lock()) {
      assertThat(held.isValid()).isTrue();
      load(input("first.csv", "k,v\na,x\n")).fails(ExitCode.INVALID);
      assertThat(store().resolve("store.json")).exists();
    }
  }

  @Test
  void aVersionThatWasCommittedKeepsTheStore() throws IOException {
    load(input("late.csv", "k,v\na,1\nb,2\nc,x\n"), "--commit-every=1").fails(ExitCode.INVALID);
    assertThat(Ran.run("list", "--json", "--store", store().toString()).ok().json()).hasSize(2);
  }

  @Test
  void whereEveryRecordIsMalformedNothingIsPublished() throws IOException {
    Path bad = input("bad.csv", "k,v\na,x\nb,y\nc,z\n");
    load(bad, "--on-error=skip", "--commit-every=1")
        .fails(ExitCode.INVALID)
        .saying("bad.csv, line 2", "all 3 are malformed", "--delimiter");
    assertThat(store()).doesNotExist();
    load(bad, "--on-error=skip", "--dry-run").fails(ExitCode.INVALID).saying("all 3");
    Ran mixed = load(bad, input("good.csv", "k,v\na,1\n").toString(), "--on-error=skip").ok();
    assertThat(mixed.out()).contains("loaded 1 records, skipped 3 malformed");
    load(bad, "--on-error=skip").fails(ExitCode.INVALID).saying("nothing was stored");
    assertThat(Ran.run("list", "--json", "--store", store().toString()).ok().json()).hasSize(1);
  }
}
