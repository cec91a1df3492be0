package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
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
  void errorsNameTheInputAndSpeakPlainly() throws IOException {
    load(input("column.csv", "k,w\na,1\n")).saying("column.csv: no column 'v'");
    load(input("twice.csv", "k,v,v\na,1,2\n")).saying("twice.csv: more than one column 'v'");
    load(input("empty.csv", "")).saying("empty.csv is empty");
    load(input("header.csv", "k,\"v\na,1\n")).saying("header.csv, line 1");
    load(input("mac.csv", "k,v\ra,1\r"))
        .fails(ExitCode.INVALID)
        .saying("mac.csv: line ends are CR");
    for (String bad : List.of("{\"k\":\"a\",\"v\":1", "{\"k\":\"a\",\"v\":NaN}", "{\"v\":+1}")) {
      Ran ran = load(input("bad.jsonl", bad + "\n")).fails(ExitCode.INVALID);
      assertThat(ran.saying("bad.jsonl, line 1: not JSON").err())
          .doesNotContain("Feature", "REDACTED", "Source:");
    }
  }

  @Test
  void sumsBeyondTheirRangeNameKeyAndInput() throws IOException {
    load(input("big.csv", "k,v\na,9223372036854775807\nb,1\na,1\n"))
        .fails(ExitCode.INVALID)
        .saying("big.csv, at or before line 4", "sum(v) of key 'a'", "64 bits");
    Path reals = input("reals.csv", "k,v\na,1e308\na,1e308\n");
    String[] args = {
      "load",
      "--store",
      store().toString(),
      "--key=k",
      "--aggregate=sum(double(v))",
      "--shards=4",
      "--backend=memory"
    };
    Ran.run(with(args, reals))
        .fails(ExitCode.INVALID)
        .saying("reals.csv", "key 'a'", "range of a double");
    Ran.run(with(args, input("infinite.csv", "k,v\na,1e400\n")))
        .fails(ExitCode.INVALID)
        .saying("infinite.csv, line 2", "within the range of a double", "1e400");
    assertThat(store()).doesNotExist();
  }

  private static String[] with(String[] args, Path input) {
    String[] all = Arrays.copyOf(args, args.length + 1);
    all[args.length] = input.toString();
    return all;
  }

  @Test
  void aDamagedStoreMarkIsPutBackFromACopy() throws IOException {
    load(input("good.csv", "k,v\na,1\n")).ok();
    Ran missing = Ran.run("get", "--json", "--store", store().toString(), "b");
    assertThat(missing.fails(ExitCode.MISMATCH).jsonError()).containsEntry("exit", 3L);
    assertThat(missing.err().lines()).hasSize(1);
    assertThat(
            Ran.run("scan", "--store", store().toString(), "--shard=4")
                .fails(ExitCode.INVALID)
                .out())
        .isEmpty();
    Files.writeString(store().resolve("store.json"), "{}");
    assertThat(Ran.run("list", "--store", store().toString()).fails(ExitCode.CORRUPT).err())
        .contains("put store.json back from a copy")
        .doesNotContain("rollback");
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
