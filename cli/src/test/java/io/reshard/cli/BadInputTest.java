package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said, and with which exit code, when something is wrong. */
class BadInputTest {
  private static final long SEED = Long.getLong("reshard.seed", 3);

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "list",
        "inspect",
        "scan",
        "verify",
        "gc",
        "advise",
        "rollback --to 1",
        "repartition --shards 3",
        "get a"
      })
  void whatIsNoStoreIsInvalid(String verb) {
    String nowhere = directory.resolve("nowhere").toString();
    Ran.run((verb + " --store " + nowhere).split(" ", -1)).fails(ExitCode.INVALID).saying(nowhere);
    Ran ran = Ran.run((verb + " --json --store " + nowhere).split(" ", -1));
    assertThat(ran.fails(ExitCode.INVALID).jsonError()).containsEntry("exit", 2L);
    assertThat(directory.resolve("nowhere/store.json")).doesNotExist();
  }

  @Test
  void aLoadDoesNotMoveIntoAForeignDirectory() throws IOException {
    Path foreign = Files.createDirectory(directory.resolve("foreign"));
    Files.writeString(foreign.resolve("precious.txt"), "precious");
    Ran.run(Flights.load(foreign, Flights.csv(directory, 10), "--backend=memory"))
        .fails(ExitCode.INVALID)
        .saying(foreign.toString());
    assertThat(foreign.resolve("precious.txt")).hasContent("precious");
  }

  @ParameterizedTest
  @CsvSource({"0, 65536", "-1, 65536", "65537, 65536", "8, already", "2147483648, --shards"})
  void impossibleCountsAreInvalid(String count, String said) {
    Path store = Flights.store(directory, 100, 8);
    Ran.run("repartition", "--store", store.toString(), "--shards=" + count)
        .fails(ExitCode.INVALID);
    Ran ran = Ran.run("repartition", "--store", store.toString(), "--shards=" + count, "--dry-run");
    ran.fails(ExitCode.INVALID).saying(count);
    assertThat(ran.err()).contains(said);
    assertThat(Ran.run("list", "--store", store.toString(), "--json").ok().json()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "load --key a --value b --shards 0 X",
        "load --key a --value b --shards 65537 X",
        "load --value b X",
        "load --key a X",
        "load --key a --value b --aggregate count() X",
        "load --key nonsense --value b X",
        "load --key a --value b --commit-every 0 X",
        "load --key a --value b --delimiter ab X",
        "load --key a --value b --backend nonsense X",
        "load --key a --value b --column-family UPPER X",
        "load --key a --value b --memory 1k X",
        "load --key a --value b missing.csv"
      })
  void impossibleLoadsAreInvalidAndLeaveNoStore(String command) throws IOException {
    Path input = directory.resolve("input.csv");
    Files.writeString(input, "a,b\n1,2\n");
    Path store = directory.resolve("store");
    String[] args = (command.replace(" X", " " + input) + " --store " + store).split(" ", -1);
    Ran.run(args).fails(ExitCode.INVALID);
    if (Files.exists(store.resolve("store.json"))) {
      assertThat(Ran.run("list", "--json", "--store", store.toString()).ok().json()).isEmpty();
    }
  }

  @Test
  void optionsThatContradictTheStoreAreInvalid() {
    Path store = Flights.store(directory, 100, 8);
    String input = Flights.csv(directory, 120).toString();
    String at = store.toString();
    Ran.run("load", "--store", at, "--shards", "9", input)
        .fails(ExitCode.INVALID)
        .saying("9", "8", "reshard repartition");
    Ran.run("load", "--store", at, "--layout", "modulo", input)
        .fails(ExitCode.INVALID)
        .saying("modulo", "slots");
    Ran.run("load", "--store", at, "--key", "origin", "--aggregate", "count()", input)
        .fails(ExitCode.INVALID)
        .saying("expected --key", "given --key 'origin'");
    Ran.run("load", "--store", at, "--column-family", "other", input)
        .fails(ExitCode.INVALID)
        .saying("other", "default");
    assertThat(Ran.run("list", "--store", at, "--json").ok().json()).hasSize(1);
  }

  @Test
  void unknownBackendsListThoseThereAre() {
    Ran.run("tck", "--backend", "nonsense")
        .fails(ExitCode.INVALID)
        .saying("nonsense", "memory", "rocksdb");
    Ran.run("demo", "--backend", "nonsense").fails(ExitCode.INVALID).saying("memory");
  }

  @Test
  void unknownVersionsShardsAndKeysAreInvalid() {
    String at = Flights.store(directory, 100, 8).toString();
    Ran.run("inspect", "--store", at, "--version", "9").fails(ExitCode.INVALID).saying("9", "1");
    Ran.run("inspect", "--store", at, "--version", "-1").fails(ExitCode.INVALID).saying("-1");
    Ran.run("inspect", "--store", at, "--shard", "8").fails(ExitCode.INVALID).saying("0 to 7");
    Ran.run("scan", "--store", at, "--column-family", "").fails(ExitCode.INVALID).saying("default");
    Ran.run("scan", "--store", at, "--shard", "-1").fails(ExitCode.INVALID).saying("0 to 7");
    Ran.run("rollback", "--store", at, "--to", "7").fails(ExitCode.INVALID).saying("7");
    Ran.run("get", "--store", at, "ATL").fails(ExitCode.INVALID).saying("origin destination");
    Ran.run("get", "--store", at, "--hex", "xyz").fails(ExitCode.INVALID).saying("hexadecimal");
    Ran.run("gc", "--store", at, "--keep", "0").fails(ExitCode.INVALID).saying("at least 1");
    Ran.run("advise", "--store", at, "--counts", "0").fails(ExitCode.INVALID).saying("1 to 65536");
  }

  @Test
  void damagedGzipIsNamed() throws IOException {
    Path packed = directory.resolve("half.csv.gz");
    try (var in = FlightSample.class.getResourceAsStream("sample/flights.csv.gz")) {
      assertThat(in).isNotNull();
      Files.write(packed, in.readNBytes(200_000));
    }
    Ran.run(Flights.load(directory.resolve("store"), packed, "--shards=4", "--backend=memory"))
        .fails(ExitCode.INVALID)
        .saying("half.csv.gz", "cut off");
  }

  @Test
  void everyDamagedObjectIsNoticed() throws Exception {
    Path store = Flights.store(directory, 2000, 8);
    Ran.run("repartition", "--store", store.toString(), "--shards", "3").ok();
    List<Path> objects;
    try (Stream<Path> all = Files.walk(store)) {
      objects =
          all.filter(Files::isRegularFile)
              .filter(p -> !p.startsWith(store.resolve("staging")))
              .sorted()
              .toList();
    }
    assertThat(objects).hasSizeGreaterThan(5);
    Random random = new Random(SEED);
    for (Path object : objects) {
      byte[] sound = Files.readAllBytes(object);
      damage(store, object, sound, random, 0);
      damage(store, object, sound, random, 1);
      damage(store, object, sound, random, 2);
    }
    Ran.run("verify", "--store", store.toString(), "--all").ok();
  }

  /** Damages an object, sees that verify notices, and mends it. */
  private void damage(Path store, Path object, byte[] sound, Random random, int how)
      throws IOException {
    String name = object.getFileName().toString();
    Files.delete(object);
    if (how == 1) {
      Files.write(object, java.util.Arrays.copyOf(sound, random.nextInt(sound.length)));
    } else if (how == 2) {
      byte[] flipped = sound.clone();
      flipped[random.nextInt(sound.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(object, flipped);
    }
    Ran ran = Ran.run("verify", "--store", store.toString(), "--all");
    boolean gone = how == 0 && (name.equals("store.json") || isManifest(object) || isJob(object));
    if (!gone && !isJob(object)) {
      assertThat(ran.code())
          .as("seed %d, damage %d of %s: %s%s", SEED, how, object, ran.out(), ran.err())
          .isEqualTo(ExitCode.CORRUPT.code());
      assertThat(ran.err()).contains(name).doesNotContain("\tat ").contains("Next:");
    }
    Files.deleteIfExists(object);
    Files.write(object, sound);
  }

  private static boolean isManifest(Path object) {
    return String.valueOf(object.getParent()).endsWith("manifests");
  }

  private static boolean isJob(Path object) {
    return object.toString().contains("/jobs/") || object.toString().contains("/gc/");
  }

  @Test
  void aNewerFormatIsIncompatible() throws Exception {
    Path store = Flights.store(directory, 100, 4);
    Path file = store.resolve("store.json");
    String text = Files.readString(file);
    int start = text.indexOf("\"body\":") + "\"body\":".length();
    String body = text.substring(start, text.lastIndexOf('}'));
    String newer = body.replaceFirst("(\"formatVersion\"|\"version\"):1\\b", "$1:2");
    assertThat(newer).isNotEqualTo(body);
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(newer.getBytes(StandardCharsets.UTF_8));
    Files.delete(file);
    Files.writeString(
        file, "{\"sha256\":\"" + HexFormat.of().formatHex(digest) + "\",\"body\":" + newer + "}\n");
    Ran.run("list", "--store", store.toString())
        .fails(ExitCode.INCOMPATIBLE)
        .saying("INCOMPATIBLE", "2", "Next:");
  }

  @Test
  void ofTwoRepartitionsAtOnceTheLoserSaysSo() {
    Path store = Flights.store(directory, 3000, 8);
    String at = store.toString();
    String digest = Flights.digest(store, 0);
    int[] targets = {4, 16, 5, 9, 7, 12};
    for (int i = 0; i < targets.length; i += 2) {
      String one = "--shards=" + targets[i];
      String other = "--shards=" + targets[i + 1];
      CompletableFuture<Ran> first =
          CompletableFuture.supplyAsync(() -> Ran.run("repartition", "--store", at, one));
      Ran second = Ran.run("repartition", "--store", at, other);
      List<Ran> both = List.of(first.join(), second);
      assertThat(both).anyMatch(ran -> ran.code() == 0);
      for (Ran ran : both) {
        if (ran.code() != 0) {
          ran.fails(ExitCode.FENCED).saying("FENCED", "Next:");
        }
      }
      Ran.run("verify", "--store", at, "--expect", digest).ok();
    }
  }

  @Test
  void debugShowsTheStackTraceAndOnlyDebugDoes() {
    String nowhere = directory.resolve("nowhere").toString();
    assertThat(Ran.run("list", "--store", nowhere, "--debug").err()).contains("\tat ");
    assertThat(Ran.run("list", "--store", nowhere).err()).doesNotContain("\tat ");
  }
}
